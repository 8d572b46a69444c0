"""Words read off an automaton."""

from collections import deque
from collections.abc import Iterator

from mlxjson.regular.automaton import Dfa
from mlxjson.regular.errors import EmptyLanguage
from mlxjson.regular.measure import typical
from mlxjson.regular.minimise import components


def dfa_shortest(dfa: Dfa) -> str:
    """A shortest word. Raises EmptyLanguage if there is none."""
    if not dfa.rows[0] and not dfa.accepting[0]:
        raise EmptyLanguage("no text fits")
    reached: dict[int, tuple[int, str] | None] = {0: None}
    queue = deque([0])
    while queue:
        state = queue.popleft()
        if dfa.accepting[state]:
            return _trace(reached, state)
        for low, high, target in dfa.rows[state]:
            if target not in reached:
                reached[target] = state, typical(((low, high),))
                queue.append(target)
    raise EmptyLanguage("no text fits")


def _trace(reached: dict[int, tuple[int, str] | None], state: int) -> str:
    letters: list[str] = []
    while (came := reached[state]) is not None:
        state = came[0]
        letters.append(came[1])
    return "".join(reversed(letters))


def _counts(dfa: Dfa) -> tuple[list[int], list[int]] | None:
    """For each state of a finite language: how many words start there, and the longest length."""
    number = [0] * len(dfa.rows)
    longest = [0] * len(dfa.rows)
    for component in components(dfa.rows):
        state = component[0]
        if len(component) > 1 or any(to == state for _, _, to in dfa.rows[state]):
            return None
        number[state] = int(dfa.accepting[state])
        for low, high, to in dfa.rows[state]:
            number[state] += (high - low + 1) * number[to]
            longest[state] = max(longest[state], longest[to] + 1)
    return number, longest


def dfa_max_length(dfa: Dfa) -> int | None:
    """Code points in a longest word, None without end; 0 if there is no word."""
    counted = _counts(dfa)
    return None if counted is None else counted[1][0]


def dfa_words(dfa: Dfa, limit: int) -> list[str] | None:
    """All words in code point order, or None if they are more than `limit`."""
    counted = _counts(dfa)
    if counted is None or counted[0][0] > limit:
        return None
    return list(_walk(dfa))


def _walk(dfa: Dfa) -> Iterator[str]:
    stack = [(0, "")]
    while stack:
        state, word = stack.pop()
        if dfa.accepting[state]:
            yield word
        for low, high, to in reversed(dfa.rows[state]):
            stack += [(to, word + chr(code)) for code in range(high, low - 1, -1)]
