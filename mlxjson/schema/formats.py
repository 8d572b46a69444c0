r"""The formats of JSON Schema as regular languages (2020-12 validation, section 7.3).

    date, time, date-time    RFC 3339 section 5.6, with the lengths of the months and leap years
    duration                 RFC 3339 appendix A
    uuid                     RFC 4122 section 3
    ipv4, ipv6               RFC 2673 section 3.2, RFC 4291 section 2.2
    hostname, idn-hostname   RFC 1123 section 2.1, RFC 5890 section 2.3.2.3
    email, idn-email         RFC 5321 section 4.1.2, RFC 6531 section 3.3
    uri, uri-reference       RFC 3986 appendix A
    iri, iri-reference       RFC 3987 section 2.2
    uri-template             RFC 6570 section 2
    json-pointer             RFC 6901 section 3
    relative-json-pointer    draft-bhutton-relative-json-pointer-00, section 3
    regex                    ECMA-262 section 22.2.1

Every word of a language is a text of its format. Where the format is no regular language, or one
far too large, the language is a part of it: see `is_exact`.
"""

from collections.abc import Callable
from functools import cache

from mlxjson.regular import Language

_HEX = "[0-9A-Fa-f]"


def format_language(name: str) -> Language | None:
    """The texts of the format `name`, or None if there is no language for it."""
    return _build(name) if name in FORMATS else None


def is_exact(name: str) -> bool:
    """Whether the language holds every text of its format, not only part of them."""
    return name in FORMATS and name not in PARTIAL


@cache
def _build(name: str) -> Language:
    return Language.pattern(FORMATS[name](), "python")


def _date() -> str:
    """full-date. The year 0000 is left out: no calendar of Python's has it."""
    year = "(?:[1-9][0-9]{3}|0(?:[1-9][0-9]{2}|0(?:[1-9][0-9]|0[1-9])))"
    leap_in_century = "(?:0[48]|[2468][048]|[13579][26])"
    leap_century = "(?:0[48]|[2468][048]|[13579][26])00"
    leap = f"(?:[0-9]{{2}}{leap_in_century}|{leap_century})"
    day28, day30 = "(?:0[1-9]|1[0-9]|2[0-8])", "(?:0[1-9]|[12][0-9]|30)"
    months = f"(?:0[13578]|1[02])-(?:{day30}|31)|(?:0[469]|11)-{day30}|02-{day28}"
    return f"(?:{year}-(?:{months})|{leap}-02-29)"


def _time() -> str:
    """full-time, without leap seconds: the usual validators refuse them."""
    hour, minute = "(?:[01][0-9]|2[0-3])", "[0-5][0-9]"
    return rf"{hour}:{minute}:{minute}(?:\.[0-9]+)?(?:[Zz]|[+-]{hour}:{minute})"


def _date_time() -> str:
    return f"{_date()}[Tt]{_time()}"


def _duration() -> str:
    seconds, days = "[0-9]+S", "[0-9]+D"
    minutes, months = f"[0-9]+M(?:{seconds})?", f"[0-9]+M(?:{days})?"
    hours, years = f"[0-9]+H(?:{minutes})?", f"[0-9]+Y(?:{months})?"
    time = f"T(?:{hours}|{minutes}|{seconds})"
    return f"P(?:(?:{days}|{months}|{years})(?:{time})?|{time}|[0-9]+W)"


def _uuid() -> str:
    return f"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"


def _ipv4() -> str:
    octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
    return rf"{octet}(?:\.{octet}){{3}}"


def _ipv6() -> str:
    """IPv6address, the nine forms of RFC 3986 appendix A."""
    group = f"{_HEX}{{1,4}}"
    last = f"(?:{group}:{group}|{_ipv4()})"
    forms = [f"(?:{group}:){{6}}{last}", f"::(?:{group}:){{5}}{last}"]
    for before in range(7):
        start = f"(?:{group}(?::{group}){{0,{before - 1}}})?" if before else ""
        after = 4 - before
        if before and after >= 0:
            forms.append(f"{start}::(?:{group}:){{{after}}}{last}")
    forms += [f"(?:{group}(?::{group}){{0,4}})?::{last}"]
    forms += [f"(?:{group}(?::{group}){{0,5}})?::{group}", f"(?:{group}(?::{group}){{0,6}})?::"]
    return "(?:" + "|".join(dict.fromkeys(forms)) + ")"


