"""Who touches what: the path of a pattern through a design, and the patterns that read and write an attribute."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sekkei.advice.facts import steps_of
from sekkei.advice.sample_data import asked_of
from sekkei.design import Action, Delete, Design, Entity, Pattern, Put, Query, Ref, Transaction, Update
from sekkei.design.conditions import Readable
from sekkei.design.derived import affected


@dataclass(frozen=True, slots=True)
class Path:
    """What a pattern goes through."""

    entities: tuple[str, ...]
    targets: tuple[str, ...]
    """Tables, and indexes as `table.index`."""


def path_of(pattern: Pattern[..., Any]) -> Path:
    entities = dict.fromkeys(step.entity.name for step in asked_of(pattern))
    return Path(tuple(entities), tuple(dict.fromkeys(plan.target for plan in pattern.plans)))


@dataclass(slots=True)
class Uses:
    """One attribute of an entity: where it stands, and which patterns touch it."""

    keys: list[str] = field(default_factory=list)
    """Key attributes of the table or of `index.attribute` that are made of it."""
    made_into: list[str] = field(default_factory=list)
    """Attributes that are computed of it."""
    found_by: list[str] = field(default_factory=list)
    filtered_by: list[str] = field(default_factory=list)
    returned_by: list[str] = field(default_factory=list)
    written_by: list[str] = field(default_factory=list)


def uses_of(design: Design, entity: Entity[..., Any], name: str) -> Uses:
    uses = Uses()
    model, table = entity.model, entity.table
    places = {attribute: attribute for attribute in table.key_attributes}
    places |= {f"{index.name}.{one}": one for index in table.indexes.values() for one in index.attributes}
    for place, attribute in places.items():
        template = entity.template_for(attribute)
        parts = [] if template is None else [component.field for component in template.components]
        if any(name in model.bases(part) or part.name == name for part in parts):
            uses.keys.append(place)
    uses.made_into = [one.name for one in model.derived if name in model.bases(one)]
    for pattern in design.patterns.values():
        _look(pattern, entity, name, uses)
    return uses


def _look(pattern: Pattern[..., Any], entity: Entity[..., Any], name: str, uses: Uses) -> None:
    bound = [asked for asked in asked_of(pattern) if asked.entity is entity]
    if any(name in asked.bound.values() for asked in bound):
        uses.found_by.append(pattern.name)
    steps = list(steps_of(pattern))
    for step in steps:
        if isinstance(step, Query) and entity in step.entities:
            _append(uses.returned_by, pattern)
            text = step.filter_text(Readable(), {"N": "{now}"}) or ""
            if entity.model.fields[name].stored in text:
                _append(uses.filtered_by, pattern)
        elif isinstance(step, Ref) and step.entity is entity:
            _append(uses.returned_by, pattern)
    for action in _actions(steps):
        if action.entity is entity and _writes(action, name):
            _append(uses.written_by, pattern)


def _append(found: list[str], pattern: Pattern[..., Any]) -> None:
    if pattern.name not in found:
        found.append(pattern.name)


def _actions(steps: list[Any]) -> list[Action[Any, Any]]:
    alone = [step for step in steps if isinstance(step, Action)]
    return alone + [action for step in steps if isinstance(step, Transaction) for action in step.actions]


def _writes(action: Action[Any, Any], name: str) -> bool:
    if isinstance(action, Put | Delete):
        return True
    if not isinstance(action, Update):
        return False
    changed = {change.field.root for change in action.changes} | {field.name for field in affected(action)}
    return name in changed
