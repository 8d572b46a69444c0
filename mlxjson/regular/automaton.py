"""Deterministic automata of syntax trees, and whether a tree has any word."""

import time
from collections import deque

from mlxjson.regular.dfa import Dfa, Row
from mlxjson.regular.errors import TooLarge
from mlxjson.regular.explorer import Explorer
from mlxjson.regular.minimise import merge_equivalent
from mlxjson.regular.tree import NOTHING, Node

__all__ = ["Dfa", "Explorer", "determinise", "is_empty"]

MAX_STATES = 10_000
MAX_SECONDS = 3.0  # of this thread's CPU time, so that other work changes no outcome


def determinise(root: Node, max_states: int = MAX_STATES, seconds: float = MAX_SECONDS) -> Dfa:
    """The smallest automaton for `root` this module can make.

    Raises:
        TooLarge: more than `max_states` states or `seconds` seconds would be needed.
    """
    explorer = Explorer(root)
    numbers: dict[Node, int] = {explorer.start: 0}
    rows: list[Row] = []
    accepting: list[bool] = []
    queue = deque([explorer.start])
    deadline = time.thread_time() + seconds
    while queue:
        moves, accepts = explorer.step(queue.popleft())
        accepting.append(accepts)
        row: list[tuple[int, int, int]] = []
        for low, high, target in moves:
            if target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
            row.append((low, high, numbers[target]))
        rows.append(tuple(row))
        _check_budget(len(numbers), max_states, deadline)
    return Dfa(*merge_equivalent(rows, accepting))


def _check_budget(states: int, max_states: int, deadline: float) -> None:
    if states > max_states:
        raise TooLarge(f"the expression needs more than {max_states} states")
    if time.thread_time() > deadline:
        raise TooLarge("working out the expression takes too long")


def is_empty(root: Node, max_states: int = MAX_STATES, seconds: float = MAX_SECONDS) -> bool:
    """Whether no word belongs to `root`; stops at the first accepting state."""
    if root == NOTHING:
        return True
    explorer = Explorer(root)
    seen = {explorer.start}
    stack = [explorer.start]
    deadline = time.thread_time() + seconds
    while stack:
        moves, accepting = explorer.step(stack.pop())
        if accepting:
            return False
        for _, _, target in moves:
            if target not in seen:
                seen.add(target)
                stack.append(target)
        _check_budget(len(seen), max_states, deadline)
    return True
