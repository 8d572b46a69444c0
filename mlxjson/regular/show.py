"""Trees as short text, for messages and debugging."""

from mlxjson.regular import tree
from mlxjson.regular.charset import FULL, Ranges, complement


def show(node: tree.Node) -> str:
    """`node` in the notation of regular expressions, with & and ~ added."""
    if isinstance(node, tree.Chars):
        return _show_set(node.ranges)
    if isinstance(node, tree.Text):
        return repr(node.text)
    if isinstance(node, tree.Words):
        return f"<{len(node.texts)} words>"
    if isinstance(node, tree.Seq):
        return "(" + " ".join(show(item) for item in node.items) + ")"
    if isinstance(node, tree.Alt):
        return "(" + " | ".join(show(item) for item in node.items) + ")"
    if isinstance(node, tree.Repeat):
        return f"{show(node.item)}{{{node.least},{'' if node.most is None else node.most}}}"
    if isinstance(node, tree.And):
        return "(" + " & ".join(show(item) for item in node.items) + ")"
    return "~" + show(node.item) if isinstance(node, tree.Not) else f"<{type(node).__name__}>"


def _show_set(ranges: Ranges) -> str:
    if ranges == FULL:
        return "."
    outside = complement(ranges)
    if len(outside) < len(ranges):
        return "[^" + _show_ranges(outside) + "]"
    return "[" + _show_ranges(ranges) + "]"


def _show_ranges(ranges: Ranges) -> str:
    shown = [chr(low) if low == high else f"{chr(low)}-{chr(high)}" for low, high in ranges[:8]]
    return "".join(shown) + ("…" if len(ranges) > 8 else "")
