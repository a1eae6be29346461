"""Typed fields of an entity: an item as texts to edit, and texts back into an item.

Values are written as they are stored (`2026-11-15`, `EVT#1`, `12.5`); lists, sets, maps and nested models as JSON. Keys
and computed attributes are made by the design; attributes that no model knows stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import orjson

from sekkei.design import Entity, Field, SekkeiError
from sekkei.design.codecs import (
    Anything,
    Choice,
    Codec,
    Day,
    Dictionary,
    Elements,
    Flag,
    LiteralCodec,
    Nested,
    Several,
    Text,
    TimeOfDay,
    to_stored,
)
from sekkei.web.console.masks import COVER
from sekkei.web.console.rows import plain

Item = Mapping[str, Mapping[str, Any]]
PREFIX = "f."
"""Before the names of an entity's fields in a form, so that they meet no other."""


class BadField(ValueError):
    """A text that does not fit a field; `name` is empty when the item as a whole is refused."""

    def __init__(self, name: str, code: str, **values: str) -> None:
        super().__init__(f"{name}: {code}")
        self.name, self.code, self.values = name, code, values


class Shown(NamedTuple):
    """A field of the form."""

    name: str
    label: str
    kind: str
    choices: tuple[str, ...]
    hint: str
    optional: bool
    key: bool


def fields_of(entity: Entity[..., Any], language: str) -> list[Shown]:
    return [_shown(entity, field, language) for field in entity.model.fields.values() if field.in_init]


def _shown(entity: Entity[..., Any], field: Field[Any, Any], language: str) -> Shown:
    codec = field.codec
    kind, choices = _kind(codec)
    about = (field.ja if language == "ja" else field.en) or ""
    hint = " · ".join(text for text in (about, codec.shape, field.form or "") if text)
    return Shown(
        PREFIX + field.name, field.name, kind, choices, hint, not field.required, field.name in entity.key_fields
    )


def _kind(codec: Codec) -> tuple[str, tuple[str, ...]]:
    if isinstance(codec, Choice):
        return "choice", tuple(codec.members)
    if isinstance(codec, LiteralCodec):
        return "choice", tuple(sorted(codec.words))
    if isinstance(codec, Flag):
        return "choice", ("true", "false")
    if isinstance(codec, Day):
        return "date", ()
    if isinstance(codec, TimeOfDay):
        return "time", ()
    return ("text" if codec.kind in ("S", "N", "B") else "json"), ()


def texts_of(entity: Entity[..., Any], item: Item, covers: frozenset[str] = frozenset()) -> dict[str, str]:
    """What stands in the form's fields for an item."""
    instance = entity.decode(item)  # type: ignore[arg-type]
    found: dict[str, str] = {}
    for field in entity.model.fields.values():
        if field.in_init:
            hidden = field.is_stored and field.stored in covers and field.name not in entity.key_fields
            found[PREFIX + field.name] = COVER if hidden else _text(field, getattr(instance, field.name))
    return found


def _text(field: Field[Any, Any], value: Any) -> str:
    stored = field.encode(value)
    if stored is None:
        return ""
    ((kind, inside),) = stored.items()
    if kind in ("S", "N", "B"):
        return str(inside)
    return orjson.dumps(plain(stored) if kind != "BOOL" else inside).decode()


def item_of(entity: Entity[..., Any], texts: Mapping[str, str], seen: Item | None) -> dict[str, Any]:
    """The item that the texts say. A covered field keeps what was seen; so does what the model does not know."""
    before = entity.decode(seen) if seen is not None else None  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for field in entity.model.fields.values():
        if not field.in_init:
            continue
        text = texts.get(PREFIX + field.name, "").replace("\r\n", "\n")
        if text == COVER and before is not None:
            values[field.name] = getattr(before, field.name)
        else:
            value = _value(entity, field, text)
            if value is not _DEFAULT:
                values[field.name] = value
    try:
        made = entity.encode(entity.model.cls(**values))
    except (SekkeiError, ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise BadField("", "refused", why=str(error)) from error
    if entity.model.version is not None:
        was = getattr(before, entity.model.version.name) if before is not None else 0
        made[entity.model.version.stored] = {"N": str(was + 1)}
    return {**_unknown(entity, seen), **made}


def _unknown(entity: Entity[..., Any], seen: Item | None) -> dict[str, Any]:
    return {name: dict(value) for name, value in (seen or {}).items() if name not in entity.stored_names}


_DEFAULT = object()


def _value(entity: Entity[..., Any], field: Field[Any, Any], text: str) -> Any:
    name = PREFIX + field.name
    if not text:
        if field.optional:
            return None
        if field.name not in entity.key_fields and type(field.codec) is Text:
            return ""
        if not field.required:
            return _DEFAULT
        raise BadField(name, "empty")
    try:
        found = field.codec.decode(_stored(field.codec, text))
        field.encode(found)
    except (SekkeiError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError) as error:
        raise BadField(name, "unfit", text=text[:60], why=_expected(field)) from error
    return found


def _expected(field: Field[Any, Any]) -> str:
    codec = field.codec
    return codec.shape or {"N": "12.5", "S": "text", "B": "base64"}.get(codec.kind, "JSON")


def _stored(codec: Codec, text: str) -> dict[str, Any]:
    if isinstance(codec, Flag):
        return {"BOOL": {"true": True, "false": False}[text]}
    if codec.kind in ("S", "N", "B") and not isinstance(codec, Anything):
        return {codec.kind: text}
    return _guided(codec, json.loads(text, parse_float=Decimal))


def _guided(codec: Codec, value: Any) -> dict[str, Any]:
    """JSON as the codec stores it."""
    if isinstance(codec, Anything):
        return to_stored(value)
    if value is None:
        return {"NULL": True}
    if isinstance(codec, Several):
        return {codec.kind: [str(one) for one in _list(value)]}
    if isinstance(codec, Elements):
        return {"L": [_guided(codec.inner, one) for one in _list(value)]}
    if isinstance(codec, Dictionary):
        return {"M": {name: _guided(codec.inner, one) for name, one in value.items()}}
    if isinstance(codec, Nested):
        fields = codec.model.by_stored
        return {"M": {name: _guided(fields[name].codec, one) for name, one in value.items()}}
    if isinstance(codec, Flag):
        return {"BOOL": value}
    if isinstance(value, bool | list | dict):
        raise TypeError("a scalar is wanted")
    return {codec.kind: str(value)}


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list is wanted")
    return value


def raw_of(text: str) -> dict[str, Any]:
    """A whole item in DynamoDB JSON; whether its values are right, the store says."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise BadField("raw", "no-json", why=str(error)) from None
    except RecursionError:
        raise BadField("raw", "too-deep") from None
    whole = isinstance(found, dict) and all(isinstance(value, dict) and len(value) == 1 for value in found.values())
    if not whole or not found:
        raise BadField("raw", "no-item")
    return dict(found)
