"""Items to try a design with: made-up ones, and those that a write expects to find."""

from __future__ import annotations

import datetime as dt
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple, Union, get_args, get_origin

from sekkei.advice.facts import steps_of
from sekkei.clock import SYSTEM
from sekkei.design import (
    Action,
    Check,
    Condition,
    Database,
    Delete,
    Design,
    Entity,
    Field,
    Pattern,
    Put,
    Query,
    Ref,
    SekkeiError,
    Transaction,
    Update,
    replace,
    tables,
)
from sekkei.design.conditions import All, Between, Call, Compare, Either, Not, OneOf
from sekkei.design.placeholders import is_sample, label_of
from sekkei.store import Store

# Believable items: values for every attribute of a model, the same ones for the same number.
#
# Parts of keys are made of the attribute's name and a number, so that entities which share an attribute meet in one
# partition: `team_id` of the third team is the same text in a team, its tasks and its members.


TODAY = dt.date(2026, 11, 15)
NOW = dt.datetime(2026, 11, 15, 12, tzinfo=dt.UTC)
PER_PARTITION = 50
LONG = ("description", "discription", "body", "content", "comment", "text", "bio", "note", "message", "answer")
"""Attributes with such a word in their name hold a paragraph; the others a few words."""
_PARAGRAPH_BYTES = 300
_MOST_DIGITS = 12
_APART = 1_000
"""Between the numbers of two items of one entity that a pattern is given."""
WORDS = "itsumo doori no hi ni kaita mono de, nani ka wo tsutaeru bun wa kono kurai no nagasa ni naru. "


class Unbelievable(Exception):
    """No value could be made for an attribute, or the model refuses what was made."""


def instances(entity: Entity[..., Any], count: int, per_partition: int = PER_PARTITION) -> Iterator[Any]:
    """`count` items, so many to a partition; the design's own examples come first."""
    for number in range(count):
        yield instance(entity, number, per_partition)


def instance(entity: Entity[..., Any], number: int, per_partition: int = PER_PARTITION) -> Any:
    """The item of this number. An example of the design gives what is not part of its key."""
    group, place = divmod(number, per_partition) if entity.table.sk is not None else (number, 0)
    hashed = {component.field.name for component in entity.keys[entity.table.pk].components}
    widths = _widths(entity)
    examples = entity.examples
    values: dict[str, Any] = {}
    for field in entity.model.fields.values():
        if not field.in_init:
            continue
        at = group if field.name in hashed else place if field.name in entity.key_fields else number
        if examples and field.name not in entity.key_fields:
            values[field.name] = getattr(examples[number % len(examples)], field.name)
        else:
            values[field.name] = value_of(field, at % 10 ** widths.get(field.name, _MOST_DIGITS))
    try:
        made = entity.model.cls(**values)
        entity.encode(made)
    except (SekkeiError, ValueError, TypeError, ArithmeticError, LookupError) as error:
        raise Unbelievable(f"{entity.name}: {error}") from error
    return made


def _widths(entity: Entity[..., Any]) -> dict[str, int]:
    """How many digits keys have for a number."""
    components = [component for template in entity.keys.values() for component in template.components]
    return {component.field.name: component.width for component in components if component.width is not None}


Make = Callable[[Entity[..., Any], int, int], Any]
"""Gives an item of an entity by its number: a believable one, or one of those that are there."""


def arguments(
    design: Design, name: str, number: int, per_partition: int = PER_PARTITION, make: Make = instance
) -> dict[str, Any]:
    """Arguments for a pattern that fit the items of this number, first of all those that it asks for."""
    pattern = design.patterns[name]
    known: dict[str, Any] = {}
    everybody = [entity for table in design.tables.values() for entity in table.entities]
    steps = asked_of(pattern)
    for entity in [*everybody, *(step.entity for step in reversed(steps))]:
        made = make(entity, number, per_partition)
        known |= {field.name: getattr(made, field.name) for field in entity.model.fields.values()}
    for step in reversed(steps):
        made = make(step.entity, number, per_partition)
        known |= {parameter: getattr(made, attribute) for parameter, attribute in step.bound.items()}
    hints = list(pattern.parameters.values())
    return {
        parameter: _argument(
            design, parameter, hint, known, number + _APART * _earlier(design, hints[:at], hint), per_partition
        )
        for at, (parameter, hint) in enumerate(pattern.parameters.items())
    }


