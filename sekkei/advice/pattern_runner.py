"""Run one pattern with arguments that somebody typed, and say what came of it: items, plan, units, requests.

    tried = await try_pattern(design, store, "board", {"team_id": "t1"}, env="dev")
    tried.rows, tried.tally.read_units, tried.requests

Only patterns that read are run; what writes is shown as its plan.
"""

from __future__ import annotations

import datetime as dt
import json
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from enum import Enum
from time import perf_counter
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from sekkei.advice.metering import Recording, Tally
from sekkei.advice.pii import COVER, covered_names, covered_within, is_personal
from sekkei.clock import SYSTEM, Clock
from sekkei.design import Database, Design, Entity, Pattern, Query, Ref
from sekkei.store.protocol import Request, Store
from sekkei.store.wrapper import READS

Kind = Literal["text", "number", "date", "datetime", "time", "choice", "flag", "list"]


REASONS = {
    "unknown": "{pattern} has no such parameter; it has {known}",
    "empty": "give it a value",
    "no-date": "{text!r} is no date; write it as 2026-11-15",
    "no-datetime": "{text!r} is no time; write it as 2026-11-15T09:30:00",
    "no-time": "{text!r} is no time of day; write it as 09:30",
    "no-number": "{text!r} is no number",
    "no-choice": "{text!r} is none of {choices}",
    "writes": "it writes, or takes whole items; only patterns that read can be tried",
    "refused": "{why}",
    "no-such-page": "{text!r} goes on with no step of this pattern; start again from the first page",
}
"""Why an argument does not fit, in English; whoever speaks another language has the code and the values."""


class BadArgument(ValueError):
    """A parameter that does not fit; `name` says which, and is empty when it is several together."""

    def __init__(self, name: str, code: str, **values: str) -> None:
        self.name, self.code, self.values = name, code, values
        self.why = REASONS[code].format_map(values)
        super().__init__(f"{name}: {self.why}" if name else self.why)


class Parameter(NamedTuple):
    """One field of a pattern's form."""

    name: str
    kind: Kind
    choices: tuple[str, ...] = ()
    required: bool = True


def parameters(pattern: Pattern[..., Any]) -> list[Parameter]:
    return [_parameter(name, hint) for name, hint in pattern.parameters.items()]


def _parameter(name: str, hint: Any) -> Parameter:
    bare, optional = _bare(hint)
    if get_origin(bare) in (list, tuple, set, frozenset):
        return Parameter(name, "list", (), not optional)
    if isinstance(bare, type) and issubclass(bare, Enum):
        return Parameter(name, "choice", tuple(str(one.value) for one in bare), not optional)
    if get_origin(bare) is Literal:
        return Parameter(name, "choice", tuple(str(one) for one in get_args(bare)), not optional)
    kinds: tuple[tuple[type, Kind], ...] = (
        (bool, "flag"),
        (dt.datetime, "datetime"),
        (dt.date, "date"),
        (dt.time, "time"),
        (int, "number"),
        (Decimal, "number"),
        (float, "number"),
    )
    for of, kind in kinds:
        if isinstance(bare, type) and issubclass(bare, of):
            return Parameter(name, kind, (), not optional)
    return Parameter(name, "text", (), not optional)


def _bare(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) in (Union, types.UnionType):
        inner = [one for one in get_args(hint) if one is not type(None)]
        return inner[0], len(inner) < len(get_args(hint))
    return hint, False


def runs(pattern: Pattern[..., Any]) -> bool:
    """Does it only read, from what can be typed?"""
    simple = not any(hasattr(_bare(hint)[0], "__sekkei__") for hint in pattern.parameters.values())
    return simple and all(plan.operation in READS for plan in pattern.plans)


