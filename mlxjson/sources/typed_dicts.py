"""TypedDicts of `typing` as those of `typing_extensions`, which Pydantic asks for up to 3.11."""

import functools
import operator
import sys
import types
import typing
from typing import Any

import typing_extensions

_Known = dict[type, Any]


def accepted(kind: Any) -> Any:
    """`kind` with every TypedDict in it as Pydantic takes it; other classes are left alone."""
    return kind if sys.version_info >= (3, 12) else _converted(kind, {})


def _converted(kind: Any, known: _Known) -> Any:
    if isinstance(kind, type) and typing.is_typeddict(kind):
        return _typed_dict(kind, known)
    arguments = typing.get_args(kind)
    if not arguments or typing.get_origin(kind) is typing.Literal:
        return kind
    made = tuple(_converted(argument, known) for argument in arguments)
    if made == arguments:
        return kind
    if isinstance(kind, types.UnionType):
        return functools.reduce(operator.or_, made)
    if typing.get_origin(kind) is typing.Annotated:
        return typing.Annotated[made]
    return kind.copy_with(made) if hasattr(kind, "copy_with") else kind.__origin__[made]


def _typed_dict(kind: Any, known: _Known) -> Any:
    """The same keys. It is known before its fields are, so that it may refer to itself."""
    if kind in known:
        return known[kind]
    new: Any = typing_extensions.TypedDict
    made = known[kind] = new(kind.__name__, {})
    made.__doc__, made.__module__ = kind.__doc__, kind.__module__
    hints = typing_extensions.get_type_hints(kind, include_extras=True)
    fields = {name: _field(name, hint, kind, known) for name, hint in hints.items()}
    made.__annotations__ = {name: hint for name, (hint, _) in fields.items()}
    required = frozenset(name for name, (_, is_required) in fields.items() if is_required)
    made.__required_keys__, made.__optional_keys__ = required, frozenset(fields) - required
    return made


def _field(name: str, hint: Any, kind: Any, known: _Known) -> tuple[Any, bool]:
    """The type of a field, and whether it is required; a mark of its own goes before the class."""
    origin = typing.get_origin(hint)
    is_required = name in kind.__required_keys__
    if origin in (typing.Required, typing.NotRequired):
        hint, is_required = typing.get_args(hint)[0], origin is typing.Required
    return _converted(hint, known), is_required
