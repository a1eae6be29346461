"""Build the parts of a system from the types of their constructors' parameters.

    service = Wiring(context.db, context.clock, context.jobs).build(Service)

`build` looks for a value of each parameter's type among the values that it holds. If there is none and the type is a
dataclass, `build` makes one in the same way and keeps it, so that each class has one instance. If two values have the
type, the one that was given under the parameter's name is taken (`Wiring(db=…, runtime=…)`). A parameter with a default
may be left out. `NotGiven` names the class and the parameter that nothing provides; a system then does not start.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Protocol, TypeVar, cast, get_type_hints

T = TypeVar("T")


class NotGiven(TypeError):
    """A parameter that no value fits, or that several values fit."""


class Wiring:
    """Values by type, and the dataclasses that are built from them."""

    def __init__(self, *values: object, **named: object) -> None:
        self._values: dict[Any, object] = {}
        self._named = named
        for value in values:
            if type(value) in self._values:
                raise NotGiven(f"Two values of the type {type(value).__name__} are given; a parameter takes only one.")
            self._values[type(value)] = value

    @classmethod
    def of(cls, context: object, *values: object) -> Wiring:
        """Hold the fields of a dataclass under their names, and further values; texts and numbers say too little."""
        named = {each.name: getattr(context, each.name) for each in fields(cast(Any, context))}
        return cls(*values, **{name: value for name, value in named.items() if not isinstance(value, str | int)})

    def value(self, kind: Any, value: object) -> Wiring:
        """Hold a value under another type than its own, such as an interface."""
        self._values[kind] = value
        return self

    def find(self, kind: Any, name: str = "") -> list[object]:
        """Return the value held for exactly this type, or all values that are instances of it."""
        if kind in self._values:
            return [self._values[kind]]
        fitting = [value for value in (*self._values.values(), *self._named.values()) if _is_a(value, kind)]
        if len(fitting) > 1 and _is_a(self._named.get(name), kind):
            return [self._named[name]]
        return list({id(value): value for value in fitting}.values())

    def build(self, kind: type[T]) -> T:
        """Return the one instance of a dataclass, built with everything that it needs."""
        return cast(T, self._values[kind] if kind in self._values else self._built(kind, ()))

    def _built(self, kind: type[Any], within: tuple[type[Any], ...]) -> object:
        if kind in within:
            raise NotGiven(f"{kind.__name__} needs a {kind.__name__} itself, by way of {_named(within[-1])}.")
        arguments = dict(self._arguments(kind, (*within, kind)))
        self._values[kind] = kind(**arguments)
        return self._values[kind]

    def _arguments(self, kind: type[Any], within: tuple[type[Any], ...]) -> Iterator[tuple[str, object]]:
        hints = get_type_hints(kind, include_extras=True)
        for field in fields(kind):
            if not field.init:
                continue
            wanted, has_default = (
                hints[field.name],
                field.default is not MISSING or field.default_factory is not MISSING,
            )
            fitting = self.find(wanted, field.name)
            if len(fitting) > 1:
                raise NotGiven(f"{kind.__name__}.{field.name}: {several(wanted, fitting)}")
            if fitting:
                yield field.name, fitting[0]
            elif has_default:
                continue
            elif isinstance(wanted, type) and is_dataclass(wanted):
                yield field.name, self._built(wanted, within)
            else:
                raise NotGiven(f"{kind.__name__}.{field.name}: no {_named(wanted)} is given. Give Wiring(…) one.")


def several(kind: Any, values: list[object]) -> str:
    """Say that several values fit one type."""
    kinds = " and ".join(sorted(type(value).__name__ for value in values))
    return f"{_named(kind)} could be {kinds}. Say which: value({_named(kind)}, …)."


def _is_a(value: object, kind: Any) -> bool:
    if kind is Any or not isinstance(kind, type) or value is None:
        return False
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(value, name) for name in _members(kind))
    return isinstance(value, kind)


@functools.cache
def _members(protocol: type) -> frozenset[str]:
    names = {name for base in protocol.__mro__ if base not in (Protocol, object) for name in vars(base)}
    annotated = {name for base in protocol.__mro__ for name in getattr(base, "__annotations__", {})}
    return frozenset(name for name in names | annotated if not name.startswith("_"))


def _named(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)
