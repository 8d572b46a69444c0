"""One vocabulary, one compiler: grammar text in, `Compiled` out, `Matcher` from that."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from threading import Lock

from mlxjson.cachefiles import Cache, key_of
from mlxjson.grammar.bounds import check_text
from mlxjson.grammar.cost import burden, may_be_ambiguous
from mlxjson.grammar.engine import Handle, xgr
from mlxjson.grammar.finite import check_finite, shortest_lengths
from mlxjson.grammar.graph import read_graph, with_values
from mlxjson.grammar.lark import with_schemas
from mlxjson.grammar.mask import Words, mask_of
from mlxjson.grammar.matcher import Matcher
from mlxjson.grammar.messages import placed, reported
from mlxjson.grammar.sources import EbnfSource, LarkSource, Source
from mlxjson.grammar.trial import try_out
from mlxjson.grammar.unicode import leave_out_surrogates
from mlxjson.vocabulary import Vocabulary

_MOST_REMEMBERED = 16
_WORTH_REMEMBERING = 10_000
# In characters. Above it, a grammar is compiled in a child first.
_LARGE = 100_000
_LARGE_TRUSTED = 1_000_000

Encode = Callable[[str], Sequence[int]]


class Engine:
    """Compiles grammars for one vocabulary.

    Args:
        vocabulary: what each id writes. Ids that write nothing are never allowed, except stop ids.
        cache_dir: the folder that remembers which large grammars compiled well; None keeps nothing
            on disk. Compiled grammars themselves are not kept: reading one back takes longer than
            compiling it anew (500 properties: 14 s and 257 MB, because all masks are built for
            it, against 15 ms), and so it is with the vocabulary (24 ms read back, 22 ms made).
        encode: the tokenizer's own encoding of a text without special tokens, so that forced
            text is cut as the model would cut it; None cuts it by longest match.
        eager: build all masks while compiling. Slower to start and faster per token: for
            thousands of documents of one grammar.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        cache_dir: Path | None = None,
        encode: Encode | None = None,
        eager: bool = False,
    ) -> None:
        self.vocabulary = vocabulary
        self._cache = Cache(cache_dir)
        self._lock = Lock()
        self._compiled: OrderedDict[tuple[Source, bool], Compiled] = OrderedDict()
        self.encode = encode
        self.stop_mask: Words = mask_of(vocabulary.stop_ids, vocabulary.width)
        self._info = tokenizer_info(vocabulary)
        self._compiler = xgr.GrammarCompiler(
            self._info,
            enable_dynamic_compilation=not eager,
            max_threads=8 if eager else 2,
            # Its own cache has no bound, and filling it doubles the time of the first compile.
            cache_enabled=False,
        )

    def compile(self, source: Source, *, trusted: bool = False) -> "Compiled":
        """Compile `source`.

        `trusted` marks grammars of our own making. They skip the analysis, up to the moment when
        somebody asks a matcher for forced text: schemas can still need texts of 2^30 characters.

        Raises:
            ConstraintError: the text is no grammar, has no sentence, or is too large.
        """
        key = (source, trusted)
        with self._lock:
            compiled = self._compiled.pop(key, None) or self._compile(source, trusted)
            self._compiled[key] = compiled
            if len(self._compiled) > _MOST_REMEMBERED:
                self._compiled.popitem(last=False)
        return compiled

    def _compile(self, source: Source, trusted: bool) -> "Compiled":
        if not trusted:
            check_text(source)
            if isinstance(source, LarkSource):
                source = with_schemas(source, None)
        if len(source.text) > (_LARGE_TRUSTED if trusted else _LARGE):
            self._try_out(source, f"its text has {len(source.text):,} characters")
        with reported(source, quiet=trusted):
            grammar = self.parse(source)
        if not trusted:
            grammar = self._checked(grammar, source)
        elif may_be_ambiguous(source.text):
            self._bearable(grammar, source)
        with reported(source, quiet=trusted):
            return self.finish(grammar, source if trusted else None)

    def _bearable(self, grammar: Handle, source: Source) -> None:
        """Try out a grammar of our own that a user's pattern may have made expensive."""
        graph = read_graph(grammar)
        if heavy := burden(graph, shortest_lengths(graph)):
            self._try_out(source, heavy)

    def _try_out(self, source: Source, burden: str) -> None:
        key = key_of(version("xgrammar"), self.vocabulary.fingerprint, repr(source))
        if self._cache.get("trials", key) is None:
            try_out(source, self.vocabulary, burden)
            self._cache.put("trials", key, b"passed")

    def parse(self, source: Source) -> Handle:
        """The grammar of `source` as xgrammar reads it. Raises: RuntimeError."""
        if isinstance(source, EbnfSource):
            return xgr.Grammar.from_ebnf(source.text)
        named = {name: xgr.Grammar.from_ebnf(text) for name, text in source.named}
        return xgr.Grammar.from_lark(
            source.text, tokenizer_info=self._info, named_grammars=named or None
        )

    def finish(self, grammar: Handle, unchecked: Source | None = None) -> "Compiled":
        """Compile a parsed grammar, made from `unchecked` if it still has to be checked.

        Raises: RuntimeError.
        """
        handle = self._compiler.compile_grammar(grammar)
        return Compiled(self, handle, None if unchecked is None else (grammar, unchecked))

    def check_ends(self, grammar: Handle, source: Source) -> None:
        """Raises: ConstraintError when `grammar`, made from `source`, has no text short enough."""
        key = key_of("ends", version("xgrammar"), repr(source))
        # For small ones, looking on disk takes as long as looking again.
        cache = self._cache if len(source.text) > _WORTH_REMEMBERING else Cache(None)
        if cache.get("trials", key) is None:
            with placed(source):
                graph = read_graph(grammar)
                check_finite(graph, shortest_lengths(graph))
            cache.put("trials", key, b"passed")

    def _checked(self, grammar: Handle, source: Source) -> Handle:
        """`grammar`, known to end and to be bearable, with surrogates taken out."""
        with placed(source):
            graph = read_graph(grammar)
            changed = leave_out_surrogates(graph)
            lengths = shortest_lengths(graph)
            check_finite(graph, lengths)
        if heavy := burden(graph, lengths):
            self._try_out(source, heavy)
        return with_values(grammar, graph) if changed else grammar

    def speaks(self, token_id: int) -> bool:
        """Whether `token_id` writes text or ends the generation."""
        tokens = self.vocabulary.tokens
        if 0 <= token_id < len(tokens) and tokens[token_id]:
            return True
        return token_id in self.vocabulary.stop_ids


def tokenizer_info(vocabulary: Vocabulary) -> Handle:
    """xgrammar's form of the vocabulary, with ids up to `width` that no grammar can produce."""
    return xgr.TokenizerInfo(
        list(vocabulary.tokens),
        xgr.VocabType.RAW,
        vocab_size=vocabulary.width,
        stop_token_ids=sorted(vocabulary.stop_ids),
    )


class Compiled:
    """A grammar ready to match; cheap to make matchers from."""

    def __init__(
        self, engine: Engine, handle: Handle, unchecked: tuple[Handle, Source] | None = None
    ) -> None:
        self.engine = engine
        self._handle = handle
        self._unchecked = unchecked

    def matcher(self) -> Matcher:
        """A matcher at the start of the grammar."""
        return Matcher(self, xgr.GrammarMatcher(self._handle))

    def check_ends(self) -> None:
        """Make sure, once, that no forced text of this grammar is endless or as good as endless.

        Raises: ConstraintError.
        """
        if self._unchecked is not None:
            self.engine.check_ends(*self._unchecked)
            self._unchecked = None
