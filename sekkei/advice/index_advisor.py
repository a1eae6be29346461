"""Which index answers a question, or what it would take: "tasks of a team with this status, by due date".

answer = propose(tasks, equal=["team_id", "status"], order_by="due")
answer.served_by        "index by_status" when there is one already
answer.code             Python to add to the design when there is none
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sekkei.design import Entity
from sekkei.design.codecs import Integer
from sekkei.design.templates import Template


class NotAnAttribute(ValueError):
    """A question about something that the entity does not have."""


@dataclass(frozen=True, slots=True)
class _Proposal:
    served_by: str = ""
    """The table itself or an index that answers the question as it is."""
    how: str = ""
    code: str = ""
    """What to add when nothing serves it."""
    notes: list[str] = field(default_factory=list)


def propose(entity: Entity[..., Any], equal: Sequence[str], order_by: str | None = None) -> _Proposal:
    """`equal` are attributes whose values are known when asking; `order_by` is sorted or compared by."""
    for name in (*equal, *([order_by] if order_by else ())):
        if name not in entity.model.fields:
            known = ", ".join(entity.model.fields)
            raise NotAnAttribute(f"{entity.name} has no attribute {name}. It has: {known}.")
    if not equal:
        raise NotAnAttribute("Name at least one attribute whose value is known: a Query needs a whole partition key.")
    for place, hashes, sorts in _paths(entity):
        how = _served(entity, hashes, sorts, set(equal), order_by)
        if how:
            return _Proposal(place, how)
    return _proposed(entity, list(equal), order_by)


def _paths(entity: Entity[..., Any]) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    table = entity.table
    found: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
        (f"table {table.name}", (table.pk,), () if table.sk is None else (table.sk,))
    ]
    return found + [(f"index {index.name}", tuple(index.pk), tuple(index.sk)) for index in table.indexes.values()]


def _served(
    entity: Entity[..., Any], hashes: tuple[str, ...], sorts: tuple[str, ...], equal: set[str], order_by: str | None
) -> str:
    """The key condition in words; empty when the key cannot answer."""
    templates = [entity.template_for(name) for name in (*hashes, *sorts)]
    if any(template is None for template in templates):
        return ""
    made = [template for template in templates if template is not None]
    needed = {name for template in made[: len(hashes)] for name in _bases(entity, template)}
    if not needed <= equal:
        return ""
    left, parts = equal - needed, [part for template in made[len(hashes) :] for part in template.components]
    names = [part.field.name for part in parts]
    begin = names[: len(left)]
    if set(begin) != left or (order_by and names[len(left) : len(left) + 1] != [order_by]):
        return ""
    said = [f"{name} = …" for name in (*sorted(needed), *begin)]
    return " AND ".join([*said, *([f"{order_by} by order or range"] if order_by else [])])


def _bases(entity: Entity[..., Any], template: Template) -> set[str]:
    fields = [component.field for component in template.components]
    return {base for one in fields for base in entity.model.bases(one)}


def _proposed(entity: Entity[..., Any], equal: list[str], order_by: str | None) -> _Proposal:
    taken = {*entity.table.indexes, *(name for index in entity.table.indexes.values() for name in index.attributes)}
    number = next(n for n in range(1, 100) if not taken & {f"GSI{n}", f"GSI{n}PK", f"GSI{n}SK"})
    literal = entity.name.upper()
    rest = [part for template in entity.keys.values() for part in template.components]
    ending = [name for name in dict.fromkeys(part.field.name for part in rest) if name not in (*equal, order_by)]
    hashed = "#".join([literal, *(_placed(entity, name) for name in equal)])
    sorted_by = "#".join(_placed(entity, name) for name in [*([order_by] if order_by else []), *ending]) or literal
    index, condition = f"GSI{number}", ", ".join(f"{_owner(entity)}.{name} == {name}" for name in equal)
    code = (
        f"# in the model {_owner(entity)}\n"
        f'gsi{number}pk: Attr[str] = template("{hashed}", "{index}PK")\n'
        f'gsi{number}sk: Attr[str] = template("{sorted_by}", "{index}SK")\n\n'
        f"# in the table {entity.table.name}\n"
        f'Index("{index}", "{index}PK", "{index}SK")\n\n'
        f"# the pattern\n"
        f'{entity.name}.index("{index}").where({condition})'
    )
    return _Proposal(code=code, notes=_notes(entity, equal, order_by))


def _placed(entity: Entity[..., Any], name: str) -> str:
    """An attribute inside a template; a whole number needs a width to sort by."""
    field = entity.model.fields[name]
    if field.codec.pattern is None:
        raise NotAnAttribute(
            f"{name} cannot stand inside a key: {field.annotation} has no order as text. Add a computed() attribute "
            "that has, and ask by that."
        )
    known = [part.width for template in entity.keys.values() for part in template.components if part.field is field]
    width = next((one for one in known if one), 12) if isinstance(field.codec, Integer) else None
    return "{" + name + (f":0{width}d" if width else "") + "}"


def _owner(entity: Entity[..., Any]) -> str:
    return entity.model.cls.__name__


def _notes(entity: Entity[..., Any], equal: list[str], order_by: str | None) -> list[str]:
    fields = entity.model.fields
    notes = [
        "Every write of such an item writes the index too: about as many write units again, and storage for a copy."
    ]
    notes.append("An index is eventually consistent: it does not see a write at once, and cannot promise uniqueness.")
    optional = [name for name in (*equal, *([order_by] if order_by else [])) if fields[name].optional]
    if optional:
        notes.append(f"Items without {', '.join(optional)} are not in it (a sparse index).")
    choices = [name for name in equal if getattr(fields[name].codec, "members", None)]
    if choices and len(equal) == len(choices):
        notes.append(
            f"{', '.join(choices)} has few values, so few partitions take all the load; add an attribute that spreads."
        )
    return notes
