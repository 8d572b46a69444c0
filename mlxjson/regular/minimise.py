"""Automata made smaller: useless states removed, equivalent ones merged."""

from collections.abc import Iterator

from mlxjson.regular.dfa import Row


def merge_equivalent(rows: list[Row], accepting: list[bool]) -> tuple[list[Row], list[bool]]:
    """The same automaton (state 0 starts) with its dead states removed and equal ones merged."""
    merger = _Merger(rows, accepting)
    for component in components(rows):
        members = [state for state in component if merger.distance[state] is not None]
        if members:
            merger.number(members)
    return merger.result()


def _distances(rows: list[Row], accepting: list[bool]) -> list[int | None]:
    """Steps from each state to an accepting one; None where no word gets there."""
    sources: list[list[int]] = [[] for _ in rows]
    for state, row in enumerate(rows):
        for _, _, target in row:
            sources[target].append(state)
    distance: list[int | None] = [0 if accepts else None for accepts in accepting]
    queue = [state for state, accepts in enumerate(accepting) if accepts]
    steps = 0
    while queue:
        steps += 1
        reached = []
        for state in queue:
            for source in sources[state]:
                if distance[source] is None:
                    distance[source] = steps
                    reached.append(source)
        queue = reached
    return distance


def components(rows: list[Row]) -> Iterator[list[int]]:
    """Strongly connected components, each after all it leads to (Tarjan, without recursion)."""
    index = [0] * len(rows)
    low = [0] * len(rows)
    on_stack = [False] * len(rows)
    stack: list[int] = []
    counter = 0
    for root in range(len(rows)):
        if index[root]:
            continue
        work = [(root, iter(rows[root]))]
        counter += 1
        index[root] = low[root] = counter
        stack.append(root)
        on_stack[root] = True
        while work:
            state, moves = work[-1]
            for _, _, target in moves:
                if not index[target]:
                    counter += 1
                    index[target] = low[target] = counter
                    stack.append(target)
                    on_stack[target] = True
                    work.append((target, iter(rows[target])))
                    break
                if on_stack[target]:
                    low[state] = min(low[state], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[state])
                if low[state] == index[state]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack[member] = False
                        component.append(member)
                        if member == state:
                            break
                    yield component


class _Merger:
    """Gives every state that leads to an end the number of its block of equal states."""

    def __init__(self, rows: list[Row], accepting: list[bool]) -> None:
        self.rows = rows
        self.accepting = accepting
        self.distance = _distances(rows, accepting)
        self.block = [0] * len(rows)
        self._blocks: dict[object, int] = {}

    def number(self, members: list[int]) -> None:
        """Blocks for one component; what lies behind it has its blocks already (Moore, 1956)."""
        names: dict[object, int] = {}
        # Equal states are equally far from an end: a start that splits long chains at once.
        colours = {s: names.setdefault(self.distance[s], len(names)) for s in members}
        while True:
            signatures = {state: self._signature(state, colours) for state in members}
            finer_names: dict[object, int] = {}
            finer = {s: finer_names.setdefault(signatures[s], len(finer_names)) for s in members}
            settled = len(finer_names) == len(names)
            colours, names = finer, finer_names
            if settled:
                break
        self._share(members, signatures, colours)

    def _signature(self, state: int, colours: dict[int, int]) -> tuple[object, ...]:
        moves = (
            (low, high, colours[to] if to in colours else -1 - self.block[to])
            for low, high, to in self.rows[state]
            if self.distance[to] is not None
        )
        return self.accepting[state], colours[state], _merge(moves)

    def _share(
        self,
        members: list[int],
        signatures: dict[int, tuple[object, ...]],
        colours: dict[int, int],
    ) -> None:
        """Blocks for the colours; a component of one colour may be equal to an earlier one."""
        if len(set(colours.values())) == 1:
            number = self._blocks.setdefault(signatures[members[0]], len(self._blocks))
            for state in members:
                self.block[state] = number
            return
        first = len(self._blocks)
        for colour in set(colours.values()):
            self._blocks["component", first, colour] = first + colour
        for state in members:
            self.block[state] = first + colours[state]

    def result(self) -> tuple[list[Row], list[bool]]:
        """The automaton of the blocks, numbered in the order in which they are reached."""
        if self.distance[0] is None:
            return [()], [False]
        representative: dict[int, int] = {}
        for state, number in enumerate(self.block):
            if self.distance[state] is not None:
                representative.setdefault(number, state)
        order = {self.block[0]: 0}
        queue = [self.block[0]]
        rows: list[Row] = []
        for number in queue:
            row = []
            for low, high, to in self.rows[representative[number]]:
                if self.distance[to] is None:
                    continue
                if self.block[to] not in order:
                    order[self.block[to]] = len(order)
                    queue.append(self.block[to])
                row.append((low, high, order[self.block[to]]))
            rows.append(_merge(iter(row)))
        return rows, [self.accepting[representative[number]] for number in queue]


def _merge(moves: Iterator[tuple[int, int, int]]) -> Row:
    merged: list[tuple[int, int, int]] = []
    for low, high, target in moves:
        if merged and merged[-1][1] + 1 == low and merged[-1][2] == target:
            merged[-1] = (merged[-1][0], high, target)
        else:
            merged.append((low, high, target))
    return tuple(merged)
