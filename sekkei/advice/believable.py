"""Believable items: values for every attribute of a model, the same ones for the same number.

Parts of keys are made of the attribute's name and a number, so that entities which share an attribute meet in one
partition: `team_id` of the third team is the same text in a team, its tasks and its members.
"""

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
from sekkei.design import Design, Entity, Field, Pattern, Query, Ref, SekkeiError, Transaction, replace
from sekkei.design.placeholders import is_sample, label_of

TODAY = dt.date(2026, 11, 15)
NOW = dt.datetime(2026, 11, 15, 12, tzinfo=dt.UTC)
PER_PARTITION = 50
LONG = ("description", "discription", "body", "content", "comment", "text", "bio", "note", "message", "answer")
"""Attributes with such a word in their name hold a paragraph; the others a few words."""
PARAGRAPH_BYTES = 300
MOST_DIGITS = 12
APART = 1_000
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
            values[field.name] = value_of(field, at % 10 ** widths.get(field.name, MOST_DIGITS))
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
            design, parameter, hint, known, number + APART * _earlier(design, hints[:at], hint), per_partition
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
        return (f"{number:06d} " + WORDS * 4)[:PARAGRAPH_BYTES]
    return f"{name[:16]}-{number:012d}"
