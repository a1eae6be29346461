"""The parameters from before expressions, on the same evaluation.

    legacy.expected(request["Expected"], request.get("ConditionalOperator", "AND")).matches(item)
    legacy.filter(request["QueryFilter"], "OR").matches(item)
    legacy.key_conditions(request["KeyConditions"]).on(table.key)
    legacy.attribute_updates(request["AttributeUpdates"]).apply(item)
    legacy.attributes_to_get(["a", "b"]).project(item)

Shapes, numbers of arguments and their types are checked by whoever calls; values must be normalised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sekkei.engine.expressions import evaluation
from sekkei.engine.expressions.key_condition import KeyTest, KeyTests
from sekkei.engine.expressions.paths import PathTree, Projection
from sekkei.engine.expressions.update import Updated, added, without
from sekkei.engine.items.values import AttributeValue, Item
from sekkei.errors import ValidationException

_Arguments = list[AttributeValue]
_Comparison = Callable[[AttributeValue | None, _Arguments], bool]


def _not_contains(value: AttributeValue | None, arguments: _Arguments) -> bool:
    """False where the attribute is missing, unlike NE."""
    return value is not None and not evaluation.contains(value, arguments[0])


_COMPARISONS: dict[str, _Comparison] = {
    "EQ": lambda value, arguments: evaluation.equals(value, arguments[0]),
    "NE": lambda value, arguments: evaluation.differs(value, arguments[0]),
    "LT": lambda value, arguments: evaluation.below(value, arguments[0]),
    "LE": lambda value, arguments: evaluation.at_most(value, arguments[0]),
    "GT": lambda value, arguments: evaluation.above(value, arguments[0]),
    "GE": lambda value, arguments: evaluation.at_least(value, arguments[0]),
    "NULL": lambda value, arguments: value is None,
    "NOT_NULL": lambda value, arguments: value is not None,
    "CONTAINS": lambda value, arguments: evaluation.contains(value, arguments[0]),
    "NOT_CONTAINS": _not_contains,
    "BEGINS_WITH": lambda value, arguments: evaluation.begins_with(value, arguments[0]),
    "IN": lambda value, arguments: any(evaluation.equals(value, argument) for argument in arguments),
    "BETWEEN": lambda value, arguments: (
        evaluation.at_least(value, arguments[0]) and evaluation.at_most(value, arguments[1])
    ),
}


_KEY_OPERATORS = {
    "EQ": "=",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
    "BEGINS_WITH": "begins_with",
}
"""Their names in a key condition; BETWEEN is itself, and no other can be used on a key."""


class Conditions:
    """Conditions on single attributes, all or any of which must hold."""

    __slots__ = ("_any", "_conditions", "attributes", "nested")

    def __init__(self, conditions: Iterable[tuple[str, str, _Arguments]], operator: str | None) -> None:
        self._conditions = [(name, _COMPARISONS[comparison], values) for name, comparison, values in conditions]
        self._any = operator == "OR"
        self.attributes = frozenset(name for name, _, _ in self._conditions)
        """The attributes they speak of."""
        self.nested: frozenset[str] = frozenset()

    def matches(self, item: Item) -> bool:
        if self._any and self._conditions:
            return any(comparison(item.get(name), values) for name, comparison, values in self._conditions)
        return all(comparison(item.get(name), values) for name, comparison, values in self._conditions)


def expected(conditions: Mapping[str, Mapping[str, Any]], operator: str | None = None) -> Conditions:
    """Expected: a comparison, or a Value that must be there, or Exists false."""
    return Conditions((_expectation(name, condition) for name, condition in conditions.items()), operator)


def _expectation(name: str, condition: Mapping[str, Any]) -> tuple[str, str, _Arguments]:
    values = condition.get("AttributeValueList")
    if values is None:
        values = [condition["Value"]] if condition.get("Value") is not None else []
    comparison = condition.get("ComparisonOperator")
    if comparison is None:
        comparison = "EQ" if values else "NULL"
    return name, comparison, values


def filter(conditions: Mapping[str, Mapping[str, Any]], operator: str | None = None) -> Conditions:
    """QueryFilter and ScanFilter."""
    return Conditions(
        (
            (name, condition["ComparisonOperator"], condition.get("AttributeValueList") or [])
            for name, condition in conditions.items()
        ),
        operator,
    )


def key_conditions(conditions: Mapping[str, Mapping[str, Any]]) -> KeyTests:
    """KeyConditions; whether an operator can be used on a key is for `KeyTests.on` to say."""
    return KeyTests(
        {
            name: KeyTest(
                _KEY_OPERATORS.get(condition["ComparisonOperator"], condition["ComparisonOperator"]),
                tuple(condition.get("AttributeValueList") or ()),
            )
            for name, condition in conditions.items()
        }
    )


def attributes_to_get(names: Iterable[str]) -> Projection:
    return Projection((name,) for name in names)


class AttributeUpdates:
    """AttributeUpdates: PUT, ADD and DELETE of whole attributes."""

    __slots__ = ("_tree", "_updates", "attributes", "changed", "creates", "nested")

    def __init__(self, updates: Mapping[str, Mapping[str, Any]]) -> None:
        self._updates = [(name, update.get("Action") or "PUT", update.get("Value")) for name, update in updates.items()]
        self._tree = PathTree.of(((name,), None) for name in updates)
        self.changed = tuple(updates)
        """The attributes it changes, in order."""
        self.attributes = frozenset(updates)
        self.nested: frozenset[str] = frozenset()
        # With nothing to do, an item of its key alone is made; with nothing but deletions, none.
        self.creates = not updates or any(action != "DELETE" for _, action, _ in self._updates)
        """Whether it makes an item where there is none."""

    def kinds(self) -> dict[str, str]:
        """The types of the values that are given."""
        return {name: next(iter(value)) for name, _, value in self._updates if value is not None}

    def apply(self, item: Item, exists: bool = True) -> Updated:
        """The item with the changes made. Where there is no item, give its key and exists=False."""
        if not exists and not self.creates:
            return Updated(None, None, self._tree)
        result = item.copy()
        for name, action, value in self._updates:
            changed = _changed(item.get(name), action, value)
            if changed is None:
                result.pop(name, None)
            else:
                result[name] = changed
        return Updated(result, item if exists else None, self._tree)


def attribute_updates(updates: Mapping[str, Mapping[str, Any]]) -> AttributeUpdates:
    return AttributeUpdates(updates)


def _changed(old: AttributeValue | None, action: str, value: AttributeValue | None) -> AttributeValue | None:
    if action == "PUT" or value is None:
        return value
    kind = next(iter(value))
    if action == "ADD":
        result = _with_elements(old, value) if kind == "L" else added(old, kind, value)
    else:
        result = {kind: []} if old is None else without(old, kind, value)
    if result is None:
        raise ValidationException("Type mismatch for attribute to update")
    return result if action == "ADD" or result[kind] else None


def _with_elements(old: AttributeValue | None, value: AttributeValue) -> AttributeValue | None:
    """ADD of a list appends; the documentation does not say so, but DynamoDB does."""
    if old is None:
        return value
    return {"L": old["L"] + value["L"]} if "L" in old else None
