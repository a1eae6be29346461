"""Placeholders for arguments, so that a pattern can be planned without real ones.

A pattern function is run once when the design loads. Each parameter gets a real value of its type that encodes as
`{name}`: the plan then reads `PK = "TEAM#{team_id}"`. What cannot be subclassed (bool) gets an ordinary value.
"""

from __future__ import annotations

import datetime as dt
import types
import typing
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from typing import Any, Union, get_args, get_origin

from .errors import DesignError
from .signatures import parameters


class Sample:
    """Marks a stand-in; `label` is what it shows in a plan."""

    label: str


class Planning:
    """True while a pattern is planned; outside of that, nobody looks for stand-ins."""

    depth = 0

    def __enter__(self) -> None:
        Planning.depth += 1

    def __exit__(self, *error: object) -> None:
        Planning.depth -= 1


def label_of(value: object) -> str:
    """What a stand-in shows as."""
    return value.label if isinstance(value, Sample) else str(getattr(value, "_name_", ""))


def is_sample(value: object) -> bool:
    """Is this a stand-in? An enum's stand-in is a member that the enum does not list."""
    return isinstance(value, Sample) or (isinstance(value, Enum) and value._name_.startswith("{"))


__all__ = ["Planning", "Sample", "is_sample", "label_of", "sample_of", "samples"]


class _SampleText(Sample, str):
    pass


class _SampleBytes(Sample, bytes):
    pass


def _term(value: Any) -> str:
    if isinstance(value, Sample):
        return value.label.strip("{}")
    if isinstance(value, dt.timedelta) and not value % dt.timedelta(days=1):
        return f"{value.days} day{'' if value.days == 1 else 's'}"
    return str(value)


def _reckoned(sign: str, name: str, swapped: bool = False) -> Any:
    """An operator that reckons as usual and shows what was reckoned: `{rev - 1}`."""

    def operate(self: Any, other: Any) -> Any:
        plain = next(base for base in type(self).__mro__ if not issubclass(base, Sample))
        found = getattr(plain, name)(self, other)
        if found is NotImplemented or isinstance(found, dt.timedelta):
            return found
        left, right = (other, self) if swapped else (self, other)
        return sample_of(plain, f"{{{_term(left)} {sign} {_term(right)}}}")

    return operate


class _Reckoning(Sample):
    """A stand-in that can be reckoned with."""

    __add__ = _reckoned("+", "__add__")
    __radd__ = _reckoned("+", "__radd__", swapped=True)
    __sub__ = _reckoned("-", "__sub__")
    __rsub__ = _reckoned("-", "__rsub__", swapped=True)


class _ReckoningNumber(_Reckoning):
    __mul__ = _reckoned("*", "__mul__")
    __rmul__ = _reckoned("*", "__rmul__", swapped=True)
    __floordiv__ = _reckoned("//", "__floordiv__")
    __mod__ = _reckoned("%", "__mod__")


class _SampleInt(_ReckoningNumber, int):
    def __str__(self) -> str:
        return self.label

    def __format__(self, spec: str) -> str:
        return self.label


class _SampleDecimal(_ReckoningNumber, Decimal):
    def __str__(self) -> str:
        return self.label


class _SampleDate(_Reckoning, dt.date):
    def isoformat(self) -> str:
        return self.label

    def __format__(self, spec: str) -> str:
        return self.label


class _SampleTime(Sample, dt.time):
    def isoformat(self, timespec: str = "auto") -> str:
        return self.label

    def __format__(self, spec: str) -> str:
        return self.label


class _SampleDatetime(_Reckoning, dt.datetime):
    def isoformat(self, sep: str = "T", timespec: str = "auto") -> str:
        return self.label

    def __format__(self, spec: str) -> str:
        return self.label


def _of_date(cls: type[Any], label: str) -> Any:
    # A class of its own per parameter: what a date's own methods make of it keeps the class, and so the label.
    labelled = type(cls.__name__, (cls,), {"label": label})
    if cls is _SampleDatetime:
        return labelled(2001, 2, 3, 4, 5, 6, tzinfo=dt.UTC)
    return labelled(4, 5) if cls is _SampleTime else labelled(2001, 2, 3)


def _of_enum(enum: type[Enum], label: str) -> Enum:
    mixed: Any = next((base for base in (str, int) if issubclass(enum, base)), None)
    member: Any = object.__new__(enum) if mixed is None else mixed.__new__(enum, label if mixed is str else 0)
    member._name_ = label
    member._value_ = label
    return typing.cast(Enum, member)


def _labelled(value: Any, label: str) -> Any:
    value.label = label
    return value


def sample_of(annotation: Any, label: str) -> Any:
    """A value of the annotated type that shows as `label`; raises TypeError when the type is not known here."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return sample_of(next(a for a in args if a is not type(None)), label)
    if origin is typing.Literal:
        return _labelled(_SampleText(label), label) if isinstance(args[0], str) else args[0]
    if origin in (list, set, frozenset, tuple) or (origin is not None and hasattr(origin, "__iter__")):
        return _container(origin, args, label)
    if annotation is bool or annotation is float:
        return annotation(1)
    if annotation is Any:
        return _labelled(_SampleText(label), label)
    if not isinstance(annotation, type):
        raise TypeError(annotation)
    if issubclass(annotation, Enum):
        return _of_enum(annotation, label)
    if issubclass(annotation, str):
        return _labelled(_SampleText(label), label)
    if issubclass(annotation, bytes):
        return _labelled(_SampleBytes(label.encode()), label)
    for base, sample in ((int, _SampleInt), (Decimal, _SampleDecimal)):
        if issubclass(annotation, base):
            return _labelled(sample(1), label)
    for moment, dated in ((dt.datetime, _SampleDatetime), (dt.date, _SampleDate), (dt.time, _SampleTime)):
        if issubclass(annotation, moment):
            return _of_date(dated, label)
    return _instance(annotation, label)


def _container(origin: Any, args: tuple[Any, ...], label: str) -> Any:
    if origin is tuple and args[-1:] != (...,):
        return tuple(sample_of(arg, f"{label[:-1]}.{i}}}") for i, arg in enumerate(args))
    if issubclass(origin, Mapping):
        return {"key": sample_of(args[1], label)}
    inner = [sample_of(args[0], label)]
    return origin(inner) if origin in (set, frozenset, tuple) else inner


def _instance(annotation: type[Any], label: str) -> Any:
    """A model whose every attribute is a stand-in, labelled `{parameter.attribute}`."""
    described = getattr(annotation, "__sekkei__", None)
    if described is None:
        raise TypeError(annotation)
    inner = {
        field.name: sample_of(field.annotation, f"{label[:-1]}.{field.name}}}")
        for field in described.fields.values()
        if field.in_init
    }
    return annotation(**inner)


def samples(function: Callable[..., Any], hints: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """One stand-in per parameter of `function`; `given` has the caller's own for those that need a real value."""
    found: dict[str, Any] = {}
    for name in parameters(function):
        if name in given:
            found[name] = given[name]
            continue
        try:
            found[name] = sample_of(hints[name], "{" + name + "}")
        except (KeyError, TypeError) as error:
            raise DesignError(
                "SK120",
                f"pattern {function.__name__} has a parameter {name} whose type has no stand-in for planning. "
                f"Annotate it with a plain type, or pass one: @design.pattern(sample={{'{name}': ...}}).",
            ) from error
    return found
