"""A finite set of texts by their common prefixes."""

from collections.abc import Iterator

from mlxjson.regular.dfa import Row

# Deeper than this, alternatives are listed: each level is a level of brackets in the grammar.
MAX_DEPTH = 40


def prefix_automaton(texts: tuple[str, ...]) -> tuple[list[Row], list[bool]]:
    """Rows and accepting states that take exactly `texts`, which hold no surrogates.

    State 0 starts. The time is linear in the size of the texts, and nothing is merged.
    """
    children: list[dict[str, int]] = [{}]
    accepting = [False]
    for text in texts:
        state = 0
        for char in text:
            target = children[state].get(char)
            if target is None:
                target = children[state][char] = len(children)
                children.append({})
                accepting.append(False)
            state = target
        accepting[state] = True
    rows: list[Row] = [
        tuple((ord(char), ord(char), to) for char, to in sorted(ways.items())) for ways in children
    ]
    return rows, accepting


def branches(texts: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Sorted, different texts in groups by their first character.

    Yields the longest common beginning of each group and what follows it in each of its texts.
    """
    start = 0
    while start < len(texts):
        first = texts[start][:1]
        end = start + 1
        while first and end < len(texts) and texts[end][:1] == first:
            end += 1
        head = _beginning(texts[start], texts[end - 1])
        yield head, [text[len(head) :] for text in texts[start:end]]
        start = end


def _beginning(first: str, last: str) -> str:
    """What two texts have in common at their start."""
    length = 0
    while length < min(len(first), len(last)) and first[length] == last[length]:
        length += 1
    return first[:length]
