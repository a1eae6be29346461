"""Statements about one item as requests of the engine's own operations.

UPDATE and DELETE name the item by equalities on all of its key; what else their WHERE clause says is the condition.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sekkei.engine.expressions.nodes import And, ConditionTree, Operation, Or, Path, Value
from sekkei.engine.items.values import Item
from sekkei.engine.operation import Checked
from sekkei.engine.partiql.clauses import Bindings, Columns, StatementCondition
from sekkei.engine.partiql.prepared import Deletion, Existence, Insertion, Selection, UpdateStatement, Writing
from sekkei.engine.storage.catalogue import Table
from sekkei.errors import DuplicateItemException, ValidationException

_RETURN_VALUES = {
    "ALL OLD": "ALL_OLD",
    "ALL NEW": "ALL_NEW",
    "MODIFIED OLD": "UPDATED_OLD",
    "MODIFIED NEW": "UPDATED_NEW",
}


class _Keyed(NamedTuple):
    """A WHERE clause taken apart: the key it names, and the conditions beside it."""

    key: Item
    conditions: tuple[ConditionTree, ...]
    names_two: str = ""
    """The key attribute that the clause gives two values."""

    def is_whole(self, table: Table) -> bool:
        return len(self.key) == len(table.key.parts)

    @property
    def condition(self) -> ConditionTree | None:
        return And(self.conditions) if len(self.conditions) > 1 else self.conditions[0] if self.conditions else None


def keyed(table: Table, where: ConditionTree | None, bindings: Bindings, *, single_in: bool = False) -> _Keyed:
    """Equalities on the key as the key, the first of each attribute; with `single_in` also `pk IN ['a']`."""
    key: Item = {}
    conditions: list[ConditionTree] = []
    names_two = ""
    for part in where.parts if isinstance(where, And) else () if where is None else (where,):
        found = _equality(table, part, bindings, single_in)
        if found is None:
            conditions.append(part)
            continue
        name, value = found
        if key.setdefault(name, value) != value:
            names_two = names_two or name
            conditions.append(part)
    return _Keyed(key, tuple(conditions), names_two)


def _equality(table: Table, part: ConditionTree, bindings: Bindings, single_in: bool) -> tuple[str, Any] | None:
    if not isinstance(part, Operation) or len(part.operands) != 2:
        return None
    if part.operator != "=" and not (single_in and part.operator == "IN"):
        return None
    path, value = part.operands
    if isinstance(path, Value) and part.operator == "=":
        path, value = value, path
    if not isinstance(path, Path) or not isinstance(value, Value) or len(path.elements) > 1:
        return None
    name = bindings.names[str(path.elements[0])]
    return (name, bindings.values[value.name]) if name in table.key.names else None


def write_of(statement: Writing, table: Table, request: dict[str, Any]) -> Checked:
    """The request that a statement is; raises when its WHERE clause does not name one item."""
    if isinstance(statement, Insertion):
        bindings = Bindings(())
        absent = StatementCondition(_there(table, bindings, "attribute_not_exists"), bindings)
        return Checked(request, table.name, item=statement.item, size=statement.size, condition=absent, action="Put")
    if isinstance(statement, Existence):
        return _condition_check(statement, table, request)
    found = _one_item(table, statement.where, statement.bindings)
    if isinstance(statement, UpdateStatement):
        return _update(statement, table, found, request)
    return _delete(statement, table, found, request)


def _update(statement: UpdateStatement, table: Table, found: _Keyed, request: dict[str, Any]) -> Checked:
    condition = _there(table, statement.bindings, "attribute_exists")
    if found.conditions:
        condition = And((condition, *found.conditions))
    if statement.returning is not None:
        request = {**request, "ReturnValues": _RETURN_VALUES[statement.returning]}
    part = Checked(
        request, table.name, key=found.key, condition=StatementCondition(condition, statement.bindings), action="Update"
    )
    part.update = statement.update
    return part


def _delete(statement: Deletion, table: Table, found: _Keyed, request: dict[str, Any]) -> Checked:
    condition = None
    if found.condition is not None:
        # An item that is not there is as good as deleted: the condition is about one that is.
        absent = _there(table, statement.bindings, "attribute_not_exists")
        condition = StatementCondition(Or((absent, found.condition)), statement.bindings)
    if statement.returns_old:
        request = {**request, "ReturnValues": "ALL_OLD"}
    return Checked(request, table.name, key=found.key, condition=condition, action="Delete")


def _condition_check(statement: Existence, table: Table, request: dict[str, Any]) -> Checked:
    selection = statement.selection
    found = keyed(table, selection.where, selection.bindings)
    if not found.is_whole(table) or found.condition is None:
        raise ValidationException("EXISTS() must contain a single item read with additional condition")
    condition = StatementCondition(found.condition, selection.bindings)
    return Checked(request, table.name, key=found.key, condition=condition, action="ConditionCheck")


def get_of(statement: Selection, table: Table, columns: Columns | None, request: dict[str, Any]) -> Checked | None:
    """The read of one item that a SELECT is; None when it names more than the key, or less."""
    found = keyed(table, statement.where, statement.bindings, single_in=True)
    if not found.is_whole(table) or found.conditions:
        return None
    return Checked(request, table.name, key=found.key, projection=columns, action="Get")


def _one_item(table: Table, where: ConditionTree | None, bindings: Bindings) -> _Keyed:
    found = keyed(table, where, bindings)
    if found.names_two:
        raise ValidationException(
            f"Multiple conditions on same key {found.names_two}. Only single item Update/Insert/Delete are supported"
        )
    if not found.is_whole(table):
        raise ValidationException("Where clause does not contain a mandatory equality on all key attributes")
    return found


def _there(table: Table, bindings: Bindings, function: str) -> ConditionTree:
    """Whether there is an item: one that is there has its key."""
    return Operation(function, (bindings.attribute(table.key.hash[0].name),))


def duplicate_item() -> DuplicateItemException:
    """INSERT's name for a condition that fails: it has no other than that there is no item."""
    return DuplicateItemException("Duplicate primary key exists in table")
