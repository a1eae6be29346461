"""Types of fields that hold text from outside, for Structs of forms and APIs.

    Title = Annotated[str, Line(200)]

    class NewTask(Struct):
        title: Title
        description: Annotated[str, Text(10_000)] = ""
        parent: Token | None = None

`sekkei.web` cleans a form, a body or a query as it decodes it (`cleaned`); limits count the cleaned text. A `str`
without any of these types is refused by tests/test_typed_fields.py: a new field must say what it holds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from msgspec import Meta, Struct, ValidationError
from msgspec.structs import fields, force_setattr

from sekkei.kit.text import many_lines, name_line, one_line

T = TypeVar("T")
KIND = "kind"
"""The key in `Meta.extra` under which a type of text keeps its function."""


def Line(most: int, least: int = 1) -> Meta:
    """One line of a text from a person."""
    return _text(one_line, most, least)


def NameLine(most: int, least: int = 1) -> Meta:
    """One line of a person's name or of a receipt, without marks of direction."""
    return _text(name_line, most, least)


def Text(most: int, least: int = 0) -> Meta:
    """Any number of lines of a text from a person."""
    return _text(many_lines, most, least)


Token = Annotated[str, Meta(extra={KIND: lambda text: text})]
"""A value that a program made or compares, such as an id, a cursor, a choice or a secret: taken as it is, and never
stored or shown as a text."""


def _text(clean: Callable[[str], str], most: int, least: int) -> Meta:
    def read(text: str) -> str:
        if len(text) > 4 * most + 1_000:  # more than cleaning would take away: not worth cleaning
            raise ValidationError(f"Expected `str` of length <= {most}")
        line = clean(text)
        if not least <= len(line) <= most:
            bound = f">= {least}" if len(line) < least else f"<= {most}"
            raise ValidationError(f"Expected `str` of length {bound}")
        return line

    limits = {"maxLength": most, **({"minLength": least} if least else {})}
    return Meta(extra={KIND: read}, extra_json_schema=limits)


def cleaned(value: T, kind: Any) -> T:
    """Return the decoded value of a type with all texts in it cleaned; raises ValidationError as msgspec does."""
    result: T = _cleaned(value, kind, "")
    return result


def _cleaned(value: Any, kind: Any, place: str) -> Any:
    if type(value) is str:
        read = text_reader(kind)
        try:
            return value if read is None else read(value)
        except ValidationError as error:
            raise ValidationError(f"{error} - at `${place}`" if place else str(error)) from None
    if isinstance(value, Struct):
        for name, encoded, hint in _text_fields(_struct_of(kind, type(value))):
            before = getattr(value, name)
            after = _cleaned(before, hint, f"{place}.{encoded}")
            if after is not before:
                force_setattr(value, name, after)
    elif isinstance(value, (list, tuple, set, frozenset)) and (element := _element_of(kind)) is not None:
        return type(value)(_cleaned(each, element, f"{place}[{index}]") for index, each in enumerate(value))
    elif isinstance(value, dict) and (element := _element_of(kind)) is not None:
        return {key: _cleaned(each, element, f"{place}[...]") for key, each in value.items()}
    return value


@functools.cache
def text_reader(kind: Any) -> Callable[[str], str] | None:
    """Return the function that cleans a text of this type; None where the type does not say what it holds."""
    for meta in getattr(kind, "__metadata__", ()):
        if isinstance(meta, Meta) and meta.extra and KIND in meta.extra:
            read: Callable[[str], str] | None = meta.extra[KIND]
            return read
    return next((read for part in _parts(kind) if (read := text_reader(part))), None)


def _parts(kind: Any) -> tuple[Any, ...]:
    """The alternatives of a union, the type inside of Annotated; nothing for others."""
    if get_origin(kind) is Annotated:
        return (kind.__origin__,)
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else ()


@functools.cache
def _struct_of(kind: Any, cls: type) -> Any:
    """The type as it was declared, with its parameters, or else the class."""
    if get_origin(kind) is cls:
        return kind
    return next((found for part in _parts(kind) if (found := _struct_of(part, cls)) is not cls), cls)


@functools.cache
def _element_of(kind: Any) -> Any:
    """The type of a container's elements, where they may hold text."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (list, set, frozenset, tuple, dict):
        element = arguments[-1] if origin is dict else arguments[0]
        return element if _holds_text(element) else None
    return next((found for part in _parts(kind) if (found := _element_of(part)) is not None), None)


@functools.cache
def _text_fields(struct: Any) -> tuple[tuple[str, str, Any], ...]:
    return tuple((each.name, each.encode_name, each.type) for each in fields(struct) if _holds_text(each.type))


def _holds_text(kind: Any, within: tuple[Any, ...] = ()) -> bool:
    """Whether a text that is to be cleaned may stand in a value of this type."""
    if text_reader(kind) is not None:
        return True
    cls = get_origin(kind) or kind
    if isinstance(cls, type) and issubclass(cls, Struct):
        return cls in within or any(_holds_text(each.type, (*within, cls)) for each in fields(kind))
    return any(_holds_text(part, within) for part in get_args(kind))
