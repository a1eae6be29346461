"""A statement with its parameters, checked as far as it can be without its table.

DynamoDB reads all parameters first, whether the statement uses them or not, then the statement, and only then looks
for the table: a statement is refused for its faults even if there is no such table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sekkei.engine.expressions.nodes import ConditionTree
from sekkei.engine.expressions.update import BoundUpdate
from sekkei.engine.items import numbers, values
from sekkei.engine.items.values import AttributeValue, Item, item_size
from sekkei.engine.partiql import nodes
from sekkei.engine.partiql.clauses import (
    Bindings,
    Columns,
    Target,
    columns_of,
    condition_of,
    item_of,
    target_of,
    update_of,
)
from sekkei.engine.partiql.nodes import Expression
from sekkei.engine.partiql.parser import parse, unsupported
from sekkei.engine.partiql.tokens import Span
from sekkei.engine.validation.against_table import check_item_size
from sekkei.errors import ValidationException

_INTEGER_MAX = 2**31 - 1
_EXPONENT = re.compile(r"[eE][+-]?0*([0-9]*)$")
_WRITTEN = re.compile(r"[+-]?(?=\.?[0-9])([0-9]*)\.?([0-9]*)[eE]([+-]?)0*([0-9]+)")


def normalised(parameters: Sequence[dict[str, Any]]) -> list[AttributeValue]:
    """Every parameter checked, in the order in which they are written."""
    for parameter in parameters:
        _check_numbers(parameter, 0)
    return [values.normalised(parameter) for parameter in parameters]


def _check_count(needed: int, parameters: Sequence[AttributeValue]) -> None:
    if needed != len(parameters):
        raise ValidationException("Number of parameters in request and statement don't match.")


def _check_numbers(value: dict[str, Any], depth: int) -> None:
    """What differs from any other value of a request: the exponent and the magnitude of a number are read as 32 bits.

    Numbers and nesting are looked at in one walk, since DynamoDB names whichever fault it meets first.
    """
    if depth >= values.DEPTH_MAX:
        raise ValidationException(
            "Nesting Levels have exceeded supported limits: "
            "Attributes in the item have nested levels beyond supported limit"
        )
    if "N" in value:
        _check_number(value["N"])
    for member in value.get("NS") or ():
        _check_number(member)
    for child in value.get("L") or ():
        _check_numbers(child, depth + 1)
    for child in (value.get("M") or {}).values():
        _check_numbers(child, depth + 1)


def _check_number(text: Any) -> None:
    if not isinstance(text, str):
        return
    exponent = _EXPONENT.search(text)
    if exponent is not None and (len(exponent[1]) > 10 or int(exponent[1] or "0") > _INTEGER_MAX):
        raise ValidationException(f"The parameter cannot be converted to a numeric value: {text}")
    written = _WRITTEN.fullmatch(text)
    if written is not None:
        whole, fraction, sign, power = written.groups()
        digits = len((whole + fraction).lstrip("0")) or 1
        if digits - len(fraction) + int(sign + power) > _INTEGER_MAX:
            # The sum wraps around, and what is far too large counts as far too small.
            raise numbers.underflow()
    values.normalised({"N": text})


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
    return prepare_with(statement, normalised(given))


def prepare_with(statement: str, values: Sequence[AttributeValue]) -> Prepared:
    tree, needed = parse(statement)
    _check_count(needed, values)
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
