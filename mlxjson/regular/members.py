"""Members of bracketed classes, and the sets they make together."""

from collections.abc import Callable

from mlxjson.regular.charset import Ranges, charset, complement, union

# A set, or a category letter (d, w or s) with whether it is negated.
Member = Ranges | tuple[str, bool]
Category = Callable[[str], Ranges]


def is_category(member: Member) -> bool:
    r"""Whether the member is \d, \w, \s or the inverse of one."""
    return bool(member) and isinstance(member[0], str)


def is_inverse(member: Member) -> bool:
    r"""Whether the member is \D, \W or \S."""
    return is_category(member) and bool(member[1])


def pairs(member: Member) -> Ranges:
    """The ranges of a member that is no category."""
    return member  # type: ignore[return-value]


def single(member: Member) -> int | None:
    """The code point of a member that is one character (a surrogate counts here)."""
    if is_category(member) or len(member) != 1:
        return None
    low, high = pairs(member)[0]
    return low if low == high else None


def read_members(
    found: list[Member],
    negated: bool,
    ignoring: Callable[[Ranges], Ranges] | None,
    category: Category,
) -> Ranges:
    """The set where `category` gives what the letters d, w and s stand for."""
    listed = charset(pair for part in found if not is_category(part) for pair in pairs(part))
    if ignoring is not None:
        listed = ignoring(listed)
    for member in filter(is_category, found):
        named = category(str(member[0]))
        listed = union(listed, complement(named) if member[1] else named)
    return complement(listed) if negated else listed