def _earlier(design: Design, hints: Iterable[Any], hint: Any) -> int:
    """How many parameters before this one take an item of the same entity, which must be another one."""
    wanted = _entity_of(design, hint)
    return sum(wanted is not None and _entity_of(design, one) is wanted for one in hints)


def _entity_of(design: Design, hint: Any) -> Entity[..., Any] | None:
    models = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    entities = (entity for table in design.tables.values() for entity in table.entities)
    return next((entity for entity in entities if entity.model.cls in models), None)


class Asked(NamedTuple):
    """One step of a pattern: whom it asks for, and which parameter stands for which attribute of a key."""

    entity: Entity[..., Any]
    bound: dict[str, str]


def asked_of(pattern: Pattern[..., Any]) -> list[Asked]:
    """What a pattern reads or writes, in the order of its steps."""
    steps: list[Asked] = []
    for step in steps_of(pattern):
        if isinstance(step, Query):
            steps += [Asked(entity, _bound_by_query(entity, step)) for entity in step.entities]
        elif isinstance(step, Transaction):
            steps += [Asked(action.entity, _labelled(action.ref.values)) for action in step.actions]
        else:
            ref = step if isinstance(step, Ref) else step.ref
            steps.append(Asked(ref.entity, _labelled(ref.values)))
    return steps


def _labelled(values: Mapping[str, Any]) -> dict[str, str]:
    return {label_of(value)[1:-1]: name for name, value in values.items() if is_sample(value)}


