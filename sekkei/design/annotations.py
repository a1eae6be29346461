"""From a type annotation to the codec that stores it."""

from __future__ import annotations

import datetime as dt
import types
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

from .codecs import (
    Anything,
    Approximate,
    AttributeValue,
    Binary,
    Choice,
    Codec,
    Day,
    Dictionary,
    Elements,
    Epoch,
    Exact,
    Flag,
    Instant,
    Integer,
    LiteralCodec,
    Names,
    Several,
    Text,
    TimeOfDay,
    Unfit,
)

_SCALARS: dict[Any, Codec] = {
    str: Text(),
    int: Integer(),
    bool: Flag(),
    bytes: Binary(),
    Decimal: Exact(),
    dt.datetime: Instant(),
    dt.date: Day(),
    dt.time: TimeOfDay(),
    Any: Anything(),
    object: Anything(),
}


def iso(zone: str = "Z", digits: int = 3) -> Codec:
    """A datetime as ISO 8601 text of one width: `iso("+09:00", 0)` is YYYY-MM-DDTHH:MM:SS+09:00."""
    return Instant(zone, digits)


def epoch() -> Codec:
    """A datetime as a Number of seconds since 1970; what a TTL attribute must be."""
    return Epoch()


def approximate() -> Codec:
    """A float, knowing that it is not exact."""
    return Approximate()


def time_of_day(seconds: bool = False) -> Codec:
    """A time as HH:MM, or HH:MM:SS."""
    return TimeOfDay(seconds)


def split_optional(annotation: Any) -> tuple[Any, bool]:
    """`X | None` as (X, True), anything else as (itself, False)."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation, False
    inner = [arg for arg in get_args(annotation) if arg is not type(None)]
    if len(inner) != 1 or len(inner) == len(get_args(annotation)):
        raise TypeError(f"{annotation} is a union; only X | None is stored")
    return inner[0], True


def codec_of(annotation: Any) -> Codec:
    """The codec for a type; raises TypeError, with what to do, for a type that has none."""
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal and all(isinstance(arg, str) for arg in args):
        return LiteralCodec(args)
    if origin in (list, tuple) and args:
        if origin is tuple and args[1:] != (...,):
            raise TypeError(f"{annotation} has a fixed length; use tuple[X, ...], list[X] or a nested @model")
        inner, optional = split_optional(args[0])
        return Elements(codec_of(inner), origin, optional)
    if origin in (set, frozenset) and args:
        element = codec_of(args[0])
        if element.kind not in ("S", "N", "B"):
            raise TypeError(f"{annotation}: DynamoDB has sets of text, numbers and binary only")
        return Several(element, origin)
    if origin is dict and args and args[0] is str:
        inner, optional = split_optional(args[1])
        return Dictionary(codec_of(inner), optional)
    if annotation is dict or annotation is list:
        return Anything()
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return Choice(annotation)
    if isinstance(annotation, type) and "__sekkei__" in annotation.__dict__:
        return Nested(annotation)
    if annotation is float:
        raise TypeError("float is not exact; use Decimal, or say attr(stored_as=approximate())")
    raise TypeError(f"{annotation} has no form in DynamoDB; use a plain type, an Enum or a nested @model")


class Nested(Codec):
    """A model inside an attribute, as M."""

    kind = "M"

    def __init__(self, cls: type[Any]) -> None:
        self.cls = cls
        self.model = cls.__sekkei__
        self.shape = "{" + ", ".join(field.stored for field in self.model.fields.values()) + "}"

    def encode(self, value: Any) -> AttributeValue:
        if not isinstance(value, self.cls):
            raise Unfit(f"takes {self.cls.__name__}, got {type(value).__name__}")
        return {"M": self.model.encode(value)}

    def decode(self, stored: AttributeValue) -> Any:
        return self.model.decode(stored["M"])

    def source(self, stored: str, names: Names) -> str:
        return f"{names.of(self.model.decode)}({stored}['M'])"
