"""Values for fields that a test knows only by their types, so that it covers an attribute that is added later."""

from __future__ import annotations

from datetime import date, time
from enum import Enum
from types import UnionType
from typing import Any, Union, get_args, get_origin

from msgspec import Meta, UnsetType


def sample(name: str, kind: Any) -> Any:
    """Return a value of the type that is neither a usual default nor the value of another text field."""
    if get_origin(kind) in (Union, UnionType):
        return sample(name, next(one for one in get_args(kind) if one not in (UnsetType, type(None))))
    if hasattr(kind, "__metadata__"):
        limits = {
            at: limit
            for one in kind.__metadata__
            if isinstance(one, Meta)
            for at in ("ge", "gt")
            if (limit := getattr(one, at)) is not None
        }
        return int(next(iter(limits.values()))) + 3 if limits else sample(name, kind.__origin__)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)[1]
    values: dict[Any, Any] = {bool: True, str: f"x {name}", int: 7, date: date(2025, 11, 8), time: time(21, 30)}
    if kind not in values:
        raise TypeError(f"{name}: add a sample of {kind} to tests/systems/samples.py")
    return values[kind]
