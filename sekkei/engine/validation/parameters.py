"""Expressions and their placeholders, which may stand together, and the parameters from before expressions.

This is the one place where expressions are parsed. Expected, KeyConditions, QueryFilter, ScanFilter, AttributesToGet
and AttributeUpdates live on in old programs; DynamoDB checks them by rules and with texts of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sekkei.engine import expressions
from sekkei.engine.items import values
from sekkei.engine.items.values import AttributeValue
from sekkei.engine.operation import Condition
from sekkei.errors import ValidationException

_INVALID = "One or more parameter values were invalid: "

_Conditions = Mapping[str, Mapping[str, Any]]

_ARGUMENTS = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2}
_SCALARS = frozenset({"S", "N", "B"})
_ARGUMENT_TYPES = {
    **dict.fromkeys(("LE", "LT", "GE", "GT", "IN", "BETWEEN"), _SCALARS),
    **dict.fromkeys(("CONTAINS", "NOT_CONTAINS"), _SCALARS | {"BOOL", "NULL"}),
    "BEGINS_WITH": frozenset({"S", "B"}),
}
_DELETABLE = frozenset({"SS", "NS", "BS"})
_ADDABLE = frozenset({"N", "SS", "NS", "BS", "L"})


def _conditions(conditions: _Conditions) -> dict[str, dict[str, Any]]:
    return {name: _condition(condition) for name, condition in conditions.items()}


def _condition(condition: Mapping[str, Any]) -> dict[str, Any]:
    operator = condition["ComparisonOperator"]
    arguments = [values.normalised(value) for value in condition.get("AttributeValueList", ())]
    _check_arguments(operator, arguments)
    return {"ComparisonOperator": operator, "AttributeValueList": arguments}


def filtered(conditions: _Conditions, request: Mapping[str, Any]) -> expressions.legacy.Conditions | None:
    """QueryFilter or ScanFilter under the request's ConditionalOperator; None when they ask for nothing."""
    checked = _conditions(conditions)
    operator = _operator(request, checked)
    return expressions.legacy.filter(checked, operator) if checked else None


def _operator(request: Mapping[str, Any], conditions: _Conditions) -> str | None:
    operator: str | None = request.get("ConditionalOperator")
    if operator is not None and not conditions:
        raise ValidationException("ConditionalOperator cannot be used without Filter or Expected")
    if operator is not None and len(conditions) == 1:
        raise ValidationException(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )
    return operator


def key_conditions(conditions: _Conditions) -> expressions.KeyTests:
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


def legacy_projection(names: list[str]) -> expressions.Projection:
    """AttributesToGet."""
    if len(set(names)) != len(names):
        twice = next(name for index, name in enumerate(names) if name in names[:index])
        raise _refusal(f"Duplicate value in attribute name: {twice}")
    for name in names:
        values.check_name(name)
    return expressions.legacy.attributes_to_get(names)


def updates(attribute_updates: _Conditions) -> expressions.legacy.AttributeUpdates:
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
    return ValidationException(_INVALID + text)


_is_placeholder = re.compile("[#:][0-9a-zA-Z_]+").fullmatch
_KEPT_LENGTH_MAX = 64
_PLACEHOLDER_LONGEST = 255

_PLACEHOLDERS = ("ExpressionAttributeNames", "ExpressionAttributeValues")


class Parameters:
    """The expressions an operation takes and the older parameters they replaced."""

    def __init__(self, new: str, legacy: str = "") -> None:
        self.expressions = new.split()
        self.legacy = legacy.split()
        self._with_values = [name for name in self.expressions if name != "ProjectionExpression"]
        self._all = frozenset((*self.expressions, *self.legacy, *_PLACEHOLDERS))
        self._accepted: set[frozenset[str]] = set()

    def check(self, request: dict[str, Any]) -> bool:
        """Refuse the old beside the new, and placeholders without an expression. False when there is none of them."""
        if self._all.isdisjoint(request):
            return False
        given = self._all.intersection(request)
        if given not in self._accepted:
            self._check(request)
            self._accepted.add(given)
        return True

    def _check(self, request: dict[str, Any]) -> None:
        present = [name for name in self.expressions if name in request]
        if present:
            old = [name for name in self.legacy if name in request and not self._is_apart(name, request)]
            if old:
                raise ValidationException(
                    "Can not use both expression and non-expression parameters in the same request: "
                    f"Non-expression parameters: {{{', '.join(old)}}} Expression parameters: {{{', '.join(present)}}}"
                )
        elif "ExpressionAttributeNames" in request:
            raise ValidationException("ExpressionAttributeNames can only be specified when using expressions")
        if "ExpressionAttributeValues" in request and not any(name in request for name in self._with_values):
            verb = "is" if len(self._with_values) == 1 else "are"
            raise ValidationException(
                "ExpressionAttributeValues can only be specified when using expressions: "
                f"{' and '.join(self._with_values)} {verb} null"
            )

    @staticmethod
    def _is_apart(name: str, request: dict[str, Any]) -> bool:
        """KeyConditions may stand beside expressions that are not about the key."""
        return name == "KeyConditions" and "KeyConditionExpression" not in request


