"""The moves of states, worked out when they are asked for.

A state is a set of continuations (tuples of nodes still to be matched): Antimirov's partial
derivatives (Theoretical Computer Science 155, 1996), with intersections and complements carried
along as Brzozowski's derivatives (JACM 11, 1964).
"""

from collections.abc import Iterable

from mlxjson.regular.charset import FULL, Ranges, contains, difference, intersect
from mlxjson.regular.dfa import Dfa
from mlxjson.regular.errors import TooLarge
from mlxjson.regular.tree import (
    EMPTY,
    EVERYTHING,
    Alt,
    And,
    Assert,
    Chars,
    Look,
    Machine,
    Node,
    Not,
    Repeat,
    Seq,
    State,
    Text,
    Words,
    again,
)
from mlxjson.regular.trie import prefix_automaton

MAX_WORK = 400_000

Thread = tuple[Node, ...]
Moves = tuple[tuple[int, int, Node], ...]
Looks = tuple[Node, ...]
START = -1
UNIVERSAL = State(frozenset({(EVERYTHING,)}), 0)


class Explorer:
    """Works out the moves of states and keeps them."""

    def __init__(self, root: Node) -> None:
        self._marks = tuple(_assert_sets(root))
        self._known: dict[Node, tuple[Moves, bool]] = {}
        self._closures: dict[tuple[Thread, int], tuple[list[tuple[Ranges, Thread]], bool]] = {}
        self._work = 0
        self.start = self.closed(root)

    def closed(self, node: Node) -> Node:
        """The state at the start of a closed language."""
        if isinstance(node, (State, Machine)):
            return node
        if isinstance(node, And):
            return And(tuple(self.closed(item) for item in node.items))
        if isinstance(node, Not):
            return Not(self.closed(node.item))
        if isinstance(node, Words):
            return Machine(Dfa(*prefix_automaton(node.texts)))
        return State(frozenset({_flat((node,))}), START if self._marks else 0)

    def step(self, state: Node) -> tuple[Moves, bool]:
        """The moves out of `state`, sorted and disjoint, and whether it accepts."""
        known = self._known.get(state)
        if known is None:
            known = self._known[state] = self._work_out(state)
        return known

    def _work_out(self, state: Node) -> tuple[Moves, bool]:
        if isinstance(state, State):
            return self._step_threads(state)
        if isinstance(state, Not):
            moves, accepting = self.step(state.item)
            return _complement(moves), not accepting
        if isinstance(state, And):
            steps = [self.step(item) for item in state.items]
            moves = steps[0][0]
            for other, _ in steps[1:]:
                moves = tuple(_product(moves, other))
            return moves, all(accepting for _, accepting in steps)
        assert isinstance(state, Machine)
        dfa = state.dfa
        row = dfa.rows[state.state]
        return tuple((lo, hi, Machine(dfa, to)) for lo, hi, to in row), dfa.accepting[state.state]

    def _step_threads(self, state: State) -> tuple[Moves, bool]:
        moves: list[tuple[Ranges, Thread]] = []
        accepting = False
        for thread in state.threads:
            more, ends = self._closure(thread, state.before)
            moves += more
            accepting = accepting or ends
        self.spend(len(moves))
        return tuple(self._sweep(moves)), accepting

    def spend(self, work: int) -> None:
        """Count what was done, up to a bound."""
        self._work += work
        if self._work > MAX_WORK:
            raise TooLarge("the expression can be read in too many ways")

    def _closure(self, thread: Thread, before: int) -> tuple[list[tuple[Ranges, Thread]], bool]:
        known = self._closures.get((thread, before))
        if known is None:
            known = self._closures[thread, before] = _Closure(self, before).run(thread)
        return known

    def _sweep(self, moves: list[tuple[Ranges, Thread]]) -> Iterable[tuple[int, int, Node]]:
        """Cut overlapping moves into disjoint ranges, each with the set of its continuations."""
        events: list[tuple[int, int, Thread | None]] = []
        for ranges, thread in moves:
            for low, high in ranges:
                events.append((low, 1, thread))
                events.append((high + 1, -1, thread))
        if events:
            for ranges in self._marks:
                events += [(edge, 0, None) for low, high in ranges for edge in (low, high + 1)]
        events.sort(key=_place)
        return self._cut(events)

    def _cut(self, events: list[tuple[int, int, Thread | None]]) -> Iterable[tuple[int, int, Node]]:
        active: dict[Thread, int] = {}
        pending: tuple[int, int, Node] | None = None
        for index, (place, change, thread) in enumerate(events):
            if thread is not None:
                count = active.get(thread, 0) + change
                if count:
                    active[thread] = count
                else:
                    active.pop(thread, None)
            after = events[index + 1][0] if index + 1 < len(events) else place
            if after == place or not active:
                continue
            target = self._target(frozenset(active), place)
            if pending and pending[1] + 1 == place and pending[2] == target:
                pending = (pending[0], after - 1, target)
                continue
            if pending:
                yield pending
            pending = (place, after - 1, target)
        if pending:
            yield pending

    def _target(self, threads: frozenset[Thread], code: int) -> Node:
        if len(threads) == 1:
            (only,) = threads
            if len(only) == 1 and isinstance(only[0], (And, Not, Machine, State)):
                return self.closed(only[0])
            if only == (EVERYTHING,):
                return UNIVERSAL
        before = 0
        for bit, ranges in enumerate(self._marks):
            if contains(ranges, code):
                before |= 1 << bit
        return State(threads, before)

    def pieces(self, ranges: Ranges) -> list[tuple[Ranges, int]]:
        """`ranges` cut where anchors tell characters apart, each with the sets it lies in."""
        found = [(ranges, 0)]
        for bit, marked in enumerate(self._marks):
            found = [
                pair
                for piece, before in found
                for pair in (
                    (intersect(piece, marked), before | 1 << bit),
                    (difference(piece, marked), before),
                )
            ]
        return [(piece, before) for piece, before in found if piece]

    def holds(self, node: Assert, before: int) -> bool:
        """Whether `node` fits what was read last."""
        if before == START:
            return node.start
        return bool(node.before) and bool(before >> self._marks.index(node.before) & 1)


