"""Regular languages over Unicode code points: algebra, two dialects, and their grammar text."""

from mlxjson.regular.ebnf import to_ebnf
from mlxjson.regular.errors import EmptyLanguage, RegexError, TooLarge
from mlxjson.regular.language import Language

__all__ = ["EmptyLanguage", "Language", "RegexError", "TooLarge", "to_ebnf"]
