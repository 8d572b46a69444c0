"""Host names and addresses: RFC 1123, RFC 5890 to 5893 (IDNA 2008), RFC 2673, RFC 4291."""

import re
import unicodedata
from ipaddress import AddressValueError, IPv6Address

_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = re.compile(rf"(?:{_OCTET}\.){{3}}{_OCTET}")
_DOTS = re.compile("[.\u3002\uff0e\uff61]")
_BIDI = {"R", "AL", "AN"}


def is_ipv4(text: str) -> bool:
    """Dotted quad, no leading zeros."""
    return _IPV4.fullmatch(text) is not None


def is_ipv6(text: str) -> bool:
    """RFC 4291 section 2.2, without a zone."""
    try:
        IPv6Address(text)
    except (AddressValueError, ValueError):
        return False
    return "%" not in text and text.isascii()


def is_hostname(text: str) -> bool:
    """RFC 1123 section 2.1; a label that starts with xn-- must be a valid A-label."""
    labels = text.split(".")
    return len(text) <= 253 and all(
        _LABEL.fullmatch(label) and (label[:4].lower() != "xn--" or _decoded(label) is not None)
        for label in labels
    )


def is_idn_hostname(text: str, normalise: bool = False) -> bool:
    """RFC 5890 section 2.3.2.3; any of the four full stops parts the labels."""
    if normalise:
        text = unicodedata.normalize("NFC", text)
    labels = [_unicode_label(label) for label in _DOTS.split(text)]
    known = [label for label in labels if label is not None]
    if len(known) < len(labels) or not _bidi_holds(known):
        return False
    return len(".".join(_ascii_label(label) or "" for label in known)) <= 253


def _unicode_label(label: str) -> str | None:
    """The label in Unicode, or None where it is not valid."""
    if label.isascii():
        if label[:4].lower() == "xn--":
            return _decoded(label)
        return label if _LABEL.fullmatch(label) else None
    encoded = _ascii_label(label)
    return label if encoded is not None and len(encoded) <= 63 else None


def _ascii_label(label: str) -> str | None:
    import idna

    if label.isascii():
        return label
    try:
        return idna.alabel(label).decode()
    except (idna.IDNAError, UnicodeError):
        return None


def _decoded(label: str) -> str | None:
    """The Unicode form of an A-label, or None where the label is not one."""
    import idna

    try:
        decoded = idna.ulabel(label)
        same = not decoded.isascii() and idna.alabel(decoded).decode() == label.lower()
    except (idna.IDNAError, UnicodeError):
        return None
    return decoded if same else None


def _bidi_holds(labels: list[str]) -> bool:
    """RFC 5893 section 2: one right-to-left label puts all labels under the rule."""
    import idna

    if not any(unicodedata.bidirectional(char) in _BIDI for label in labels for char in label):
        return True
    try:
        return all(idna.check_bidi(label, check_ltr=True) for label in labels)
    except idna.IDNAError:
        return False