def _bound_by_query(entity: Entity[..., Any], query: Query[Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for test in query.tests:
        template = entity.template_for(test.attribute)
        text = next(iter(test.operands[0].values()))
        if template is not None and isinstance(text, str):
            found |= _aligned(template.text, text)
    return found


def _aligned(template: str, text: str) -> dict[str, str]:
    """`TEAM#{team_id}` beside `TEAM#{team}` is {"team": "team_id"}, as far as the two agree."""
    found: dict[str, str] = {}
    pieces = re.split(r"\{(\w+)[^}]*\}", template)
    rest = text
    for literal, attribute in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        if not rest.startswith(literal):
            return found
        label = re.match(r"\{([\w.]+)\}", rest := rest.removeprefix(literal))
        if label is None or not attribute:
            return found
        found[label[1]] = attribute
        rest = rest[label.end() :]
    return found


def _argument(design: Design, name: str, hint: Any, known: Mapping[str, Any], number: int, per_partition: int) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _argument(design, name, next(a for a in args if a is not type(None)), known, number, per_partition)
    if origin in (list, tuple, set, frozenset):
        single = name.removesuffix("s")
        return origin([_argument(design, single, args[0], known, number, per_partition)])
    entity = _entity_of(design, hint)
    if entity is not None:
        return _fresh(entity, number, per_partition)
    if name in known and _is(known[name], hint):
        return known[name]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next((value for value in known.values() if isinstance(value, hint)), next(iter(hint)))
    return _plain(hint, name, number)


def _fresh(entity: Entity[..., Any], number: int, per_partition: int) -> Any:
    """An item that is not there yet: its number lies behind those of a store that was filled."""
    made = instance(entity, number, per_partition)
    for field in entity.model.fields.values():
        if field.name in entity.key_fields and field.in_init and not isinstance(getattr(made, field.name), Enum):
            return replace(made, **{field.name: value_of(field, 900_000 + number)})
    return made


def _is(value: Any, hint: Any) -> bool:
    return isinstance(hint, type) and isinstance(value, hint)


def value_of(field: Field[Any, Any], number: int) -> Any:
    """For one attribute."""
    made = _plain(field.annotation, field.name, number)
    if isinstance(made, str) and field.form is not None:
        return field.form.replace("{}", made)
    return made


def _plain(hint: Any, name: str, number: int) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _plain(next(a for a in args if a is not type(None)), name, number)
    if origin is typing.Literal:
        return args[number % len(args)]
    if origin is tuple and args[-1:] != (...,):
        return tuple(_plain(arg, name, number) for arg in args)
    if origin in (list, tuple, set, frozenset):
        return origin(_plain(args[0], name, number + i) for i in range(3))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return {f"key{i}": _plain(args[1], name, number + i) for i in range(3)}
    return _simple(hint, name, number)


def _simple(hint: Any, name: str, number: int) -> Any:
    if not isinstance(hint, type):
        return f"{name}{number:06d}"
    if issubclass(hint, Enum):
        members = list(hint)
        return members[number % len(members)]
    if issubclass(hint, bool):
        return True
    for moment, make in _MOMENTS.items():
        if issubclass(hint, moment):
            return make(number)
    for kind in (int, float, Decimal):
        if issubclass(hint, kind):
            return kind(number)
    if issubclass(hint, bytes):
        return f"{name}{number:06d}".encode()
    if issubclass(hint, str):
        return _text(name, number)
    described = getattr(hint, "__sekkei__", None)
    if described is not None:
        return hint(**{f.name: value_of(f, number) for f in described.fields.values() if f.in_init})
    return f"{name}{number:06d}"


_MOMENTS: dict[type[Any], Any] = {
    dt.datetime: lambda number: NOW + dt.timedelta(minutes=number),
    dt.date: lambda number: TODAY + dt.timedelta(days=number % 3_000),
    dt.time: lambda number: dt.time(number % 24, number * 7 % 60),
}


def _text(name: str, number: int) -> str:
    if "email" in name:
        return f"{name}{number:06d}@example.com"
    if any(word in name for word in LONG):
        return (f"{number:06d} " + WORDS * 4)[:_PARAGRAPH_BYTES]
    return f"{name[:16]}-{number:012d}"


# Puts into a store what a write finds there when all goes well: items that its conditions hold for.


THERE = object()
"""The wish that an entry of a map is there, whatever it is."""


async def set_the_stage(db: Database, step: Any, number: int) -> None:
    """For every action of a step: its item as it must be, or no item where none may be."""
    for action in actions_of(step):
        table = db.table_name(action.entity.table)
        if _wants_nothing(action):
            await db.store.call("DeleteItem", {"TableName": table, "Key": action.ref.key})
        elif _wants_something(action):
            item = action.entity.encode(_fitting(action, number))
            _fit_inside(item, action)
            await db.store.call("PutItem", {"TableName": table, "Item": item})


def actions_of(step: Any) -> list[Action[Any, Any]]:
    if isinstance(step, tuple):
        return [action for one in step for action in actions_of(one)]
    if isinstance(step, Transaction):
        return list(step.actions)
    return [step] if isinstance(step, Action) else []


def _wants_nothing(action: Action[Any, Any]) -> bool:
    return (isinstance(action, Put) and action.mode == "create") or (isinstance(action, Check) and not action.present)


def _wants_something(action: Action[Any, Any]) -> bool:
    if isinstance(action, Put):
        return action.mode == "replace" or bool(action.conditions)
    return isinstance(action, Update | Delete | Check)


def _fitting(action: Action[Any, Any], number: int) -> Any:
    entity = action.entity
    made = action.instance if isinstance(action, Put) else instance(entity, number)
    changes = {name: value for name, value in action.ref.values.items() if entity.model.fields[name].in_init}
    for field, value in _wishes(action.conditions, entity):
        known = entity.model.fields.get(field.root)
        if known is None or not known.in_init or field.path != known.path or known.name in changes:
            continue  # a place inside an attribute, which comes later, or a part of the key: as it is
        if value is THERE:
            now = getattr(made, known.name)
            changes[known.name] = value_of(known, number) if now is None else now
        elif value is not None or known.optional:
            changes[known.name] = value
    return replace(made, **changes)


def _fit_inside(item: dict[str, Any], action: Action[Any, Any]) -> None:
    """Entries of maps that the conditions look at; no made-up item has those."""
    for field, value in _wishes(action.conditions, action.entity):
        *outer, last = field.path
        if not outer or not all(isinstance(step, str) for step in field.path):
            continue
        inside = item
        for step in outer:
            inside = inside.setdefault(step, {"M": {}}).get("M", {})
        stored = {"M": {}} if value is THERE else field.encode(value)
        if stored is None:
            inside.pop(last, None)
        elif value is not THERE or last not in inside:
            inside[last] = stored


def _can_be(entity: Entity[..., Any], wishes: list[tuple[Any, Any]]) -> bool:
    """Whether an item that is there may be so: parts of its key and what every item has are never absent."""
    for field, value in wishes:
        known = entity.model.fields.get(field.root)
        if value is not None or known is None or field.path != known.path:
            continue
        if known.name in entity.key_fields or not known.optional:
            return False
    return True


def _wishes(conditions: Iterable[Condition[Any]], entity: Entity[..., Any]) -> list[tuple[Any, Any]]:
    """Values of attributes that make the conditions true, as far as that can be told."""
    found: list[tuple[Any, Any]] = []
    for condition in conditions:
        if isinstance(condition, Either):
            ways = [_wishes([one], entity) for one in condition.conditions]
            found += next((way for way in ways if _can_be(entity, way)), ways[0])
        elif isinstance(condition, All):
            found += _wishes(condition.conditions, entity)
        elif isinstance(condition, Compare) and not hasattr(condition.operand, "stored"):
            found += [(condition.field, _beside(condition.operand, condition.operator))]
        elif isinstance(condition, Between):
            found += [(condition.field, condition.low)]
        elif isinstance(condition, OneOf):
            found += [(condition.field, condition.options[0])]
        elif isinstance(condition, Call) and condition.function == "attribute_not_exists":
            found += [(condition.field, None)]
        elif isinstance(condition, Call) and condition.function == "attribute_exists":
            found += [(condition.field, THERE)]
        elif isinstance(condition, Not) and isinstance(condition.condition, Call):
            found += [(condition.condition.field, None)]
        elif isinstance(condition, Not) and isinstance(condition.condition, Compare):
            found += _not(condition.condition)
    return found


def _not(compared: Compare[Any]) -> list[tuple[Any, Any]]:
    if compared.operator != "=" or hasattr(compared.operand, "stored"):
        return []
    return [(compared.field, _beside(compared.operand, "<>"))]


def _other(operand: Enum | str | bool | bytes) -> Any:
    if isinstance(operand, Enum):
        return next((each for each in type(operand) if each is not operand), operand)
    if isinstance(operand, bool):
        return not operand
    return operand * 2


_STEPS: tuple[tuple[type[Any], Any], ...] = ((dt.datetime, dt.timedelta(seconds=1)), (dt.date, dt.timedelta(days=1)))


def _beside(operand: Any, operator: str) -> Any:
    """A value for which `value operator operand` is true."""
    if operator == "<>" and isinstance(operand, Enum | str | bool | bytes):
        return _other(operand)
    if operator not in ("<", ">", "<>") or isinstance(operand, str | bool | bytes):
        return operand
    step = next((step for kind, step in _STEPS if isinstance(operand, kind)), 1)
    try:
        return operand - step if operator == "<" else operand + step
    except TypeError:
        return operand


# A design's tables in memory with made-up items, for whoever wants to see a design at work before there is data.


_SHOWN_ITEMS = 24
"""Of each entity."""
_SHOWN_PER_PARTITION = 6


async def furnished(design: Design, env: str) -> Store:
    """A store that has the design's tables and some believable items of every entity."""
    from sekkei.store import Embedded  # only here: a function that shows the console has no engine

    store = Embedded()
    await tables.create(store, design, env, SYSTEM)
    for table in design.tables.values():
        for entity in table.entities:
            await _put_fakes(store, design.table_name(table, env), entity)
    return store


async def _put_fakes(store: Store, name: str, entity: Entity[..., object]) -> None:
    for number in range(_SHOWN_ITEMS):
        try:
            item = entity.encode(instance(entity, number, _SHOWN_PER_PARTITION))
        except Unbelievable:
            return
        await store.call("PutItem", {"TableName": name, "Item": item})


def example_of(design: Design, pattern: str) -> dict[str, object]:
    """Arguments for which a pattern finds something among these items; none when they cannot be made up."""
    try:
        return arguments(design, pattern, 0, _SHOWN_PER_PARTITION)
    except (Unbelievable, ValueError, TypeError, LookupError):
        return {}