def _full_ipv6() -> str:
    """IPv6address without "::", which the usual validators of IRIs mostly refuse."""
    return f"(?:{_HEX}{{1,4}}:){{6}}(?:{_HEX}{{1,4}}:{_HEX}{{1,4}}|{_ipv4()})"


def _label(longest: int) -> str:
    """A label of letters, digits and inner hyphens that doesn't begin with xn--.

    What follows xn-- is Punycode, which is not regular.
    """

    def rest(most: int) -> str:
        return f"(?:[A-Za-z0-9-]{{0,{most - 1}}}[A-Za-z0-9])"

    usual = f"[A-WYZa-wyz0-9]{rest(longest - 1)}?"
    after_n = f"[A-Za-z0-9]{rest(longest - 3)}?|-[A-Za-z0-9]{rest(longest - 4)}?"
    after_x = f"[A-MO-Za-mo-z0-9]{rest(longest - 2)}?|-{rest(longest - 2)}|[Nn](?:{after_n})?"
    return f"(?:{usual}|[Xx](?:{after_x})?)"


def _hostname() -> str:
    """Names of at most 253 characters: up to four long labels, or up to eight short ones."""
    few = rf"{_label(63)}(?:\.{_label(62)}){{0,3}}"
    many = rf"{_label(30)}(?:\.{_label(30)}){{4,7}}"
    return f"(?:{few}|{many})"


# Parts of labels that IDNA 2008 takes as they are (RFC 5892), each script by itself: letters, and
# characters that need certain letters beside them (its appendix A).
_LATIN = "a-zß-öø-ÿāăąćčďđēęěğģīįķĺļłńņňōőœŕřśşšťūůűźżž"
_LEFT_TO_RIGHT = (
    rf"(?:[{_LATIN}]|l·l)(?:-?(?:[{_LATIN}0-9]|l·l)){{0,5}}",
    "(?:͵?[α-ωάέήίόύώ]){1,8}", "[а-яёіїєґў](?:-?[а-яёіїєґў0-9]){0,7}",
    "(?:・?[ぁ-ゔァ-ヴ一-龥][ー々]?){1,6}",
    "[가-힣]{1,10}", "[ก-ฮ]{1,10}", "[ა-ჰ]{1,10}", "[ա-ֆ]{1,10}",
    "[क-ह](?:(?:्[\u200c\u200d]?)?[क-ह]){0,4}",
)  # fmt: skip
_RIGHT_TO_LEFT = ("[א-ת](?:[׳״]?[א-ת]){0,7}", "[ء-غف-ي](?:[ء-غف-ي٠-٩]){0,9}")


def _idn_hostname() -> str:
    """Labels of one script each, short enough for 63 octets of Punycode; RFC 5893 for direction."""
    plain = "(?:[A-Za-z0-9]{1,63}|[A-Za-z0-9]{1,20}(?:-[A-Za-z0-9]{1,20}){1,2})"
    left = "(?:" + "|".join((plain, *_LEFT_TO_RIGHT)) + ")"
    right = "(?:" + "|".join(_RIGHT_TO_LEFT) + ")"
    return f"(?:{left}(?:[.。．｡]{left}){{0,2}}|{right}(?:[.。．｡]{right}){{0,2}})"


def _mailbox(atom: str, quoted: str, domain: str) -> str:
    """A local part of at most 64 characters and a domain or an address in brackets."""
    dotted = rf"{atom}{{1,64}}|{atom}{{1,20}}(?:\.{atom}{{1,20}}){{1,2}}"
    local = rf'(?:{dotted}|"(?:{quoted}|\\[ -~]){{0,30}}")'
    return rf"{local}@(?:{domain}|\[{_ipv4()}\]|\[IPv6:{_ipv6()}\])"


_ATOM = r"A-Za-z0-9!#$%&'*+/=?^_`{|}~-"


def _email() -> str:
    return _mailbox(f"[{_ATOM}]", r"[ !#-\[\]-~]", _hostname())


def _idn_email() -> str:
    """Letters of all scripts in the local part, of at most 64 octets in UTF-8."""
    wide = r"\x80-\U0010ffff"
    local = rf'[{wide}{_ATOM}]{{1,16}}|"[ !#-\[\]-~{wide}]{{0,15}}"'
    return rf"(?:{_email()}|(?:{local})@{_idn_hostname()})"


_UNRESERVED = r"A-Za-z0-9._~\-"
_DELIMITERS = r"!$&'()*+,;="
_PERCENT = f"%{_HEX}{{2}}"
# ucschar and iprivate of RFC 3987 in the basic plane: the usual validators know no others.
_UCS = r"\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
_PRIVATE = r"\ue000-\uf8ff"
_HIGHER = "".join(
    rf"\U000{plane:x}0000-\U000{plane:x}fffd" for plane in range(1, 14)
) + r"\U000e1000-\U000efffd"  # fmt: skip


