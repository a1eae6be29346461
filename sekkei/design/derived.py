"""Keeping derived attributes right when a part of them changes.

An update of `status` alone must also rewrite `status_group1`, which needs `team_id`. What is known (the key, what the
caller says with `.knowing`, what was read) makes the new value; every such assumption becomes a condition of the
write, so that an index entry can never be computed from values that were already gone. When something is missing,
`Unknown` is raised, and the database reads the item first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .codecs import AttributeValue
from .decoding import when_absent
from .errors import ValueRefused
from .fields import MISSING, Field
from .model import Unknown, Values

if TYPE_CHECKING:
    from .actions import FieldChange, Update
    from .unique import Unique

_BLIND = ("add", "append", "prepend", "discard", "default")  # the new value depends on the old one


class _Rekeyed(NamedTuple):
    derived: dict[str, AttributeValue | None]  # stored name → new value, None to remove it
    assumed: dict[str, Any]  # attribute → the value that the item must still have
    uniques: list[tuple[Unique[Any], str | None, str | None]]  # each with its value before and after


def rekey(update: Update[Any], old: Mapping[str, Any] | None, fresh: bool) -> _Rekeyed:
    """`old` are the values that were read, None when nothing was; `fresh` when there is no item yet."""
    model = update.entity.model
    before = {**(old or {}), **update.known, **update.ref.values}
    rewritten = affected(update)
    uniques = touched(update)
    needed: set[str] = set().union(*(model.bases(field) for field in rewritten), *(one.bases for one in uniques))
    after = Values(model, _after(update, before, needed, fresh))
    derived = {field.stored: _encode(field, after[field.name]) for field in rewritten if field.is_stored}
    moved = [(one, None if fresh else one.value_of(before), one.value_of(after)) for one in uniques]
    held = set().union(*(one.bases for one in uniques))
    return _Rekeyed(derived, {} if fresh else _assumed(update, before, needed, held), moved)


def affected(update: Update[Any]) -> list[Field[Any, Any]]:
    """The derived attributes that the changes touch; all of them for an upsert."""
    model = update.entity.model
    if update.creating:
        return model.derived
    changed = {change.field.root for change in update.changes}
    return [field for field in model.derived if model.bases(field) & changed]


def touched(update: Update[Any]) -> list[Unique[Any]]:
    """The uniquenesses that the changes may move."""
    changed = {change.field.root for change in update.changes}
    return [one for one in update.entity.uniques if update.creating or one.bases & changed]


def _after(update: Update[Any], before: Mapping[str, Any], needed: set[str], fresh: bool) -> dict[str, Any]:
    fields = update.entity.model.fields
    after = dict(before)
    if fresh:
        for name, field in fields.items():
            if field.in_init and name not in after and field.default_value() is not MISSING:
                after[name] = field.default_value()
    for change in update.changes:
        name = change.field.root
        if len(change.field.path) > 1:
            if name in needed:
                raise ValueRefused(
                    "SK220", f"{change.field.label} feeds a key and is changed in part. Set {name} as a whole."
                )
            continue
        if change.kind in _BLIND and name not in needed:
            after.pop(name, None)
            continue
        after[name] = _changed_value(change, after, fields[name])
    return after


def _changed_value(change: FieldChange, before: Mapping[str, Any], field: Field[Any, Any]) -> Any:
    """The attribute after one change."""
    if change.kind == "set":
        return change.value
    if change.kind == "remove":
        return when_absent(field)
    if field.name not in before:
        raise Unknown(field)
    old = before[field.name]
    if change.kind == "default":
        return change.value if old is None else old
    if change.kind == "add":
        return (old or 0) + change.value if field.codec.kind == "N" else (old or frozenset()) | change.value
    if change.kind == "discard":
        return old - change.value
    made = type(old)
    return made([*old, *change.value]) if change.kind == "append" else made([*change.value, *old])


def _encode(field: Field[Any, Any], value: Any) -> AttributeValue | None:
    return None if value is None else field.encode(value)


def _assumed(update: Update[Any], before: Mapping[str, Any], needed: set[str], held: set[str]) -> dict[str, Any]:
    """What the new values were computed from and the update does not itself set; a unique value is always held."""
    version = update.entity.model.version
    if update.known_whole and version is not None:
        return {version.name: update.known[version.name]}
    replaced = {change.field.root for change in update.changes if change.kind in ("set", "remove")}
    assumed = {name: before[name] for name in ((needed - replaced) | held) - update.entity.key_fields}
    if not update.known_whole:
        assumed.update(update.known)
    return assumed
