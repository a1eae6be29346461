"""Believable instances of models."""

from __future__ import annotations

import datetime as dt
import itertools
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, TypeVar, get_args, get_origin

from sekkei.design.codecs import split_optional
from sekkei.design.model import described

M = TypeVar("M")
_serial = itertools.count(1)
_START = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)


def make(model: type[M], **given: Any) -> M:
    """An instance with believable values for whatever is not given; texts and numbers differ from call to call."""
    number = next(_serial)
    for name, field in described(model).fields.items():
        if name not in given and field.in_init and field.required:
            text = (field.form or "{}").replace("{}", f"{name}-{number}")
            given[name] = _value(field.annotation, text, number)
    return model(**given)


def _value(annotation: Any, text: str, number: int) -> Any:
    annotation, _ = split_optional(annotation)
    scalars: dict[Any, Any] = {
        Any: text,
        str: text,
        int: number,
        float: float(number),
        Decimal: Decimal(number),
        bool: False,
        bytes: text.encode(),
        dt.date: _START.date() + dt.timedelta(days=number),
        dt.datetime: _START + dt.timedelta(minutes=number),
        dt.time: dt.time(number % 24, 0),
    }
    if annotation in scalars:
        return scalars[annotation]
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return args[0]
    if origin is dict:
        return {"key": _value(args[1], text, number)}
    if origin in (list, set, frozenset, tuple):
        return origin([_value(args[0], text, number)])
    return next(iter(annotation)) if issubclass(annotation, Enum) else make(annotation)