def _identifier(relative: bool, wide: str = "", private: str = "") -> str:
    """URI, or URI-reference if `relative`; `wide` and `private` are the characters IRIs add."""
    character = f"{_UNRESERVED}{wide}{_DELIMITERS}"
    segment = f"(?:[{character}:@]|{_PERCENT})"
    host = (
        rf"(?:\[(?:{_full_ipv6() if wide else _ipv6()}|v{_HEX}+\.[{_UNRESERVED}{_DELIMITERS}:]+)\]"
        f"|(?:[{character}]|{_PERCENT})*)"
    )
    authority = f"(?:(?:[{character}:]|{_PERCENT})*@)?{host}(?::[0-9]*)?"
    absolute = f"(?://{authority}(?:/{segment}*)*|/(?:{segment}+(?:/{segment}*)*)?"
    query = rf"(?:\?(?:[{character}:@/?{private}]|{_PERCENT})*)?"
    fragment = f"(?:#(?:[{character}:@/?]|{_PERCENT})*)?"
    whole = f"[A-Za-z][A-Za-z0-9+.-]*:{absolute}|{segment}+(?:/{segment}*)*)?"
    if relative:
        first = f"(?:[{character}@]|{_PERCENT})+"
        whole = f"(?:{whole}|{absolute}|{first}(?:/{segment}*)*)?)"
    return f"{whole}{query}{fragment}"


def _uri_template() -> str:
    """Names that begin with no escape and prefixes under 1000, as the usual validators ask."""
    literal = rf"[!#$&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~{_UCS}{_PRIVATE}{_HIGHER}]"
    name_char = f"(?:[A-Za-z0-9_]|{_PERCENT})"
    name = rf"[A-Za-z0-9_]{name_char}*(?:\.{name_char}+)*"
    variable = rf"{name}(?:\*|:[1-9][0-9]{{0,2}})?"
    expression = rf"\{{[+#./;?&]?{variable}(?:,{variable})*\}}"
    return f"(?:{literal}|{_PERCENT}|{expression})*"


def _json_pointer() -> str:
    return "(?s:(?:/(?:[^~/]|~[01])*)*)"


def _relative_json_pointer() -> str:
    """A zero stands at the end of the number only: the usual validators ask so."""
    return f"(?:0|[1-9]+0?)(?:#|{_json_pointer()})"


def _regex() -> str:
    """Expressions that every dialect reads: groups three deep, no look-around, no references."""
    plain = r"[A-Za-z0-9 _,:;=@/<>~!%&'\"#`-]"
    escape = r"\\[dDwWsStnrfv.^$*+?()\[\]{}|/\\]"
    listed = r"(?:[A-Za-z0-9_ .,:;=@/<>!%'\"#`+*?()$]|\\[dDwWsStnrfv.\[\]^\\-]|a-z|A-Z|0-9)"
    count = r"(?:[*+?]|\{[1-9][0-9]?(?:,)?\})\??"
    atom = rf"(?:{plain}|\.|{escape}|\[\^?{listed}+\])"
    body = f"(?:{atom}(?:{count})?)*"
    for _ in range(3):
        group = rf"\((?:\?:)?{body}(?:\|{body})*\)"
        body = f"(?:(?:{atom}|{group})(?:{count})?)*"
    return rf"\^?{body}(?:\|{body})*\$?"


FORMATS: dict[str, Callable[[], str]] = {
    "date": _date,
    "time": _time,
    "date-time": _date_time,
    "duration": _duration,
    "uuid": _uuid,
    "ipv4": _ipv4,
    "ipv6": _ipv6,
    "hostname": _hostname,
    "idn-hostname": _idn_hostname,
    "email": _email,
    "idn-email": _idn_email,
    "uri": lambda: _identifier(False),
    "uri-reference": lambda: _identifier(True),
    "iri": lambda: _identifier(False, _UCS, _PRIVATE),
    "iri-reference": lambda: _identifier(True, _UCS, _PRIVATE),
    "uri-template": _uri_template,
    "json-pointer": _json_pointer,
    "relative-json-pointer": _relative_json_pointer,
    "regex": _regex,
}

PARTIAL = frozenset(FORMATS) - {"duration", "uuid", "ipv4", "ipv6", "json-pointer"}
