"""The formats of JSON Schema (2020-12 validation, section 7.3), each as a test of a string.

Written out from the RFCs they cite, because the usual libraries accept too much: trailing newlines,
digits of other scripts, fractions in durations. What the grammar writes for a format must pass
here, so its languages (`schema/formats`) lie within these.
"""

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache

from mlxjson.validate.hosts import is_hostname, is_idn_hostname, is_ipv4, is_ipv6
from mlxjson.validate.uris import (
    is_iri,
    is_iri_reference,
    is_uri,
    is_uri_reference,
    is_uri_template,
)

Test = Callable[[str], bool]

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(
    r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)
_DAYS = r"(?:[0-9]+D|[0-9]+M(?:[0-9]+D)?|[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?)"
_CLOCK = r"T(?:[0-9]+S|[0-9]+M(?:[0-9]+S)?|[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?)"
_DURATION = re.compile(rf"P(?:{_DAYS}(?:{_CLOCK})?|{_CLOCK}|[0-9]+W)")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
_RELATIVE_POINTER = re.compile(rf"(?:0|[1-9][0-9]*)(?:#|{_POINTER.pattern})")
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_WIDE_ATOM = r"[^\x00-\x20\"(),.:;<>@\[\\\]\x7f]+"
_QUOTED = r'"(?:[ !#-\[\]-~]|\\[ -~])*"'
_WIDE_QUOTED = r'"(?:[ !#-\[\]-~]|\\[ -~]|[^\x00-\x7f])*"'
_LOCAL = re.compile(rf"{_ATOM}(?:\.{_ATOM})*|{_QUOTED}")
_WIDE_LOCAL = re.compile(rf"{_WIDE_ATOM}(?:\.{_WIDE_ATOM})*|{_WIDE_QUOTED}")


def conforms(name: str, text: str) -> bool:
    """Whether `text` is of the format `name`; every text is of a format that nobody knows."""
    test = _TESTS.get(name)
    return test is None or test(text)


def is_date(text: str) -> bool:
    """RFC 3339 full-date: a day of the Gregorian calendar; the year 0000 counts as a leap year."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = map(int, match.groups())
    try:
        date(year or 2000, month, day)
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """RFC 3339 full-time: second 60 only where it is 23:59 in UTC."""
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    hour, minute, second, sign, east, south = match.groups()
    if second != "60":
        return True
    offset = (int(east) * 60 + int(south)) * (-1 if sign == "-" else 1) if sign else 0
    return (int(hour) * 60 + int(minute) - offset) % 1440 == 1439


def is_date_time(text: str) -> bool:
    """RFC 3339 date-time."""
    return is_date(text[:10]) and text[10:11] in ("T", "t") and is_time(text[11:])


def is_duration(text: str) -> bool:
    """RFC 3339 appendix A duration."""
    return _DURATION.fullmatch(text) is not None


def is_email(text: str) -> bool:
    """RFC 5321 section 4.1.2 Mailbox."""
    local, at, domain = text.rpartition("@")
    if not at or _LOCAL.fullmatch(local) is None:
        return False
    return _is_address(domain) or is_hostname(domain)


def is_idn_email(text: str) -> bool:
    """RFC 6531 Mailbox: Unicode in the local part and in the domain."""
    local, at, domain = text.rpartition("@")
    if not at or _WIDE_LOCAL.fullmatch(local) is None:
        return False
    # RFC 6531 asks for no normal form, which IDNA does.
    return _is_address(domain) or is_idn_hostname(domain, normalise=True)


def _is_address(domain: str) -> bool:
    if not (domain.startswith("[") and domain.endswith("]")):
        return False
    inside = domain[1:-1]
    return is_ipv6(inside[5:]) if inside[:5].lower() == "ipv6:" else is_ipv4(inside)


def is_uuid(text: str) -> bool:
    """RFC 4122 section 3, hexadecimal digits in either case."""
    return _UUID.fullmatch(text) is not None


def is_json_pointer(text: str) -> bool:
    """RFC 6901."""
    return _POINTER.fullmatch(text) is not None


def is_relative_json_pointer(text: str) -> bool:
    """Relative JSON Pointers, draft-bhutton-relative-json-pointer-00 without index arithmetic."""
    return _RELATIVE_POINTER.fullmatch(text) is not None


@lru_cache(maxsize=256)
def is_regex(text: str) -> bool:
    """ECMA-262 regular expression, u flag."""
    import regex

    from mlxjson.validate.ecma import EcmaError, to_python

    try:
        regex.compile(to_python(text), regex.V0)
    except (EcmaError, regex.error, OverflowError, RecursionError):
        return False
    return True


_TESTS: dict[str, Test] = {
    "date": is_date,
    "date-time": is_date_time,
    "duration": is_duration,
    "email": is_email,
    "hostname": is_hostname,
    "idn-email": is_idn_email,
    "idn-hostname": is_idn_hostname,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "iri": is_iri,
    "iri-reference": is_iri_reference,
    "json-pointer": is_json_pointer,
    "regex": is_regex,
    "relative-json-pointer": is_relative_json_pointer,
    "time": is_time,
    "uri": is_uri,
    "uri-reference": is_uri_reference,
    "uri-template": is_uri_template,
    "uuid": is_uuid,
}
