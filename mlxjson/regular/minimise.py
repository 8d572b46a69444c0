"""Automata made smaller: useless states removed, equivalent ones merged."""

from collections.abc import Iterator

Row = tuple[tuple[int, int, int], ...]


def merge_equivalent(rows: list[Row], accepting: list[bool]) -> tuple[list[Row], list[bool]]:
    """The same automaton (state 0 starts) with its dead states removed and equal ones merged."""
    alive = _alive(rows, accepting)
    block = [0] * len(rows)
    fresh: dict[object, int] = {}
    for component in components(rows):
        members = [state for state in component if alive[state]]
        if members:
            _number(members, rows, accepting, alive, block, fresh)
    return _renumber(rows, accepting, alive, block)


def _alive(rows: list[Row], accepting: list[bool]) -> list[bool]:
    sources: list[list[int]] = [[] for _ in rows]
    for state, row in enumerate(rows):
        for _, _, target in row:
            sources[target].append(state)
    alive = list(accepting)
    stack = [state for state, accepts in enumerate(accepting) if accepts]
    while stack:
        for source in sources[stack.pop()]:
            if not alive[source]:
                alive[source] = True
                stack.append(source)
    return alive


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


def _number(
    members: list[int],
    rows: list[Row],
    accepting: list[bool],
    alive: list[bool],
    block: list[int],
    fresh: dict[object, int],
) -> None:
    """Give the states of one component block numbers; everything they lead to has one already."""
    inside = set(members)
    colours = dict.fromkeys(members, 0)
    while True:
        signatures = {
            state: (
                accepting[state],
                _merge(
                    (low, high, colours[to] if to in inside else -1 - block[to])
                    for low, high, to in rows[state]
                    if alive[to]
                ),
            )
            for state in members
        }
        names: dict[object, int] = {}
        finer = {state: names.setdefault(signatures[state], len(names)) for state in members}
        if len(names) == len(set(colours.values())):
            break
        colours = finer
    _share(members, signatures, finer, block, fresh)


def _share(
    members: list[int],
    signatures: dict[int, tuple[bool, Row]],
    colours: dict[int, int],
    block: list[int],
    fresh: dict[object, int],
) -> None:
    """Blocks for the colours; a component of one colour may be equal to an earlier one."""
    if len(set(colours.values())) == 1:
        number = fresh.setdefault(signatures[members[0]], len(fresh))
        for state in members:
            block[state] = number
        return
    base = {colour: len(fresh) + colour for colour in set(colours.values())}
    for colour, number in base.items():
        fresh["component", number, colour] = number
    for state in members:
        block[state] = base[colours[state]]


def _merge(moves: Iterator[tuple[int, int, int]]) -> Row:
    merged: list[tuple[int, int, int]] = []
    for low, high, target in moves:
        if merged and merged[-1][1] + 1 == low and merged[-1][2] == target:
            merged[-1] = (merged[-1][0], high, target)
        else:
            merged.append((low, high, target))
    return tuple(merged)


def _renumber(
    rows: list[Row], accepting: list[bool], alive: list[bool], block: list[int]
) -> tuple[list[Row], list[bool]]:
    if not alive[0]:
        return [()], [False]
    representative: dict[int, int] = {}
    for state, number in enumerate(block):
        if alive[state]:
            representative.setdefault(number, state)
    order = {block[0]: 0}
    queue = [block[0]]
    result: list[Row] = []
    for number in queue:
        row = []
        for low, high, to in rows[representative[number]]:
            if alive[to]:
                if block[to] not in order:
                    order[block[to]] = len(order)
                    queue.append(block[to])
                row.append((low, high, order[block[to]]))
        result.append(_merge(iter(row)))
    return result, [accepting[representative[number]] for number in queue]
