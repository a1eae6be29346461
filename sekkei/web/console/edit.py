"""One item created, edited, duplicated or deleted: by typed fields through its design, or raw.

Every write is conditional on what the form was made of. If the item is another by then, the form comes back with what
was typed and says so. A store that others use asks a second time, by its name.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.design import Design, Entity, Field, SekkeiError, Table
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
from sekkei.errors import DynamoDBError
from sekkei.runtime import days
from sekkei.runtime.refusals import NotAllowed, NotThere
from sekkei.web.console import masks, operator
from sekkei.web.console.asking import Schema, schema_of
from sekkei.web.console.changing import Change, Entry, Meanwhile, TooWide, change_of, entity_of
from sekkei.web.console.item import key_of
from sekkei.web.console.masks import COVER
from sekkei.web.console.rows import address_of, plain, text_of
from sekkei.web.console.tables import described
from sekkei.web.console.target import Looked
from sekkei.web.console.words import in_words
from sekkei.web.forms import Form
from sekkei.web.rendering import flash, page, redirect
from sekkei.web.texts import language_of, t

# Typed fields of an entity: an item as texts to edit, and texts back into an item. Values are written as they are
# stored (`2026-11-15`, `EVT#1`, `12.5`), lists, sets, maps and nested models as JSON. The design makes keys and
# computed attributes; attributes that no model knows stay as they are.


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


def _fields_of(entity: Entity[..., Any], language: str) -> list[Shown]:
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


def _raw_of(text: str) -> dict[str, Any]:
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


log = logging.getLogger("sekkei.web.console")


def routes() -> list[BaseRoute]:
    return [
        Route("/console/tables/{name}/new", show_new, methods=["GET"]),
        Route("/console/tables/{name}/new", create, methods=["POST"]),
        Route("/console/tables/{name}/edit", show_edit, methods=["GET"]),
        Route("/console/tables/{name}/edit", edit, methods=["POST"]),
        Route("/console/tables/{name}/delete", delete, methods=["POST"]),
        Route("/console/journal", show_journal, methods=["GET"]),
        Route("/console/journal/{number:int}/undo", undo, methods=["POST"]),
    ]


class ReadOnlyConsole(NotAllowed):
    """The console may look and not touch."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody edits: a table of the store, what the design says of it, and the item there, if any."""

    looked: Looked
    schema: Schema
    design: Design | None
    table: Table | None
    item: Item | None
    entity: Entity[..., Any] | None

    @property
    def address(self) -> str:
        return f"/console/tables/{self.schema.table}"


async def _place(request: Request, *, item: bool) -> Place:
    """Refuses whoever may not write, before anything is read."""
    looked = operator(request).looked
    if not looked.write:
        raise ReadOnlyConsole()
    description = await described(looked.store, request.path_params["name"])
    schema = schema_of(description)
    assert schema is not None
    found = await _item(request, looked, description) if item or "key" in request.query_params else None
    if item and found is None:
        raise NotThere()
    design, table = looked.table(schema.table) or (None, None)
    return Place(looked, schema, design, table, found, _entity(request, table, found))


async def _item(request: Request, looked: Looked, description: Mapping[str, Any]) -> Item | None:
    schema, key = key_of(request, description)
    asked = {"TableName": schema.table, "Key": key, "ConsistentRead": True}
    found: Item | None = (await looked.store.call("GetItem", asked)).get("Item")
    return found


def _entity(request: Request, table: Table | None, item: Item | None) -> Entity[..., Any] | None:
    if table is None:
        return None
    if item is not None:
        return entity_of(table, item)
    wanted = request.query_params.get("entity")
    return next((entity for entity in table.entities if wanted in (None, entity.name)), None)


def _covers(request: Request, place: Place) -> frozenset[str]:
    if masks.is_revealed(request) or place.item is None:
        return frozenset()
    return masks.covered_names(set(place.item) - set(place.schema.keys), place.table) | masks.holders(place.item)


def digest(item: Item | None) -> str:
    """What the form was made of, in short."""
    return hashlib.sha256(orjson.dumps(item, option=orjson.OPT_SORT_KEYS)).hexdigest()


# Forms


async def show_new(request: Request) -> Response:
    return await _show(request, new=True)


async def show_edit(request: Request) -> Response:
    return await _show(request, new=False)


