"""From one action to the items of a transaction that carry it out.

Most actions are one piece. Uniqueness adds a piece per marker row. Every piece remembers the action it belongs to, so
that a failure can be named, and what it assumed about the item, so that stale knowledge can be told from a condition
that really does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .actions import Action, Check, Delete, FieldChange, Put, Update
from .codecs import AttributeValue
from .conditions import Compare, Condition, Expression, grouped
from .derived import rekey
from .errors import ValueRefused
from .fields import Field
from .keys import Ref
from .model import Unknown, Values
from .unique import Unique

_Stored = dict[str, AttributeValue]


class Piece:
    """One Put, Update, Delete or ConditionCheck of one item."""

    __slots__ = ("action", "assumed", "kind", "owner", "ref", "request", "unique")

    def __init__(self, kind: str, action: Action[Any, Any], ref: Ref[Any], request: dict[str, Any]) -> None:
        self.kind, self.action, self.ref, self.request = kind, action, ref, request
        self.assumed: dict[str, Any] = {}  # what was read, and must still be so
        self.unique: Unique[Any] | None = None
        self.owner: AttributeValue | None = None  # of a marker row


class Missing(LookupError):
    """The item that an update had to read first is not there."""

    def __init__(self, action: Action[Any, Any]) -> None:
        super().__init__(repr(action))
        self.action = action


class Knowledge:
    """What the database knows when it writes: the time (None: what has expired is gone already), the tables' real
    names, and items that it read first."""

    def __init__(self, now: int | None, table_name: Callable[[Any], str]) -> None:
        self.now, self.table_name = now, table_name
        self.read: dict[Ref[Any], _Stored | None] = {}

    def old(self, ref: Ref[Any], field: Field[Any, Any] | None = None) -> _Stored | None:
        """The item as read; raises Unknown when it was not read yet."""
        if ref not in self.read:
            raise Unknown(field or next(iter(ref.entity.model.fields.values())))
        return self.read[ref]


class _Conditions:
    """Collects the terms of one condition expression."""

    def __init__(self, action: Action[Any, Any], ref: Ref[Any], knowledge: Knowledge) -> None:
        self.expression = Expression()
        self.terms: list[str] = []
        self.entity, self.knowledge = ref.entity, knowledge
        self._key = ref.entity.table.key_attributes[-1]
        for condition in action.conditions:
            self.terms.append(grouped(condition, self.expression))

    def present(self) -> None:
        table = self.entity.table
        if table.discriminator is not None and self.entity.mingled:
            self.raw(table.discriminator, {"S": str(self.entity.type)})
        else:
            self.terms.append(f"attribute_exists({self.expression.name(self._key)})")
        if self.entity.ttl is not None:  # an expired item that lingers counts as gone, as it does for reads
            self.not_expired(self.entity.ttl)

    def own_or_none(self) -> None:
        """No item of another type is there under the same key."""
        absent = f"attribute_not_exists({self.expression.name(self._key)})"
        kind = self.expression.name(self.entity.table.discriminator or "")
        self.terms.append(f"({absent} OR {kind} = {self.expression.value({'S': str(self.entity.type)})})")

    def not_expired(self, ttl: Field[Any, Any]) -> None:
        if self.knowledge.now is None:
            return
        name = self.expression.name(ttl.stored)
        now = self.expression.value({"N": str(self.knowledge.now)})
        self.terms.append(f"(attribute_not_exists({name}) OR {name} > {now})")

    def absent(self) -> None:
        text = f"attribute_not_exists({self.expression.name(self._key)})"
        ttl = self.entity.ttl
        if ttl is not None and self.knowledge.now is not None:
            now = self.expression.value({"N": str(self.knowledge.now)})
            text = f"({text} OR {self.expression.name(ttl.stored)} <= {now})"
        self.terms.append(text)

    def equals(self, field: Field[Any, Any], value: Any) -> None:
        """The attribute is still as it was."""
        stored = None if value is None else field.encode(value)
        if stored is None:
            self.terms.append(f"attribute_not_exists({self.expression.name(field.stored)})")
        elif not field.required and field.default_value() == value:
            # Absent reads as the default, so the item may hold either.
            name = self.expression.name(field.stored)
            self.terms.append(f"({name} = {self.expression.value(stored)} OR attribute_not_exists({name}))")
        else:
            condition: Condition[Any] = Compare(field, "=", value)
            self.terms.append(condition.render(self.expression))

    def raw(self, stored_name: str, value: AttributeValue) -> None:
        self.terms.append(f"{self.expression.name(stored_name)} = {self.expression.value(value)}")

    def into(self, request: dict[str, Any]) -> None:
        if self.terms:
            request["ConditionExpression"] = " AND ".join(self.terms)
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        self.expression.into(request)


def pieces_of(action: Action[Any, Any], knowledge: Knowledge) -> list[Piece]:
    """What the action takes. Raises Unknown when the item must be read first."""
    if isinstance(action, Put):
        return _put(action, knowledge)
    if isinstance(action, Update):
        return _update(action, knowledge)
    if isinstance(action, Delete):
        return _delete(action, knowledge)
    assert isinstance(action, Check)
    return [_check(action, knowledge)]


def _request(ref: Ref[Any], knowledge: Knowledge) -> dict[str, Any]:
    return {"TableName": knowledge.table_name(ref.entity.table), "Key": ref.key}


def _put(action: Put[Any], knowledge: Knowledge) -> list[Piece]:
    entity, ref = action.entity, action.ref
    conditions = _Conditions(action, ref, knowledge)
    if action.mode == "create":
        conditions.absent()
    elif action.mode == "replace":
        conditions.present()
    item = dict(action.item)
    version = entity.model.version
    if version is not None:
        written = 0 if action.mode == "create" else int(action.instance.__dict__[version.name])
        item[version.stored] = {"N": str(written + 1)}
        if action.mode != "create":
            conditions.equals(version, written or None)
    piece = Piece("Put", action, ref, {"TableName": knowledge.table_name(entity.table), "Item": item})
    markers = _put_markers(action, piece, conditions, knowledge) if entity.uniques else []
    conditions.into(piece.request)
    return [piece, *markers]


def _put_markers(action: Put[Any], piece: Piece, conditions: _Conditions, knowledge: Knowledge) -> list[Piece]:
    entity = action.entity
    after = Values(entity.model, action.instance.__dict__)
    old = None if action.mode == "create" else knowledge.old(action.ref)
    before = None if old is None else entity.decode(old).__dict__
    _hold(piece, conditions, before, entity.uniques)
    found: list[Piece] = []
    for unique in entity.uniques:
        was = None if before is None else unique.value_of(before)
        found += _move(unique, action, was, unique.value_of(after), knowledge)
    if action.mode == "put" and before is None:
        conditions.absent()
    return found


def _hold(piece: Piece, conditions: _Conditions, before: Mapping[str, Any] | None, uniques: list[Unique[Any]]) -> None:
    """The values that old markers were computed from must still be there when the write happens."""
    if before is None:
        return
    model = piece.ref.entity.model
    for name in sorted(set().union(*(unique.bases for unique in uniques)) - piece.ref.entity.key_fields):
        piece.assumed[name] = before[name]
        conditions.equals(model.fields[name], before[name])


def _move(
    unique: Unique[Any], action: Action[Any, Any], was: str | None, becomes: str | None, knowledge: Knowledge
) -> list[Piece]:
    if was == becomes:
        return []
    owner = unique.owner(action.ref.key)
    found = []
    if becomes is not None:
        found.append(_marker("Put", unique, action, becomes, owner, knowledge))
    if was is not None:
        found.append(_marker("Delete", unique, action, was, owner, knowledge))
    return found


def _marker(
    kind: str, unique: Unique[Any], action: Action[Any, Any], value: str, owner: AttributeValue, knowledge: Knowledge
) -> Piece:
    entity = unique.markers
    ref = entity(value)
    request = _request(ref, knowledge)
    if kind == "Put":
        request["Item"] = {**request.pop("Key"), "owner": owner}
        if entity.table.discriminator is not None:
            request["Item"][entity.table.discriminator] = {"S": entity.type}
    piece = Piece(kind, action, ref, request)
    piece.unique, piece.owner = unique, owner
    _free_or_owned_by(piece, owner)
    return piece


def _free_or_owned_by(piece: Piece, owner: AttributeValue) -> None:
    expression = Expression()
    pk = expression.name(piece.ref.entity.table.pk)
    mine = f"{expression.name('owner')} = {expression.value(owner)}"
    piece.request["ConditionExpression"] = f"attribute_not_exists({pk}) OR {mine}"
    piece.request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    expression.into(piece.request)


def hand_over(pieces: list[Piece]) -> list[Piece]:
    """Where one item gives a unique value up and another takes it, one write of the marker does both."""
    given_up = {piece.ref: piece for piece in pieces if piece.unique is not None and piece.kind == "Delete"}
    merged: set[Ref[Any]] = set()
    for piece in pieces:
        before = given_up.get(piece.ref)
        if piece.unique is not None and piece.kind == "Put" and before is not None:
            assert before.owner is not None
            _free_or_owned_by(piece, before.owner)
            merged.add(piece.ref)
    return [piece for piece in pieces if piece.kind != "Delete" or piece.unique is None or piece.ref not in merged]


def _delete(action: Delete[Any], knowledge: Knowledge) -> list[Piece]:
    conditions = _Conditions(action, action.ref, knowledge)
    if action.needed:
        conditions.present()
    elif action.entity.mingled:
        conditions.own_or_none()
    piece = Piece("Delete", action, action.ref, _request(action.ref, knowledge))
    markers: list[Piece] = []
    if action.entity.uniques:
        old = knowledge.old(action.ref)
        before = None if old is None else action.entity.decode(old).__dict__
        _hold(piece, conditions, before, action.entity.uniques)
        for unique in action.entity.uniques:
            was = None if before is None else unique.value_of(before)
            markers += _move(unique, action, was, None, knowledge)
        if before is None and not action.needed:
            conditions.absent()
    conditions.into(piece.request)
    return [piece, *markers]


def _check(action: Check[Any], knowledge: Knowledge) -> Piece:
    conditions = _Conditions(action, action.ref, knowledge)
    (conditions.present if action.present else conditions.absent)()
    piece = Piece("ConditionCheck", action, action.ref, _request(action.ref, knowledge))
    conditions.into(piece.request)
    return piece


def _update(action: Update[Any], knowledge: Knowledge) -> list[Piece]:
    entity, ref = action.entity, action.ref
    stored = knowledge.read.get(ref, None)
    fresh = action.creating and ref in knowledge.read and stored is None
    old = None if stored is None else entity.decode(stored).__dict__
    if not fresh and stored is None and ref in knowledge.read:
        raise Missing(action)
    moved = rekey(action, old, fresh)
    conditions = _Conditions(action, ref, knowledge)
    if fresh:
        conditions.absent()
    elif not action.creating:
        conditions.present()
    else:
        if entity.mingled:
            conditions.own_or_none()
        if entity.ttl is not None:
            conditions.not_expired(entity.ttl)
    for name in sorted(moved.assumed):
        conditions.equals(entity.model.fields[name], moved.assumed[name])
    if entity.model.migrations and not action.creating:
        conditions.raw(entity.model.schema_stored, {"N": str(entity.model.schema)})
    piece = Piece("Update", action, ref, _request(ref, knowledge))
    piece.request["UpdateExpression"] = _update_text(action, moved.derived, conditions.expression)
    piece.assumed = {
        name: value for name, value in moved.assumed.items() if old is not None and name not in action.known
    }
    conditions.into(piece.request)
    markers = [p for unique, was, becomes in moved.uniques for p in _move(unique, action, was, becomes, knowledge)]
    return [piece, *markers]


class _Clauses:
    def __init__(self) -> None:
        self.clauses: dict[str, list[str]] = {"SET": [], "REMOVE": [], "ADD": [], "DELETE": []}

    def text(self) -> str:
        return " ".join(f"{verb} {', '.join(terms)}" for verb, terms in self.clauses.items() if terms)


def _update_text(action: Update[Any], derived: Mapping[str, AttributeValue | None], into: Expression) -> str:
    clauses = _Clauses()
    sets = clauses.clauses["SET"]
    for change in action.changes:
        verb, term = _term(change, into)
        clauses.clauses[verb].append(term)
    for name, stored in derived.items():
        if stored is None:
            clauses.clauses["REMOVE"].append(into.name(name))
        else:
            sets.append(f"{into.name(name)} = {into.value(stored)}")
    if action.creating:
        sets += _made_at_creation(action, into)
    version = action.entity.model.version
    if version is not None and not action.version_kept:
        clauses.clauses["ADD"].append(f"{into.name(version.stored)} {into.value({'N': '1'})}")
    if not action.changes:
        raise ValueRefused("SK222", f"{action!r} changes nothing. Add .set(...), .add(...) or another change.")
    return clauses.text()


def _term(change: FieldChange, into: Expression) -> tuple[str, str]:
    field, kind = change.field, change.kind
    name = into.path(field.path)
    if kind == "remove":
        return "REMOVE", name
    stored = field.encode(change.value)
    assert stored is not None
    value = into.value(stored)
    if kind == "set":
        return "SET", f"{name} = {value}"
    if kind == "default":
        return "SET", f"{name} = if_not_exists({name}, {value})"
    if kind in ("append", "prepend"):
        old = f"if_not_exists({name}, {into.value({'L': []})})"
        both = (old, value) if kind == "append" else (value, old)
        return "SET", f"{name} = list_append({', '.join(both)})"
    if kind == "discard":
        return "DELETE", f"{name} {value}"
    if len(field.path) > 1:  # ADD takes top-level attributes only
        return "SET", f"{name} = if_not_exists({name}, {into.value({'N': '0'})}) + {value}"
    return "ADD", f"{name} {value}"


def _made_at_creation(action: Update[Any], into: Expression) -> list[str]:
    """What a new item needs beside the changes: its type, the parts that are stored as well, the defaults."""
    entity, found = action.entity, []
    changed = {change.field.root for change in action.changes}
    if entity.table.discriminator is not None:
        found.append(f"{into.name(entity.table.discriminator)} = {into.value({'S': entity.type})}")
    if entity.model.migrations:
        found.append(f"{into.name(entity.model.schema_stored)} = {into.value({'N': str(entity.model.schema)})}")
    for name, field in entity.model.fields.items():
        if name in changed or field.derived or not field.is_stored or field.role == "version":
            continue
        if field.stored in entity.keys:
            continue
        if name in action.ref.values:
            stored = field.encode(action.ref.values[name])
            assert stored is not None
            found.append(f"{into.name(field.stored)} = {into.value(stored)}")
        elif field.required and not field.optional and field.codec.empty is None:
            raise ValueRefused(
                "SK221",
                f"{action!r} may have to make the item, but does not say {field.label}. Set it, or use update().",
            )
        else:
            default = None if field.required else field.encode(field.default_value())
            if default is not None:
                alias = into.name(field.stored)
                found.append(f"{alias} = if_not_exists({alias}, {into.value(default)})")
    return found