class _Closure:
    """Follows one continuation up to the next character.

    An entry of the stack is what is left to match, the characters that may come next, whether the
    text may end here, and the conditions of look-aheads passed on the way.
    """

    def __init__(self, explorer: Explorer, before: int) -> None:
        self.explorer = explorer
        self.before = before
        self.moves: list[tuple[Ranges, Thread]] = []
        self.accepting = False
        self.stack: list[tuple[Thread, Ranges, bool, Looks]] = []

    def run(self, thread: Thread) -> tuple[list[tuple[Ranges, Thread]], bool]:
        """The moves (set, continuation) and whether the word may end here."""
        self.stack.append((thread, FULL, True, ()))
        seen = set()
        while self.stack:
            entry = self.stack.pop()
            if entry in seen:
                continue
            seen.add(entry)
            self._visit(*entry)
        self.explorer.spend(len(seen))
        return self.moves, self.accepting

    def _visit(self, thread: Thread, after: Ranges, end: bool, looks: Looks) -> None:
        if not thread:
            ends = end and all(self.explorer.step(look)[1] for look in looks)
            self.accepting = self.accepting or ends
            return
        head, rest = thread[0], thread[1:]
        if isinstance(head, Chars):
            self._move(head.ranges, rest, after, looks)
        elif isinstance(head, Text):
            self._move_text(head.text, rest, after, looks)
        elif isinstance(head, Assert):
            if self.explorer.holds(head, self.before):
                end = end and head.end
                self.stack.append((rest, intersect(after, head.after), end, looks))
        elif isinstance(head, Look):
            self.stack.append((rest, after, end, self._noting(head, looks)))
        elif isinstance(head, (Seq, Alt, Repeat)):
            self.stack += [(more, after, end, looks) for more in _unfold(head, rest)]
        else:
            moves, accepting = self.explorer.step(self.explorer.closed(head))
            for low, high, target in moves:
                self._move(((low, high),), (target, *rest), after, looks)
            if accepting:
                self.stack.append((rest, after, end, looks))

    def _move(self, ranges: Ranges, rest: Thread, after: Ranges, looks: Looks) -> None:
        ranges = ranges if after is FULL else intersect(ranges, after)
        if not looks:
            self.moves.append((ranges, _flat(rest)))
            return
        state = And(looks) if len(looks) > 1 else looks[0]
        for low, high, target in self.explorer.step(state)[0]:
            for piece, before in self.explorer.pieces(intersect(ranges, ((low, high),))):
                both = both_states(State(frozenset({_flat(rest)}), before), target)
                self.moves.append((piece, (both,)))

    def _move_text(self, text: str, rest: Thread, after: Ranges, looks: Looks) -> None:
        code = ord(text[0])
        later = (Text(text[1:]), *rest) if len(text) > 1 else rest
        self._move(((code, code),), later, after, looks)

    def _noting(self, head: Look, looks: Looks) -> Looks:
        seen: Node = State(frozenset({_flat((head.item, EVERYTHING))}), self.before)
        condition = Not(seen) if head.negative else seen
        return looks if condition in looks else (*looks, condition)


