"""The parameters from before expressions: checked, then written as the expressions that mean the same.

Expected, KeyConditions, QueryFilter, ScanFilter, AttributesToGet and AttributeUpdates live on in old programs. Their
rules and texts are their own; what they ask for is what an expression asks for, so they become one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sekkei.engine import values
from sekkei.engine.errors import ValidationException
from sekkei.engine.expressions.key_condition import KeyTest, KeyTests
from sekkei.engine.values import AttributeValue

INVALID = "One or more parameter values were invalid: "

_ARGUMENTS = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2}
_SCALARS = frozenset({"S", "N", "B"})
_ARGUMENT_TYPES = {
    **dict.fromkeys(("LE", "LT", "GE", "GT", "IN", "BETWEEN"), _SCALARS),
    **dict.fromkeys(("CONTAINS", "NOT_CONTAINS"), _SCALARS | {"BOOL", "NULL"}),
    "BEGINS_WITH": frozenset({"S", "B"}),
}
_TEMPLATES = {
    "EQ": "{0} = {1}",
    "NE": "{0} <> {1}",
    "LE": "{0} <= {1}",
    "LT": "{0} < {1}",
    "GE": "{0} >= {1}",
    "GT": "{0} > {1}",
    "NULL": "attribute_not_exists({0})",
    "NOT_NULL": "attribute_exists({0})",
    "CONTAINS": "contains({0}, {1})",
    "NOT_CONTAINS": "NOT contains({0}, {1})",
    "BEGINS_WITH": "begins_with({0}, {1})",
    "BETWEEN": "{0} BETWEEN {1} AND {2}",
}
_KEY_OPERATORS = {
    "EQ": "=",
    "LE": "<=",
    "LT": "<",
    "GE": ">=",
    "GT": ">",
    "BETWEEN": "BETWEEN",
    "BEGINS_WITH": "begins_with",
}
_DELETABLE = frozenset({"SS", "NS", "BS"})
_ADDABLE = frozenset({"N", "SS", "NS", "BS", "L"})


class Condition(NamedTuple):
    """One attribute, one comparison, its normalised arguments."""

    name: str
    operator: str
    arguments: list[AttributeValue]


def checked_conditions(conditions: Mapping[str, dict[str, Any]]) -> list[Condition]:
    """KeyConditions, QueryFilter or ScanFilter, in order."""
    result = []
    for name, condition in conditions.items():
        arguments = [values.normalised(value) for value in condition.get("AttributeValueList", ())]
        operator = condition["ComparisonOperator"]
        _check_arguments(operator, arguments)
        result.append(Condition(name, operator, arguments))
    return result


def key_conditions(conditions: Mapping[str, dict[str, Any]]) -> KeyTests:
    """KeyConditions; an operator that no key can be searched by stays, to be refused once the key is known."""
    checked = checked_conditions(conditions)
    if not 1 <= len(checked) <= 2:
        raise ValidationException("Conditions can be of length 1 or 2 only")
    return KeyTests({name: KeyTest(operator, tuple(arguments)) for name, operator, arguments in checked})


def checked_expected(expected: Mapping[str, dict[str, Any]]) -> list[Condition]:
    """Expected, in order; a plain Value is an equality, Exists false an absence."""
    return [_expectation(name, condition) for name, condition in expected.items()]


def _expectation(name: str, condition: dict[str, Any]) -> Condition:
    listed, value, operator = (condition.get(m) for m in ("AttributeValueList", "Value", "ComparisonOperator"))
    if listed is not None and value is not None:
        raise _refusal(f"Value and AttributeValueList cannot be used together for Attribute: {name}")
    if operator is None:
        return _existence(name, condition)
    if "Exists" in condition:
        raise _refusal(f"Exists and ComparisonOperator cannot be used together for Attribute: {name}")
    if operator not in ("NULL", "NOT_NULL") and listed is None and value is None:
        raise _refusal(
            f"Value or AttributeValueList must be used with ComparisonOperator: {operator} for Attribute: {name}"
        )
    given = listed if listed is not None else [] if value is None else [value]
    _check_count(operator, given)
    arguments = [values.normalised(argument) for argument in given]
    _check_arguments(operator, arguments)
    return Condition(name, operator, arguments)


def _existence(name: str, condition: dict[str, Any]) -> Condition:
    if "AttributeValueList" in condition:
        raise _refusal(f"AttributeValueList can only be used with a ComparisonOperator for Attribute: {name}")
    exists, value = condition.get("Exists"), condition.get("Value")
    if exists is False:
        if value is not None:
            raise _refusal(f"Value cannot be used when Exists is false for Attribute: {name}")
        return Condition(name, "NULL", [])
    if value is None:
        stated = "null" if exists is None else "true"
        raise _refusal(f"Value must be provided when Exists is {stated} for Attribute: {name}")
    return Condition(name, "EQ", [values.normalised(value)])


def _check_count(operator: str, arguments: list[AttributeValue]) -> None:
    count = len(arguments)
    if count < 1 if operator == "IN" else count != _ARGUMENTS.get(operator, 1):
        raise _refusal(f"Invalid number of argument(s) for the {operator} ComparisonOperator")


def _check_arguments(operator: str, arguments: list[AttributeValue]) -> None:
    _check_count(operator, arguments)
    kinds = [values.type_of(argument) for argument in arguments]
    if len(set(kinds)) > 1:
        raise _refusal("AttributeValues inside AttributeValueList must be of same type")
    allowed = _ARGUMENT_TYPES.get(operator)
    if kinds and allowed and kinds[0] not in allowed:
        raise _refusal(f"ComparisonOperator {operator} is not valid for {kinds[0]} AttributeValue type")
    if operator == "BETWEEN" and values.compare(arguments[0], arguments[1]) == 1:
        raise ValidationException(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
        )


def _refusal(text: str) -> ValidationException:
    return ValidationException(INVALID + text)


def check_attributes_to_get(names: list[str]) -> None:
    if len(set(names)) != len(names):
        twice = next(name for index, name in enumerate(names) if name in names[:index])
        raise _refusal(f"Duplicate value in attribute name: {twice}")


def checked_updates(updates: Mapping[str, dict[str, Any]]) -> list[tuple[str, str, AttributeValue | None]]:
    """AttributeUpdates as (attribute, action, value)."""
    result = []
    for name, update in updates.items():
        action = update.get("Action", "PUT")
        value = None if "Value" not in update else values.normalised(update["Value"])
        if value is None and action != "DELETE":
            raise _refusal("Only DELETE action is allowed when no attribute value is specified")
        if value is not None:
            kind = values.type_of(value)
            if action == "DELETE" and kind not in _DELETABLE:
                raise _refusal(f"DELETE action with value is not supported for the type {kind}")
            if action == "ADD" and kind not in _ADDABLE:
                raise _refusal(f"ADD action is not supported for the type {kind}")
        result.append((name, action, value))
    return result
