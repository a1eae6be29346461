"""A statement with its parameters, checked as far as it can be without its table.

DynamoDB looks at the parameters first, then at the statement, and only then for the table: what is wrong with a
statement is said even if there is no such table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sekkei.engine.expressions.nodes import ConditionTree
from sekkei.engine.expressions.update import BoundUpdate
from sekkei.engine.items.values import AttributeValue, Item, item_size
from sekkei.engine.partiql import nodes, parameters
from sekkei.engine.partiql.columns import Columns, columns_of
from sekkei.engine.partiql.conditions import Bindings, condition_of
from sekkei.engine.partiql.expressions import unsupported
from sekkei.engine.partiql.literals import item_of
from sekkei.engine.partiql.nodes import Expression
from sekkei.engine.partiql.paths import Target, target_of
from sekkei.engine.partiql.statements import parse
from sekkei.engine.partiql.tokens import Span
from sekkei.engine.partiql.updates import update_of
from sekkei.engine.validation.item import check_item_size
from sekkei.errors import ValidationException


@dataclass(frozen=True, slots=True)
class Selection:
    """SELECT"""

    select: nodes.Select
    target: Target
    bindings: Bindings
    where: ConditionTree | None
    columns: Callable[[], Columns | None]
    """What is selected, None for everything. A call, since what is wrong with an index is said first."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """INSERT INTO"""

    target: Target
    item: Item
    size: int


@dataclass(frozen=True, slots=True)
class UpdateStatement:
    """UPDATE"""

    target: Target
    bindings: Bindings
    where: ConditionTree | None
    update: BoundUpdate
    returning: str | None
    """Such as "ALL NEW"."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """DELETE FROM"""

    target: Target
    bindings: Bindings
    where: ConditionTree | None
    returns_old: bool


@dataclass(frozen=True, slots=True)
class Existence:
    """EXISTS(SELECT …), which checks a condition in a transaction of writes."""

    selection: Selection

    @property
    def target(self) -> Target:
        return self.selection.target


Writing = Insertion | UpdateStatement | Deletion | Existence
Prepared = Selection | Writing


def prepare(statement: str, given: Sequence[dict[str, Any]]) -> Prepared:
    """A statement as a request has it."""
    return prepare_with(statement, parameters.normalised(given))


def prepare_with(statement: str, values: Sequence[AttributeValue]) -> Prepared:
    tree, needed = parse(statement)
    parameters.check_count(needed, values)
    match tree:
        case nodes.Select():
            return _selection(tree, values)
        case nodes.Insert():
            return _insertion(tree, values)
        case nodes.Update():
            return _change(tree, values)
        case nodes.Delete():
            return _deletion(tree, values)
        case nodes.Call("exists", (nodes.Select() as select,)):
            return Existence(_selection(select, values))
        case _:
            raise unsupported(tree)


def _selection(select: nodes.Select, values: Sequence[AttributeValue]) -> Selection:
    target = target_of(select.source)
    _refuse_clauses(select.unsupported)
    bindings, where = _where(select.where, values)
    if target.index_name is not None:
        return Selection(select, target, bindings, where, partial(columns_of, select.projections))
    columns = columns_of(select.projections)
    return Selection(select, target, bindings, where, lambda: columns)


def _insertion(insert: nodes.Insert, values: Sequence[AttributeValue]) -> Insertion:
    target = target_of(insert.source, is_insert=True)
    if not insert.with_value:
        raise unsupported(insert)
    _refuse_clauses(insert.unsupported)
    item = item_of(insert.value, values)
    size = item_size(item)
    check_item_size(size)
    return Insertion(target, item, size)


def _change(update: nodes.Update, values: Sequence[AttributeValue]) -> UpdateStatement:
    target = _table_of(update.source)
    bindings, where = _where(update.where, values)
    returning = _variant(update.returning)
    return UpdateStatement(target, bindings, where, update_of(update.actions, Bindings(values)), returning)


def _deletion(delete: nodes.Delete, values: Sequence[AttributeValue]) -> Deletion:
    target = _table_of(delete.source)
    bindings, where = _where(delete.where, values)
    variant = _variant(delete.returning)
    if variant not in (None, "ALL OLD"):
        raise ValidationException(
            f"Invalid returning clause: RETURNING {variant} *. "
            "Only RETURNING ALL OLD * is allowed in DELETE statements."
        )
    return Deletion(target, bindings, where, variant is not None)


def _table_of(source: nodes.Source) -> Target:
    target = target_of(source)
    if target.index_name is not None:
        raise ValidationException("This operation is not supported on an index")
    return target


def _where(where: Expression | None, values: Sequence[AttributeValue]) -> tuple[Bindings, ConditionTree | None]:
    bindings = Bindings(values)
    return bindings, condition_of(where, bindings) if where is not None else None


def _variant(returning: nodes.Returning | None) -> str | None:
    if returning is None:
        return None
    if returning.columns:
        raise ValidationException(f"Invalid returning clause: only RETURNING {returning.variant} * is supported.")
    return returning.variant


def _refuse_clauses(clauses: tuple[tuple[str, Span], ...]) -> None:
    for clause, at in clauses:
        raise ValidationException(f"Unsupported clause: {clause} at {at}")