def _unfold(head: Seq | Alt | Repeat, rest: Thread) -> list[Thread]:
    """The continuations that together are `head` and then `rest`."""
    if isinstance(head, Seq):
        return [head.items + rest]
    if isinstance(head, Alt):
        return [(item, *rest) for item in head.items]
    later = again(head)
    once = (head.item, *rest) if later is EMPTY else (head.item, later, *rest)
    return [once] if head.least else [rest, once]


def _flat(thread: Thread) -> Thread:
    while thread and isinstance(thread[0], Seq):
        thread = thread[0].items + thread[1:]
    return thread


def _place(event: tuple[int, int, Thread | None]) -> int:
    return event[0]


def _assert_sets(root: Node) -> dict[Ranges, None]:
    """The sets of characters that anchors in the tree look back at."""
    found: dict[Ranges, None] = {}
    stack = [root]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Assert):
            found[node.before] = None
        elif isinstance(node, (Seq, Alt, And)):
            stack.extend(node.items)
        elif isinstance(node, (Repeat, Not, Look)):
            stack.append(node.item)
    return found


def _product(a: Moves, b: Moves) -> Iterable[tuple[int, int, Node]]:
    i = j = 0
    while i < len(a) and j < len(b):
        low, high = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if low <= high:
            yield low, high, both_states(a[i][2], b[j][2])
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1


def both_states(a: Node, b: Node) -> Node:
    """The state of being in both."""
    parts: dict[Node, None] = {}
    for node in (a, b):
        for item in node.items if isinstance(node, And) else (node,):
            if item != UNIVERSAL:
                parts[item] = None
    if not parts:
        return UNIVERSAL
    return next(iter(parts)) if len(parts) == 1 else And(tuple(parts))


def _complement(moves: Moves) -> Moves:
    result: list[tuple[int, int, Node]] = [
        (low, high, target.item if isinstance(target, Not) else Not(target))
        for low, high, target in moves
        if target != UNIVERSAL
    ]
    start = 0
    for low, high, _ in (*moves, (0x110000, 0, UNIVERSAL)):
        if start < low and start <= 0xD7FF:
            result.append((start, min(low - 1, 0xD7FF), UNIVERSAL))
        if start < low and low > 0xE000:
            result.append((max(start, 0xE000), low - 1, UNIVERSAL))
        start = high + 1
    result.sort(key=_lowest)
    return tuple(result)


def _lowest(move: tuple[int, int, Node]) -> int:
    return move[0]