class Placeholders:
    """One request's ExpressionAttributeNames and -Values: checked, then handed to each expression in turn."""

    __slots__ = ("_parsed", "names", "values")

    def __init__(self, request: dict[str, Any]) -> None:
        self.names = _checked_names(request.get("ExpressionAttributeNames"))
        self.values = _checked_values(request.get("ExpressionAttributeValues"))
        self._parsed: list[expressions.Expression] = []

    def update(self, text: str) -> expressions.BoundUpdate:
        parsed = expressions.parse_update(text, self.names)
        self._parsed.append(parsed)
        return parsed.bind(self.values)

    def condition(self, text: str, kind: str = "ConditionExpression") -> expressions.BoundCondition:
        parsed = expressions.parse_condition(text, kind, self.names)
        self._parsed.append(parsed)
        return parsed.bind(self.values)

    def key_condition(self, text: str) -> expressions.BoundKeyCondition:
        parsed = expressions.parse_key_condition(text, self.names)
        self._parsed.append(parsed)
        return parsed.bind(self.values)

    def projection(self, text: str) -> expressions.Projection:
        parsed = expressions.parse_projection(text, self.names)
        self._parsed.append(parsed)
        return parsed

    def check_used(self) -> None:
        """Every placeholder must have been used by one of the expressions."""
        expressions.check_unused(self.names, self.values, self._parsed)


def _fits(sign: str, key: str) -> bool:
    return len(key) <= _PLACEHOLDER_LONGEST and key.startswith(sign) and _is_placeholder(key) is not None


# Programs use the same few placeholders again and again; long ones are not kept, they would fill memory.
_short_fits = lru_cache(4096)(_fits)


def _bad_key(member: str, key: str) -> ValidationException:
    size = len(key.encode())
    if size > _PLACEHOLDER_LONGEST:
        # Only the names say how long.
        how_long = f" size of key: {size}" if member == "ExpressionAttributeNames" else ""
        problem = f"The expression attribute map contains a key that is too long;{how_long}"
    else:
        problem = f'Syntax error; key: "{key}"'
    return ValidationException(f"{member} contains invalid key: {problem}")


def _checked_names(names: dict[str, str] | None) -> dict[str, str] | None:
    if names is None:
        return None
    if not names:
        raise ValidationException("ExpressionAttributeNames must not be empty")
    for key, name in names.items():
        if not (_short_fits if len(key) <= _KEPT_LENGTH_MAX else _fits)("#", key):
            raise _bad_key("ExpressionAttributeNames", key)
        if not 0 < len(name) < 16_384:
            _check_name(key, name)
    return names


def _check_name(key: str, name: str) -> None:
    try:
        values.check_name(name)
    except ValidationException as refusal:
        raise ValidationException(
            f"ExpressionAttributeNames contains invalid value: {refusal.message} for key {key}"
        ) from None


def _checked_values(given: dict[str, Any] | None) -> values.Item | None:
    if given is None:
        return None
    if not given:
        raise ValidationException("ExpressionAttributeValues must not be empty")
    for key in given:
        if not (_short_fits if len(key) <= _KEPT_LENGTH_MAX else _fits)(":", key):
            raise _bad_key("ExpressionAttributeValues", key)
    return {
        key: value if len(value) == 1 and "S" in value else _checked_value(key, value) for key, value in given.items()
    }


def _checked_value(key: str, value: dict[str, Any]) -> values.AttributeValue:
    try:
        return values.normalised(value)
    except ValidationException as refusal:
        if refusal.message.startswith("Nesting Levels"):
            raise
        raise ValidationException(
            f"ExpressionAttributeValues contains invalid value: {refusal.message} for key {key}"
        ) from None


def projection_of(request: dict[str, Any]) -> expressions.Projection | None:
    """ProjectionExpression or AttributesToGet; None when all is asked for."""
    names = request.get("AttributesToGet")
    if names is not None:
        return legacy_projection(names)
    placeholders = Placeholders(request)
    text = request.get("ProjectionExpression")
    projection = None if text is None else placeholders.projection(text)
    placeholders.check_used()
    return projection


def condition_of(request: dict[str, Any]) -> Condition | None:
    """ConditionExpression or Expected, bound; None when there is no condition."""
    text = request.get("ConditionExpression")
    if text is None:
        return expected(request)
    placeholders = Placeholders(request)
    condition = placeholders.condition(text)
    placeholders.check_used()
    return condition
