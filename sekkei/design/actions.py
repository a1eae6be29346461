"""Writes as values: what to do, not yet done. `await db.write(action)`, or several in `await db.transact(...)`.

    Action[model, result]
    ├── Put        entity.create(x), entity.put(x), entity.replace(x)
    ├── Update     entity.update(key...).set(...).add(...).when(...)
    ├── Delete     entity.delete(key...)
    └── Check      entity.must_exist(key...), entity.must_not_exist(key...)

Every method returns a changed copy, so a part-built action can be kept and used again.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, ParamSpec, TypeVar, overload

from .conditions import Condition
from .errors import ValueRefused
from .fields import Field
from .keys import Ref

if TYPE_CHECKING:
    from .entity import Entity
    from .fields import Takes

M = TypeVar("M")
_T = TypeVar("_T")
_X = TypeVar("_X")
_P = ParamSpec("_P")
_M_co = TypeVar("_M_co", covariant=True)
_R_co = TypeVar("_R_co", covariant=True)
_set_type = set  # Update.set hides the built-in inside its class
_ChangeKind = Literal["set", "remove", "add", "append", "prepend", "discard", "default"]


class Action(Generic[_M_co, _R_co]):
    """One write to one item. The parameters are the model and what `db.write` returns."""

    entity: Entity[..., Any]
    ref: Ref[Any]
    verb: str
    conditions: tuple[Condition[Any], ...] = ()
    marks: tuple[Field[Any, Any], ...] = ()
    pattern: str | None = None

    def _with(self, **changes: Any) -> Any:
        changed = object.__new__(type(self))  # what copy.copy does, in a third of the time
        changed.__dict__ = {**self.__dict__, **changes}
        return changed

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.ref.values.items())
        return f"{self.entity.name}.{self.verb}({values})"


class Put(Action[M, M]):
    """Stores a whole item; gives back the instance as stored (its version counted up)."""

    def __init__(self, entity: Entity[..., M], instance: M, mode: Literal["create", "put", "replace"]) -> None:
        self.entity, self.instance, self.mode = entity, instance, mode
        self.item = entity.encode(instance)  # here, so that a bad value is refused where the mistake is
        self.ref = entity.ref_of(instance)
        self.verb = mode

    def when(self, *conditions: Condition[M]) -> Put[M]:
        """Only if these hold for the item that is there."""
        found: Put[M] = self._with(conditions=self.conditions + conditions)
        return found

    def known_by(self, *fields: Field[M, Any]) -> Put[M]:
        """Nobody else writes what stands in these: an id of its own in the key, a fresh secret, a name and a moment.

        When an answer was lost and this is refused the second time, an item that holds the same there is its own,
        whatever else has changed since.
        """
        found: Put[M] = self._with(marks=_marks(self, fields, _set_type(self.entity.model.fields)))
        return found


class FieldChange(NamedTuple):
    """One change of one attribute."""

    kind: _ChangeKind
    field: Field[Any, Any]
    value: Any


class Update(Action[M, M]):
    """Changes attributes in place; gives back the item as it is afterwards."""

    verb = "update"

    def __init__(self, entity: Entity[..., M], ref: Ref[M], create: bool = False) -> None:
        self.entity, self.ref, self.creating = entity, ref, create
        self.changes: tuple[FieldChange, ...] = ()
        self.known: dict[str, Any] = {}
        self.known_whole = False
        self.version_kept = False

    def _change(self, kind: _ChangeKind, field: Field[M, Any], value: Any) -> Update[M]:
        self._check_field(field)
        if any(change.field.path == field.path for change in self.changes):
            raise ValueRefused("SK216", f"{field.label} is changed twice in one update. Say it once.")
        found: Update[M] = self._with(changes=(*self.changes, FieldChange(kind, field, value)))
        return found

    def _check_field(self, field: Field[M, Any]) -> None:
        if field.root in self.entity.key_fields:
            raise ValueRefused(
                "SK207",
                f"{field.label} is part of the key of {self.entity.name}, and a key never changes. Delete the item and "
                "create another, in one transaction.",
            )
        if field.derived:
            raise ValueRefused("SK208", f"{field.label} is made of other attributes. Set those; it follows.")
        if field.role == "version":
            raise ValueRefused("SK208", f"{field.label} counts the writes by itself. Do not set it.")

    if TYPE_CHECKING:

        def set(self, field: Takes[M, _P], *value: _P.args, **named: _P.kwargs) -> Update[M]:
            """None removes the attribute."""

        def set_if_absent(self, field: Takes[M, _P], *value: _P.args, **named: _P.kwargs) -> Update[M]:
            """Set the attribute only where the item has none."""
    else:

        def set(self, field: Field[M, _T], value: _T) -> Update[M]:
            """None removes the attribute."""
            stored = field.encode(value)
            return self._change("remove" if stored is None else "set", field, value)

        def set_if_absent(self, field: Field[M, _T], value: _T) -> Update[M]:
            """Set the attribute only where the item has none."""
            return self._change("default", field, value)

    @overload
    def remove(self, field: Field[M, _T | None]) -> Update[M]: ...
    @overload
    def remove(self, field: Field[M, Any]) -> Update[M]: ...
    def remove(self, field: Field[M, Any]) -> Update[M]:
        """Take the attribute away; it must be one that may be absent."""
        if field.required and not field.optional and field.codec.empty is None:
            raise ValueRefused("SK209", f"{field.label} has no default, so an item without it could not be read.")
        return self._change("remove", field, None)

    @overload
    def add(self, field: Field[M, int] | Field[M, int | None], amount: int) -> Update[M]: ...
    @overload
    def add(self, field: Field[M, frozenset[_X]] | Field[M, _set_type[_X]], amount: Iterable[_X]) -> Update[M]: ...
    @overload
    def add(self, field: Field[M, Decimal] | Field[M, Decimal | None], amount: Decimal | int) -> Update[M]: ...
    def add(self, field: Field[M, Any], amount: Any) -> Update[M]:
        """Count a number up (or down), or put elements into a set, without reading first."""
        if field.codec.kind not in ("N", "SS", "NS", "BS"):
            raise ValueRefused("SK218", f"{field.label} is neither a number nor a set; .add() works on those only.")
        return self._change("add", field, amount if field.codec.kind == "N" else _elements(field, amount))

    def discard(self, field: Field[M, frozenset[_X]] | Field[M, _set_type[_X]], elements: Iterable[_X]) -> Update[M]:
        """Take elements out of a set."""
        return self._change("discard", field, _elements(field, elements))

    def append(self, field: Field[M, list[_X]] | Field[M, tuple[_X, ...]], *elements: _X) -> Update[M]:
        """Put elements at the end of a list."""
        return self._change("append", field, list(elements))

    def prepend(self, field: Field[M, list[_X]] | Field[M, tuple[_X, ...]], *elements: _X) -> Update[M]:
        """Put elements at the beginning of a list."""
        return self._change("prepend", field, list(elements))

    @overload
    def knowing(self, known: M) -> Update[M]: ...
    @overload
    def knowing(self, known: Field[M, _T], value: _T) -> Update[M]: ...
    def knowing(self, known: Any, value: Any = None) -> Update[M]:
        """Say what the item holds now. What an index key needs of it becomes a condition, instead of a read first.

        With a whole instance of a versioned model the update is refused when any other write came in between.
        """
        if isinstance(known, Field):
            found: Update[M] = self._with(known={**self.known, known.name: value})
            return found
        whole: Update[M] = self._with(known={**known.__dict__}, known_whole=True)
        return whole

    def keeping_version(self) -> Update[M]:
        """Do not count this write: for counters that must not disturb those who edit the item."""
        found: Update[M] = self._with(version_kept=True)
        return found

    def when(self, *conditions: Condition[M]) -> Update[M]:
        """Only if these hold for the item as it is before."""
        found: Update[M] = self._with(conditions=self.conditions + conditions)
        return found

    def known_by(self, *fields: Field[M, Any]) -> Update[M]:
        """Nobody else sets these to the same: a token of its own, a fresh secret, a name and a moment.

        When an answer was lost and this is refused the second time, an item that holds the same there is its own,
        whatever else has changed since.
        """
        given = {change.field.name for change in self.changes if change.kind == "set" and len(change.field.path) == 1}
        found: Update[M] = self._with(marks=_marks(self, fields, given))
        return found


def _marks(
    action: Action[M, Any], fields: tuple[Field[M, Any], ...], given: _set_type[str]
) -> tuple[Field[M, Any], ...]:
    if not fields or any(field.name not in given for field in fields):
        raise ValueRefused(
            "SK227", f"{action!r} is to be known by what it writes. Name attributes that it sets, after setting them."
        )
    return fields


def _elements(field: Field[Any, Any], elements: Iterable[Any]) -> Any:
    found = frozenset(elements)
    if not found:
        raise ValueRefused("SK219", f"no elements are given for {field.label}. Leave the change out instead.")
    return found


class Delete(Action[M, M | None]):
    """Takes an item away; gives back the item that was there, if any."""

    verb = "delete"

    def __init__(self, entity: Entity[..., M], ref: Ref[M]) -> None:
        self.entity, self.ref = entity, ref
        self.needed = False

    def must_exist(self) -> Delete[M]:
        """Fail when there is no such item."""
        found: Delete[M] = self._with(needed=True)
        return found

    def when(self, *conditions: Condition[M]) -> Delete[M]:
        """Only if these hold for the item that is there."""
        found: Delete[M] = self._with(conditions=self.conditions + conditions)
        return found


class Check(Action[M, None]):
    """Changes nothing; the transaction around it goes through only if it holds."""

    def __init__(self, entity: Entity[..., M], ref: Ref[M], present: bool) -> None:
        self.entity, self.ref, self.present = entity, ref, present
        self.verb = "must_exist" if present else "must_not_exist"

    def when(self, *conditions: Condition[M]) -> Check[M]:
        """And these must hold for it."""
        found: Check[M] = self._with(conditions=self.conditions + conditions)
        return found


class Transaction:
    """Several writes that happen together or not at all, as one value: what a pattern can return."""

    def __init__(self, *actions: Action[Any, Any], token: str | None = None) -> None:
        self.actions, self.token = actions, token
        self.pattern: str | None = None
