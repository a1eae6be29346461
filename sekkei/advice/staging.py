"""Puts into a store what a write finds there when all goes well: items that its conditions hold for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from enum import Enum
from typing import Any

from sekkei.advice import believable
from sekkei.design import Action, Check, Condition, Database, Delete, Entity, Put, Transaction, Update, replace
from sekkei.design.conditions import All, Between, Call, Compare, Either, Not, OneOf

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
    made = action.instance if isinstance(action, Put) else believable.instance(entity, number)
    changes = {name: value for name, value in action.ref.values.items() if entity.model.fields[name].in_init}
    for field, value in _wishes(action.conditions, entity):
        known = entity.model.fields.get(field.root)
        if known is None or not known.in_init or field.path != known.path or known.name in changes:
            continue  # a place inside an attribute, which comes later, or a part of the key: as it is
        if value is THERE:
            now = getattr(made, known.name)
            changes[known.name] = believable.value_of(known, number) if now is None else now
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
