"""URIs, IRIs and URI templates: RFC 3986 appendix A, RFC 3987 section 2.2, RFC 6570 section 2."""

import re

from mlxjson.validate.hosts import is_ipv6

_UCS = (
    "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    + "".join(f"{chr(p << 16)}-{chr((p << 16) + 0xFFFD)}" for p in range(1, 14))
    + "\U000e1000-\U000efffd"
)
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_HEX = "%[0-9A-Fa-f]{2}"
_SUB = "!$&'()*+,;="
_SCHEME = "(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):"


def _reference(wide: str, private: str) -> re.Pattern[str]:
    """URI-reference, what stands in brackets left open; `wide` and `private` make it an IRI."""
    plain = rf"[A-Za-z0-9._~{_SUB}{wide}-]|{_HEX}"
    char = rf"(?:{plain}|[:@])"
    authority = rf"(?:(?:{plain}|:)*@)?(?:\[(?P<literal>[^\[\]/?#@]*)\]|(?:{plain})*)(?::[0-9]*)?"
    after_scheme = (
        rf"(?://{authority}(?:/{char}*)*|/(?:{char}+(?:/{char}*)*)?|{char}+(?:/{char}*)*|)"
    )
    no_scheme = after_scheme.replace("?P<literal>", "?P<literal2>").replace(
        rf"|{char}+(?:/", rf"|(?:{plain}|@)+(?:/"
    )
    tail = rf"(?:\?(?:{char}|[/?{private}])*)?(?:\#(?:{char}|[/?])*)?"
    return re.compile(rf"(?:{_SCHEME}{after_scheme}|{no_scheme}){tail}")


_URI = _reference("", "")
_IRI = _reference(_UCS, _PRIVATE)
_FUTURE = re.compile(rf"[Vv][0-9A-Fa-f]+\.[A-Za-z0-9._~:{_SUB}-]+")

_VARCHAR = rf"(?:[A-Za-z0-9_]|{_HEX})"
_SPEC = rf"{_VARCHAR}(?:\.?{_VARCHAR})*(?::[1-9][0-9]{{0,3}}|\*)?"
_LITERAL = rf"[!\#$&'()*+,./0-9:;=?@A-Z\[\]_a-z~{_UCS}{_PRIVATE}-]|{_HEX}"
_TEMPLATE = re.compile(rf"(?:{_LITERAL}|\{{[+\#./;?&=,!@|]?{_SPEC}(?:,{_SPEC})*\}})*")


def is_uri(text: str) -> bool:
    """RFC 3986 URI: with a scheme."""
    return _matches(_URI, text, absolute=True)


def is_uri_reference(text: str) -> bool:
    """RFC 3986 URI-reference."""
    return _matches(_URI, text)


def is_iri(text: str) -> bool:
    """RFC 3987 IRI: with a scheme."""
    return _matches(_IRI, text, absolute=True)


def is_iri_reference(text: str) -> bool:
    """RFC 3987 IRI-reference."""
    return _matches(_IRI, text)


def is_uri_template(text: str) -> bool:
    """RFC 6570 URI-Template."""
    return _TEMPLATE.fullmatch(text) is not None


def _matches(form: re.Pattern[str], text: str, absolute: bool = False) -> bool:
    match = form.fullmatch(text)
    if match is None or (absolute and match["scheme"] is None):
        return False
    literal = match["literal"] if match["literal"] is not None else match["literal2"]
    return literal is None or is_ipv6(literal) or _FUTURE.fullmatch(literal) is not None
