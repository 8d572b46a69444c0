"""Repetitions that give nothing back, as far as they are regular in an obvious way."""

from mlxjson.regular.charset import FULL, complement
from mlxjson.regular.tree import Assert, Look, Node, Repeat, alt, repeat, seq, single_set


def follows_not(item: Node) -> Node:
    """The empty word where no word of `item` begins."""
    single = single_set(item)
    if single is None:
        return Look(item, True)
    return Assert(FULL, True, complement(single), True)


def greedy_end(item: Repeat) -> Node:
    """An item of fixed length repeated as often as it can, giving nothing back."""
    stop = follows_not(item.item)
    if item.most is None:
        return seq((item, stop))
    short = repeat(item.item, item.least, item.most - 1) if item.most > item.least else None
    full = repeat(item.item, item.most, item.most)
    return full if short is None else alt((full, seq((short, stop))))
