"""Commands whose options are converted only where there is something to convert.

The option parser makes a pydantic adapter for every option of a command, whether it was given or
not. That and importing pydantic takes 0.1 s of CPU time, a fifth of all that happens before a
model is loaded, and nearly all options are texts or left away.
"""

import re
from functools import partial
from typing import Any

from typer.core import TyperCommand, TyperGroup

# What can't be had without conversion; None is a value.
_UNKNOWN = object()
_DIGITS = re.compile(r"[0-9]{1,18}")  # Python converts no more than 4,300


class Command(TyperCommand):
    """A command that takes texts and defaults as they are."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's parameters, and --help."""
        return [_spared(parameter) for parameter in super().get_params(ctx)]


class Group(TyperGroup):
    """A group of commands whose own options are taken the same way."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The group's parameters, and --help."""
        return [_spared(parameter) for parameter in super().get_params(ctx)]


def _spared(parameter: Any) -> Any:
    # Before version 0.29, typer converts without pydantic and has no descriptors.
    is_known = hasattr(parameter, "type_descriptor") and not parameter.required
    if is_known and not isinstance(parameter.process_value, partial):
        parameter.process_value = partial(_processed, parameter, parameter.process_value)
    return parameter


def _processed(parameter: Any, convert: Any, context: Any, value: Any) -> Any:
    plain = _plain(parameter, value)
    if plain is _UNKNOWN:
        return convert(context, value)
    return parameter.callback(context, parameter, plain) if parameter.callback else plain


def _plain(parameter: Any, value: Any) -> Any:
    """What the parser's own conversion gives for `value`, in the simple cases."""
    wanted, bounds = parameter.type_descriptor.annotation, parameter.type_descriptor.parameter_info
    if value is None:
        return () if parameter.multiple or parameter.nargs == -1 else None
    if wanted == list[str] and isinstance(value, list | tuple):
        return list(value) if all(isinstance(item, str) for item in value) else _UNKNOWN
    if not isinstance(wanted, type):
        return _UNKNOWN
    if isinstance(value, wanted):
        return value
    if wanted is int and isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value) if bounds.max is None and int(value) >= (bounds.min or 0) else _UNKNOWN
    return _UNKNOWN
