"""DynamoDB's expression languages: parsed once (cached by text and names), bound to values, evaluated on wire items.

A condition or a filter:

    condition = parse_condition(text, "ConditionExpression", names).bind(values)
    condition.matches(item)                          # item {} where there is none

A key condition; what only it may not say is refused by `tests`, what does not fit the key by `on`:

    bound = parse_key_condition(text, names).bind(values)
    tests = bound.tests()                      # {attribute: KeyTest(operator, operands)}; operators as in key_range
    key_range = tests.on(table.key)                  # KeyRange(hash, equal, test)

A projection has no values:

    parse_projection(text, names).project(item)

An update; `changed` are the top-level names it changes, for the check of key attributes:

    update = parse_update(text, names).bind(values)
    updated = update.apply(item)                     # apply(key, exists=False) where there is no item
    updated.item, updated.updated_old(), updated.updated_new()      # item None: nothing is to be created

Every parsed expression has `names` and `values` (the placeholders it uses); parsed or bound, it has `attributes` (the
top-level names it speaks of) and `nested` (those it looks inside of). When all expressions of a request are bound:

    check_unused(names, values, [expression, ...])

Errors come from `parse_…` and from `bind`, since DynamoDB reports some of what it could know from the text only after
it has looked at the values: call them together. `names` and `values` are ExpressionAttributeNames and
ExpressionAttributeValues, or None; values must be normalised. The legacy parameters are in `legacy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from sekkei.engine.expressions import legacy
from sekkei.engine.expressions.condition import BoundCondition, Condition, parse_condition
from sekkei.engine.expressions.key_condition import (
    BoundKeyCondition,
    KeyCondition,
    KeyRange,
    KeyTest,
    KeyTests,
    parse_key_condition,
)
from sekkei.engine.expressions.paths import Projection, parse_projection
from sekkei.engine.expressions.update import BoundUpdate, Update, Updated, parse_update
from sekkei.errors import ValidationException

__all__ = [
    "BoundCondition",
    "BoundKeyCondition",
    "BoundUpdate",
    "Condition",
    "Expression",
    "KeyCondition",
    "KeyRange",
    "KeyTest",
    "KeyTests",
    "Projection",
    "Update",
    "Updated",
    "check_unused",
    "legacy",
    "parse_condition",
    "parse_key_condition",
    "parse_projection",
    "parse_update",
]


class Expression(Protocol):
    """What every parsed expression tells about its placeholders."""

    @property
    def names(self) -> frozenset[str]: ...
    @property
    def values(self) -> frozenset[str]: ...


def check_unused(
    names: Mapping[str, str] | None, values: Mapping[str, Any] | None, expressions: Iterable[Expression]
) -> None:
    """Refuses placeholders that are given but stand in no expression."""
    expressions = list(expressions)
    if names:
        _check_unused("ExpressionAttributeNames", names, [expression.names for expression in expressions])
    if values:
        _check_unused("ExpressionAttributeValues", values, [expression.values for expression in expressions])


def _check_unused(parameter: str, given: Mapping[str, Any], used: list[frozenset[str]]) -> None:
    known = used[0] if len(used) == 1 else frozenset().union(*used)
    if not given.keys() <= known:
        unused = ", ".join([name for name in given if name not in known])
        raise ValidationException(f"Value provided in {parameter} unused in expressions: keys: {{{unused}}}")