def arguments_of(pattern: Pattern[..., Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """Typed arguments out of text; raises BadArgument for the first that does not fit."""
    unknown = set(texts) - set(pattern.parameters)
    if unknown:
        name = sorted(unknown)[0]
        raise BadArgument(name, "unknown", pattern=pattern.name, known=", ".join(pattern.parameters) or "none")
    return {name: _typed(name, hint, texts.get(name, "")) for name, hint in pattern.parameters.items()}


def _typed(name: str, hint: Any, text: str) -> Any:
    bare, optional = _bare(hint)
    if not text and optional:
        return None
    origin = get_origin(bare)
    if origin in (list, tuple, set, frozenset):
        return origin(_typed(name, get_args(bare)[0], part.strip()) for part in text.split(",") if part.strip())
    if bare is bool:
        return text.lower() in ("1", "true", "yes", "on")
    if not text:
        raise BadArgument(name, "empty")
    try:
        return _made(bare, text)
    except (ValueError, InvalidOperation):
        raise _misfit(name, hint, text) from None


def _misfit(name: str, hint: Any, text: str) -> BadArgument:
    wanted = _parameter(name, hint)
    if wanted.kind == "choice":
        return BadArgument(name, "no-choice", text=text, choices=", ".join(wanted.choices))
    return BadArgument(name, f"no-{wanted.kind}" if f"no-{wanted.kind}" in REASONS else "refused", text=text, why=text)


def _made(bare: Any, text: str) -> Any:
    if get_origin(bare) is typing.Literal:
        return _one_of(get_args(bare), str, text)
    if not isinstance(bare, type):
        return text
    if issubclass(bare, Enum):
        return _one_of(bare, lambda one: str(one.value), text)
    if issubclass(bare, dt.datetime):
        moment = bare.fromisoformat(text)
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=dt.UTC)
    if issubclass(bare, dt.date | dt.time):
        return bare.fromisoformat(text)
    return bare(text) if issubclass(bare, str | int | float | Decimal) else text


def _one_of(choices: Iterable[Any], name: Callable[[Any], str], text: str) -> Any:
    found = [one for one in choices if name(one) == text]
    if not found:
        raise ValueError(text)
    return found[0]


@dataclass(slots=True)
class Step:
    """What one step of a pattern found; each goes on by a cursor of its own."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    """Of which entity each row is."""
    cursor: str | None = None

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(name for row in self.rows for name in row))


@dataclass(slots=True)
class Tried:
    pattern: str
    steps: list[Step] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    requests: list[tuple[str, Request]] = field(default_factory=list)
    milliseconds: float = 0.0

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [row for step in self.steps for row in step.rows]

    @property
    def entities(self) -> list[str]:
        return [name for step in self.steps for name in step.entities]

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(name for row in self.rows for name in row))

    @property
    def cursors(self) -> list[str]:
        """Where each step that has more goes on."""
        return [step.cursor for step in self.steps if step.cursor is not None]


class _Noting(Recording):
    """Also remembers what was asked."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.requests: list[tuple[str, Request]] = []

    def before(self, operation: str, request: Request) -> Request:
        self.requests.append((operation, dict(request)))
        return super().before(operation, request)


async def try_pattern(
    design: Design,
    store: Store,
    name: str,
    texts: Mapping[str, str],
    *,
    env: str,
    secret: bytes | None = None,
    size: int = 50,
    after: str | None = None,
    clock: Clock = SYSTEM,
    cover: bool = False,
) -> Tried:
    """Run it, and note everything. Raises LookupError for an unknown pattern, BadArgument, or what the store raises.

    `after` is a step's cursor: of a pattern with several steps, that one goes on alone. `cover` hides what is
    personal."""
    if name not in design.patterns:
        raise LookupError(f"{design.name} has no pattern {name}. It has: {', '.join(sorted(design.patterns))}.")
    pattern = design.patterns[name]
    if not runs(pattern):
        raise BadArgument(name, "writes")
    noting = _Noting(store)
    db = design.open(noting, env=env, secret=secret, clock=clock)
    planned = _planned(pattern, arguments_of(pattern, texts))
    steps = list(planned) if isinstance(planned, tuple) else [planned]
    chosen, cursor = _resumed(steps, after)
    tried = Tried(name)
    began = perf_counter()
    for number in chosen:
        found = await _step(db, steps[number], size, cursor, cover)
        if found.cursor is not None and len(steps) > 1:
            found.cursor = f"{number + 1}:{found.cursor}"
        tried.steps.append(found)
    tried.milliseconds = (perf_counter() - began) * 1000
    tried.tally, tried.requests = noting.tally, noting.requests
    return tried


def _resumed(steps: list[Any], after: str | None) -> tuple[list[int], str | None]:
    """Which steps are run, and from where."""
    if after is None or len(steps) == 1:
        return list(range(len(steps))), after
    number, _, cursor = after.partition(":")
    if not (number.isascii() and number.isdigit() and 1 <= int(number) <= len(steps)):
        raise BadArgument("", "no-such-page", text=after[:40])
    return [int(number) - 1], cursor


async def _step(db: Database, step: Any, size: int, after: str | None, cover: bool) -> Step:
    if isinstance(step, Query):
        page = await db.page(step, size=size, after=after)
        return _kept(db.design, list(page), page.cursor, cover)
    refs = [step] if isinstance(step, Ref) else list(step)
    return _kept(db.design, [one for one in await db.get_many(refs) if one is not None], None, cover)


def _planned(pattern: Pattern[..., Any], arguments: Mapping[str, Any]) -> Any:
    try:
        return pattern(**arguments)
    except (ValueError, OverflowError) as refused:  # of the right type, and refused all the same
        raise BadArgument("", "refused", why=str(refused)) from refused


def _kept(design: Design, found: list[Any], cursor: str | None, cover: bool) -> Step:
    entities = {entity.model.cls: entity for table in design.tables.values() for entity in table.entities}
    rows = [row_of(one, entities.get(type(one)), cover=cover) for one in found]
    return Step(
        rows, [entities[type(one)].name if type(one) in entities else type(one).__name__ for one in found], cursor
    )


def row_of(instance: Any, entity: Entity[..., Any] | None, *, cover: bool) -> dict[str, str]:
    """Its fields as people read them; with `cover`, without what is personal, be it inside of maps."""
    fields = type(instance).__sekkei__.fields
    hidden = covered_names(entity.model.by_stored, entity.table) if entity is not None and cover else frozenset()
    found = {}
    for name, field_ in fields.items():
        value = getattr(instance, name)
        personal = field_.stored in hidden if field_.is_stored and entity is not None else is_personal(name)
        found[name] = (COVER if value else "") if cover and personal else _read(field_, value, cover)
    return found


def _read(field_: Any, value: Any, cover: bool) -> str:
    """A value without what is personal inside."""
    if cover and (isinstance(value, dict | list | tuple) or hasattr(value, "__sekkei__")):
        stored = field_.encode(value)
        covered = covered_within(stored) if stored is not None else None
        if covered is not None and covered != stored:
            return json.dumps(_bare_json(covered), ensure_ascii=False)
    return shown(value)


def _bare_json(value: Mapping[str, Any]) -> Any:
    """A stored value without its types."""
    ((kind, inside),) = value.items()
    if kind == "M":
        return {name: _bare_json(one) for name, one in inside.items()}
    return [_bare_json(one) for one in inside] if kind == "L" else None if kind == "NULL" else inside


def typed_as(value: Any) -> str:
    """An argument as somebody would type it; `arguments_of` reads it again."""
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(map(typed_as, value))
    return shown(value)


def shown(value: Any) -> str:
    """One value as people read it."""
    if value is None:
        return ""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, frozenset | set):
        return ", ".join(sorted(map(str, value)))
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, default=str, ensure_ascii=False)
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
