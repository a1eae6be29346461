"""What functions and classes declare, read off directly: `inspect` takes longer to load than half of this floor."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

NO_DEFAULT: Any = object()
_TAKES_REST, _TAKES_NAMED_REST = 0x04, 0x08  # flags of a code object


class _Parameter:
    """One parameter of a function."""

    __slots__ = ("default", "keyword_only", "rest")

    def __init__(self, default: Any = NO_DEFAULT, *, keyword_only: bool = False, rest: bool = False) -> None:
        self.default, self.keyword_only, self.rest = default, keyword_only, rest  # rest: *args or **kwargs


def parameters(function: Callable[..., Any]) -> dict[str, _Parameter]:
    """Each parameter by its name, in order."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    if not isinstance(function, FunctionType):
        return _inspected(function)
    code, defaults = function.__code__, function.__defaults__ or ()
    names, count = code.co_varnames, code.co_argcount
    found = {name: _Parameter() for name in names[:count]}
    for name, default in zip(names[count - len(defaults) : count], defaults, strict=True):
        found[name].default = default
    end = count + code.co_kwonlyargcount
    if code.co_flags & _TAKES_REST:
        found[names[end]] = _Parameter(rest=True)
    for name in names[count:end]:
        found[name] = _Parameter((function.__kwdefaults__ or {}).get(name, NO_DEFAULT), keyword_only=True)
    if code.co_flags & _TAKES_NAMED_REST:
        found[names[end + bool(code.co_flags & _TAKES_REST)]] = _Parameter(rest=True)
    return found


def _inspected(function: Callable[..., Any]) -> dict[str, _Parameter]:
    """A callable that is no plain function."""
    import inspect

    found = {}
    for name, one in inspect.signature(function).parameters.items():
        default = NO_DEFAULT if one.default is one.empty else one.default
        rest = one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        found[name] = _Parameter(default, keyword_only=one.kind is one.KEYWORD_ONLY, rest=rest)
    return found


def annotations_of(thing: Any) -> dict[str, Any]:
    """Its own annotations, as they stand."""
    if sys.version_info >= (3, 14):  # they are made when asked for
        import inspect

        return dict(inspect.get_annotations(thing))
    own = vars(thing).get("__annotations__", {}) if isinstance(thing, type) else _of_function(thing)
    return dict(own)


def _of_function(function: Any) -> dict[str, Any]:
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    found: dict[str, Any] = getattr(function, "__annotations__", {})
    return found


def clean(text: str | None) -> str:
    """A docstring without the indentation of its code."""
    lines = (text or "").expandtabs().strip().splitlines()
    rest = [line for line in lines[1:] if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    return "\n".join([*(line.strip() for line in lines[:1]), *(line[margin:].rstrip() for line in lines[1:])])