async def _show(request: Request, *, new: bool) -> Response:
    try:
        place = await _place(request, item=not new)
    except DynamoDBError as error:
        return page(request, "console/tables.html", 502, tables=[], wrong=in_words(request, error), cursor=None)
    return _form(request, place, _filled(request, place), new=new)


def _is_raw(request: Request, place: Place) -> bool:
    return place.entity is None or request.query_params.get("mode") == "raw" or not _readable(place)


def _readable(place: Place) -> bool:
    """Can the item be read as its entity? One that cannot is edited raw."""
    if place.entity is None or place.item is None:
        return place.entity is not None
    try:
        texts_of(place.entity, place.item)
    except (SekkeiError, AttributeError, ValueError, TypeError):
        return False
    return True


def _filled(request: Request, place: Place) -> Form:
    covers = _covers(request, place)
    if _is_raw(request, place):
        shown = _covered(place.item, covers) if place.item is not None else _skeleton(place)
        return Form({"raw": orjson.dumps(shown, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode()})
    assert place.entity is not None
    if place.item is not None:
        return Form(texts_of(place.entity, place.item, covers))
    fields = place.entity.model.fields.values()
    defaults = {PREFIX + one.name: one for one in fields if one.in_init and not one.required and one.factory is None}
    return Form({name: _default(one) for name, one in defaults.items()})


def _covered(item: Item, covers: frozenset[str]) -> Item:
    return masks.covered(item, covers) if covers else item


def _default(field: Any) -> str:
    stored = field.encode(field.default)
    return "" if stored is None else text_of(stored)


def _skeleton(place: Place) -> dict[str, Any]:
    return {name: {place.schema.types[name]: ""} for name in place.schema.keys}


def _form(request: Request, place: Place, form: Form, *, new: bool, status: int = 200, note: str = "") -> Response:
    raw = _is_raw(request, place)
    return page(
        request,
        "console/edit.html",
        status,
        place=place,
        form=form,
        fields=[] if raw or place.entity is None else _fields_of(place.entity, language_of(request)),
        raw=raw,
        new=new,
        note=note,
        seen=digest(None if new else place.item),
        entities=[entity.name for entity in place.table.entities] if place.table is not None else [],
        back=address_of(place.item, place.schema) if place.item is not None else place.address,
    )


# Writing


async def create(request: Request) -> Response:
    return await _save(request, new=True)


async def edit(request: Request) -> Response:
    return await _save(request, new=False)


async def _again(request: Request, error: DynamoDBError) -> Response:
    """The store does not say what is there now. What was typed is kept in the page, to be sent once more."""
    return page(request, "console/again.html", 502, wrong=in_words(request, error), sent=await _sent(request))


async def _save(request: Request, *, new: bool) -> Response:
    try:
        place = await _place(request, item=not new)
    except DynamoDBError as error:
        return await _again(request, error)
    sent = await _sent(request)
    form = Form({name: text for name, text in sent.items() if name not in ("seen", "confirm")})
    if not new and sent.get("seen") != digest(place.item):
        return _form(request, place, form, new=new, status=409, note=t(request, "console.edit.meanwhile"))
    try:
        wanted = _wanted(request, place, sent, new=new)
        change = _change(place, None if new else place.item, wanted)
        return await _carry_out(request, place, change, sent, new=new)
    except BadField as wrong:
        form = Form(form.values, {wrong.name: t(request, f"console.wrong.{wrong.code}", **wrong.values)})
    except Meanwhile:
        code = "console.edit.taken" if new else "console.edit.meanwhile"
        return _form(request, place, form, new=new, status=409, note=t(request, code))
    except TooWide:
        form = Form(form.values, {"": t(request, "console.wrong.too-wide")})
    except (DynamoDBError, SekkeiError) as error:
        form = Form(form.values, {"": in_words(request, error)})
    return _form(request, place, form, new=new, status=422)


async def _sent(request: Request) -> dict[str, str]:
    data = await request.form()
    return {name: value for name, value in data.items() if isinstance(value, str) and name != "_csrf"}


def _wanted(request: Request, place: Place, sent: Mapping[str, str], *, new: bool) -> dict[str, Any]:
    """The item that the form says; what is covered in it stays what it was."""
    if _is_raw(request, place):
        typed = _raw_of(sent.get("raw", ""))
        missing = [name for name in place.schema.keys if name not in typed]
        if missing:
            raise BadField("raw", "no-key", key=", ".join(missing))
        kept = place.item or {}
        return {name: kept.get(name, one) if one == {"S": masks.COVER} else one for name, one in typed.items()}
    assert place.entity is not None
    made = item_of(place.entity, sent, place.item)
    if new and place.entity.model.version is not None:
        made[place.entity.model.version.stored] = {"N": "1"}
    return made


def _change(place: Place, old: Item | None, new: Item | None) -> Change:
    return change_of(place.design, place.looked.env, place.schema.table, place.schema.table_keys, old, new)


async def _carry_out(request: Request, place: Place, change: Change, sent: Mapping[str, str], *, new: bool) -> Response:
    """Asks once more before it writes where others are; then writes, and writes it down."""
    if not change.differences():
        flash(request, t(request, "console.edit.same"), "info")
        return redirect(request, address_of(change.new or {}, place.schema))
    if place.looked.remote and sent.get("confirm") != place.looked.where:
        return _ask_again(request, place, change, sent)
    await change.carry_out(place.looked.store)
    entry = _note(request, place.looked, change)
    flash(request, t(request, f"console.edit.done-{change.kind}", number=entry.number))
    return redirect(request, address_of(change.new, place.schema) if change.new is not None else place.address)


def _ask_again(request: Request, place: Place, change: Change, sent: Mapping[str, str]) -> Response:
    covers = _covers(request, place)
    return page(
        request,
        "console/confirm.html",
        place=place,
        change=change,
        covers=covers,
        cover=masks.COVER,
        text_of=text_of,
        sent={name: text for name, text in sent.items() if name != "confirm"},
        action=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
    )


def _note(request: Request, looked: Looked, change: Change) -> Entry:
    shell, user = request.app.state.shell, request.state.user
    by = user.id if user is not None else "local"
    entry: Entry = looked.journal.add(days.now(shell.clock), by, change)
    names = [name for name, _, _ in change.differences()]
    extra = {"request_id": request.state.id, "user": by, "table": change.table, "what": change.kind, "names": names}
    log.warning("the console changed an item", extra=extra)
    return entry


async def delete(request: Request) -> Response:
    try:
        place = await _place(request, item=True)
    except DynamoDBError as error:
        return await _again(request, error)
    sent = await _sent(request)
    here = address_of(place.item or {}, place.schema)
    if sent.get("seen") != digest(place.item):
        flash(request, t(request, "console.edit.meanwhile"), "error")
        return redirect(request, here)
    try:
        return await _carry_out(request, place, _change(place, place.item, None), sent, new=False)
    except Meanwhile:
        flash(request, t(request, "console.edit.meanwhile"), "error")
    except TooWide:
        flash(request, t(request, "console.wrong.too-wide"), "error")
    except DynamoDBError as error:
        flash(request, in_words(request, error), "error")
    return redirect(request, here)


# The journal


async def show_journal(request: Request) -> Response:
    looked = operator(request).looked
    revealed = masks.is_revealed(request)

    def shown(change: Change, name: str, value: Any) -> str:
        known = looked.table(change.table)
        if value is None:
            return "—"
        if revealed or name in change.keys:
            return text_of(value)
        hidden = name in masks.covered_names({name}, known[1] if known else None)
        return masks.COVER if hidden else text_of(masks.covered_within(value))

    return page(
        request,
        "console/journal.html",
        looked=looked,
        entries=list(looked.journal.entries),
        text_of=text_of,
        shown=shown,
    )


async def undo(request: Request) -> Response:
    looked = operator(request).looked
    if not looked.write:
        raise ReadOnlyConsole()
    entry = looked.journal.find(request.path_params["number"])
    if entry is None or entry.undone:
        raise NotThere()
    sent = await _sent(request)
    if looked.remote and sent.get("confirm") != looked.where:
        flash(request, t(request, "console.edit.confirm-first", where=looked.where), "error")
        return redirect(request, "/console/journal")
    try:
        back = entry.change.back()
        await back.carry_out(looked.store)
        entry.undone = True
        _note(request, looked, back)
        flash(request, t(request, "console.edit.undone"))
    except Meanwhile:
        flash(request, t(request, "console.edit.undo-meanwhile"), "error")
    except TooWide:
        flash(request, t(request, "console.wrong.too-wide"), "error")
    except DynamoDBError as error:
        flash(request, in_words(request, error), "error")
    return redirect(request, "/console/journal")
