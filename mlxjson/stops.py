"""Stop strings: the text ends before the first of them."""

from collections.abc import Sequence


class Stops:
    """Lets text through up to a stop string, and holds back what may become one."""

    def __init__(self, stops: Sequence[str]) -> None:
        """Args: stops: none of them empty."""
        self.found: str | None = None
        self._stops = tuple(stops)
        self._held = ""

    def feed(self, text: str) -> str:
        """The text that is certain once `text` has come; nothing after a stop string."""
        if self.found is not None:
            return ""
        text, self._held = self._held + text, ""
        places = [(text.find(stop), stop) for stop in self._stops if stop in text]
        if places:
            at, self.found = min(places)
            return text[:at]
        keep = len(text) - self._unfinished(text)
        self._held = text[keep:]
        return text[:keep]

    def close(self) -> str:
        """What was held back in vain."""
        held, self._held = self._held, ""
        return held

    def _unfinished(self, text: str) -> int:
        """How many characters at the end may begin a stop string."""
        longest = max((len(stop) for stop in self._stops), default=1)
        for length in range(min(longest - 1, len(text)), 0, -1):
            if any(stop.startswith(text[-length:]) for stop in self._stops):
                return length
        return 0
