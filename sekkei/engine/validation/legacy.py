"""The parameters from before expressions, checked by their own rules and in their own words.

Expected, KeyConditions, QueryFilter, ScanFilter, AttributesToGet and AttributeUpdates live on in old programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.engine import expressions
from sekkei.engine.items import values
from sekkei.engine.items.values import AttributeValue
from sekkei.errors import ValidationException

INVALID = "One or more parameter values were invalid: "

Conditions = Mapping[str, Mapping[str, Any]]

_ARGUMENTS = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2}
_SCALARS = frozenset({"S", "N", "B"})
_ARGUMENT_TYPES = {
    **dict.fromkeys(("LE", "LT", "GE", "GT", "IN", "BETWEEN"), _SCALARS),
    **dict.fromkeys(("CONTAINS", "NOT_CONTAINS"), _SCALARS | {"BOOL", "NULL"}),
    "BEGINS_WITH": frozenset({"S", "B"}),
}
_DELETABLE = frozenset({"SS", "NS", "BS"})
_ADDABLE = frozenset({"N", "SS", "NS", "BS", "L"})


def _conditions(conditions: Conditions) -> dict[str, dict[str, Any]]:
    return {name: _condition(condition) for name, condition in conditions.items()}


def _condition(condition: Mapping[str, Any]) -> dict[str, Any]:
    operator = condition["ComparisonOperator"]
    arguments = [values.normalised(value) for value in condition.get("AttributeValueList", ())]
    _check_arguments(operator, arguments)
    return {"ComparisonOperator": operator, "AttributeValueList": arguments}


def filtered(conditions: Conditions, request: Mapping[str, Any]) -> expressions.legacy.Conditions | None:
    """QueryFilter or ScanFilter under the request's ConditionalOperator; None when they ask for nothing."""
    checked = _conditions(conditions)
    operator = _operator(request, checked)
    return expressions.legacy.filter(checked, operator) if checked else None


def _operator(request: Mapping[str, Any], conditions: Conditions) -> str | None:
    operator: str | None = request.get("ConditionalOperator")
    if operator is not None and not conditions:
        raise ValidationException("ConditionalOperator cannot be used without Filter or Expected")
    if operator is not None and len(conditions) == 1:
        raise ValidationException(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )
    return operator


def key_conditions(conditions: Conditions) -> expressions.KeyTests:
    """KeyConditions; an operator that no key can be searched by stays, to be refused once the key is known."""
    checked = _conditions(conditions)
    if not checked:
        raise ValidationException("Conditions can be of length 1 or 2 only")
    return expressions.legacy.key_conditions(checked)


def expected(request: Mapping[str, Any]) -> expressions.legacy.Conditions | None:
    """Expected under ConditionalOperator; None when it asks for nothing."""
    conditions = {name: _expectation(name, condition) for name, condition in request.get("Expected", {}).items()}
    operator = _operator(request, conditions)
    return expressions.legacy.expected(conditions, operator) if conditions else None


def _expectation(name: str, condition: Mapping[str, Any]) -> dict[str, Any]:
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
    _check_count(operator, len(given))
    return _condition({"ComparisonOperator": operator, "AttributeValueList": given})


def _existence(name: str, condition: Mapping[str, Any]) -> dict[str, Any]:
    if "AttributeValueList" in condition:
        raise _refusal(f"AttributeValueList can only be used with a ComparisonOperator for Attribute: {name}")
    exists, value = condition.get("Exists"), condition.get("Value")
    if exists is False:
        if value is not None:
            raise _refusal(f"Value cannot be used when Exists is false for Attribute: {name}")
        return {"Exists": False}
    if value is None:
        stated = "null" if exists is None else "true"
        raise _refusal(f"Value must be provided when Exists is {stated} for Attribute: {name}")
    return {"Value": values.normalised(value)}


def _check_count(operator: str, count: int) -> None:
    if count < 1 if operator == "IN" else count != _ARGUMENTS.get(operator, 1):
        raise _refusal(f"Invalid number of argument(s) for the {operator} ComparisonOperator")


def _check_arguments(operator: str, arguments: list[AttributeValue]) -> None:
    _check_count(operator, len(arguments))
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


def projection(names: list[str]) -> expressions.Projection:
    """AttributesToGet."""
    if len(set(names)) != len(names):
        twice = next(name for index, name in enumerate(names) if name in names[:index])
        raise _refusal(f"Duplicate value in attribute name: {twice}")
    for name in names:
        values.check_name(name)
    return expressions.legacy.attributes_to_get(names)


def updates(attribute_updates: Conditions) -> expressions.legacy.AttributeUpdates:
    """AttributeUpdates; without any, an update that changes nothing."""
    for name in attribute_updates:
        values.check_name(name)
    return expressions.legacy.attribute_updates({name: _update(update) for name, update in attribute_updates.items()})


def _update(update: Mapping[str, Any]) -> dict[str, Any]:
    action = update.get("Action", "PUT")
    if "Value" not in update:
        if action != "DELETE":
            raise _refusal("Only DELETE action is allowed when no attribute value is specified")
        return {"Action": action}
    value = values.normalised(update["Value"])
    kind = values.type_of(value)
    if action == "DELETE" and kind not in _DELETABLE:
        raise _refusal(f"DELETE action with value is not supported for the type {kind}")
    if action == "ADD" and kind not in _ADDABLE:
        raise _refusal(f"ADD action is not supported for the type {kind}")
    return {"Action": action, "Value": value}


def _refusal(text: str) -> ValidationException:
    return ValidationException(INVALID + text)
