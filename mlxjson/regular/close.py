"""From the tree of an expression to a closed language: anchors and search resolved.

Anchors at the edges, where nearly all of them stand, become plain trees; look-aheads at the start
become intersections and complements; what is left is closed in for the automaton.
"""

from mlxjson.regular.measure import span
from mlxjson.regular.python import DOLLAR
from mlxjson.regular.reader import END, START
from mlxjson.regular.tree import (
    EVERYTHING,
    Alt,
    And,
    Assert,
    Look,
    Node,
    Repeat,
    Seq,
    alt,
    conjunction,
    contextual,
    negation,
    plain,
    repeat,
    seq,
)

MAX_BRANCHES = 64


def close(node: Node, left_open: bool, right_open: bool) -> Node:
    """The texts that `node` matches, with anything before or after it where a side is open."""
    return alt(_branch(items, left_open, right_open) for items in _branches(node))


def _branches(node: Node) -> list[tuple[Node, ...]]:
    """Alternatives as sequences, so that no alternative at an edge hides an anchor."""
    todo: list[Node] = [node]
    done: list[tuple[Node, ...]] = []
    while todo:
        current = todo.pop()
        items = current.items if isinstance(current, Seq) else (current,)
        place = _anchored_choice(items) if len(todo) + len(done) < MAX_BRANCHES else None
        if place is None:
            done.append(items)
            continue
        choice = items[place]
        for option in reversed(_options(choice)):
            todo.append(seq((*items[:place], option, *items[place + 1 :])))
    return done


def _anchored_choice(items: tuple[Node, ...]) -> int | None:
    """Where the first or last item is a choice with anchors or look-aheads in it."""
    for place in (0, len(items) - 1):
        if items and items[place] != DOLLAR and _options(items[place]) and contextual(items[place]):
            return place
    return None


def _options(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Alt):
        return node.items
    if isinstance(node, Repeat) and (node.least, node.most) == (0, 1):
        return (node.item, Seq(()))
    return ()


def _branch(items: tuple[Node, ...], left_open: bool, right_open: bool) -> Node:
    items = _drop_final(items, right_open)
    head = _edge(items)
    tail = _edge(items[::-1]) if head < len(items) else 0
    middle = items[head : len(items) - tail]
    before, after = items[:head], items[len(items) - tail :]
    if START in before:
        left_open = False
        before = tuple(item for item in before if item != START)
    if END in after:
        right_open = False
        after = tuple(item for item in after if item != END)
    looks = [item for item in before if isinstance(item, Look)]
    if not left_open and len(looks) == len(before):
        rest = _open(middle + after, False, right_open)
        return conjunction((rest, *map(_seen, looks)))
    return _open((*before, *middle, *after), left_open, right_open)


def _drop_final(items: tuple[Node, ...], right_open: bool) -> tuple[Node, ...]:
    """Where the text ends anyway, `$` at the end of the expression says nothing more."""
    while not right_open and items and items[-1] == DOLLAR:
        items = items[:-1]
    return items


def _edge(items: tuple[Node, ...]) -> int:
    """How many items at the start match only the empty word."""
    count = 0
    while count < len(items) and isinstance(items[count], (Assert, Look)):
        count += 1
    return count


def _seen(look: Look) -> Node:
    """The texts that begin as a look-ahead at their start asks."""
    begins = close(look.item, False, True)
    return negation(begins) if look.negative else begins


def _open(items: tuple[Node, ...], left_open: bool, right_open: bool) -> Node:
    if left_open:
        items = (EVERYTHING, *_trim(items))
    if right_open:
        items = (*_trim(items[::-1])[::-1], EVERYTHING)
    node = seq(items)
    return And((node,)) if contextual(node) else node


def _trim(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """Beside anything at all, what may be empty adds nothing, and the fewest repetitions do."""
    while items and items[0] != EVERYTHING and plain(items[0]):
        lengths = span(items[0])
        if lengths is None or lengths[0] > 0:
            break
        items = items[1:]
    if items and isinstance(items[0], Repeat) and plain(items[0]):
        first = items[0]
        return (repeat(first.item, first.least, first.least), *items[1:])
    return items
