"""Expressions and their placeholders: what may stand beside what, and the one place where expressions are parsed."""

from __future__ import annotations

import re
from typing import Any

from sekkei.engine import expressions, values
from sekkei.engine.errors import ValidationException
from sekkei.engine.validation import legacy

_is_name = re.compile("#[0-9a-zA-Z_]+").fullmatch
_is_value = re.compile(":[0-9a-zA-Z_]+").fullmatch

PLACEHOLDERS = ("ExpressionAttributeNames", "ExpressionAttributeValues")


class Parameters:
    """The expressions an operation takes and the older parameters they replaced."""

    def __init__(self, expressions: str, legacy: str = "") -> None:
        self.expressions = expressions.split()
        self.legacy = legacy.split()
        self._with_values = [name for name in self.expressions if name != "ProjectionExpression"]
        self._all = frozenset((*self.expressions, *self.legacy, *PLACEHOLDERS))

    def absent(self, request: dict[str, Any]) -> bool:
        """Whether the request has none of them, as most have not."""
        return self._all.isdisjoint(request)

    def check(self, request: dict[str, Any]) -> None:
        """Refuse the old beside the new, and placeholders without an expression."""
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

    __slots__ = ("_unused_names", "_unused_values", "names", "values")

    def __init__(self, request: dict[str, Any]) -> None:
        self.names: dict[str, str] = _checked_names(request.get("ExpressionAttributeNames"))
        self.values: values.Item = _checked_values(request.get("ExpressionAttributeValues"))
        self._unused_names = self.names.keys()
        self._unused_values = self.values.keys()

    def update(self, text: str) -> Any:
        return self._bound(expressions.parse_update(text, self.names))

    def condition(self, text: str, kind: str = "ConditionExpression") -> Any:
        return self._bound(expressions.parse_condition(text, kind, self.names))

    def key_condition(self, text: str) -> Any:
        return self._bound(expressions.parse_key_condition(text, self.names)).tests()

    def projection(self, text: str) -> Any:
        parsed = expressions.parse_projection(text, self.names)
        self._unused_names = self._unused_names - parsed.names
        return parsed

    def _bound(self, parsed: Any) -> Any:
        self._unused_names = self._unused_names - parsed.names
        self._unused_values = self._unused_values - parsed.values
        return parsed.bind(self.values)

    def check_used(self) -> None:
        """Every placeholder must have been used by one of the expressions."""
        for member, given, unused in (
            ("ExpressionAttributeNames", self.names, self._unused_names),
            ("ExpressionAttributeValues", self.values, self._unused_values),
        ):
            if unused:
                keys = ", ".join(key for key in given if key in unused)
                raise ValidationException(f"Value provided in {member} unused in expressions: keys: {{{keys}}}")


def _checked_names(names: dict[str, str] | None) -> dict[str, str]:
    if names is None:
        return {}
    if not names:
        raise ValidationException("ExpressionAttributeNames must not be empty")
    for key in names:
        if not _is_name(key):
            raise ValidationException(f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"')
    return names


def _checked_values(given: dict[str, Any] | None) -> values.Item:
    if given is None:
        return {}
    if not given:
        raise ValidationException("ExpressionAttributeValues must not be empty")
    for key in given:
        if not _is_value(key):
            raise ValidationException(f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{key}"')
    return {key: _checked_value(key, value) for key, value in given.items()}


def _checked_value(key: str, value: dict[str, Any]) -> values.AttributeValue:
    try:
        return values.normalised(value)
    except ValidationException as refusal:
        if refusal.message.startswith("Nesting Levels"):
            raise
        raise ValidationException(
            f"ExpressionAttributeValues contains invalid value: {refusal.message} for key {key}"
        ) from None


def projection_of(request: dict[str, Any]) -> Any:
    """ProjectionExpression or AttributesToGet, bound; None when all is asked for."""
    names = request.get("AttributesToGet")
    if names is not None:
        legacy.check_attributes_to_get(names)
        return legacy_projection(names)
    placeholders = Placeholders(request)
    text = request.get("ProjectionExpression")
    projection = None if text is None else placeholders.projection(text)
    placeholders.check_used()
    return projection


def condition_of(request: dict[str, Any]) -> Any:
    """ConditionExpression or Expected, bound; None when there is no condition."""
    text = request.get("ConditionExpression")
    if text is None:
        return legacy_condition(request, legacy.checked_expected(request.get("Expected", {})), "ConditionExpression")
    placeholders = Placeholders(request)
    condition = placeholders.condition(text)
    placeholders.check_used()
    return condition


def legacy_condition(request: dict[str, Any], conditions: list[legacy.Condition], kind: str) -> Any:
    """The conditions of Expected, QueryFilter or ScanFilter, bound; None when there are none."""
    operator = request.get("ConditionalOperator")
    if operator is not None and not conditions:
        raise ValidationException(f"{legacy.INVALID}ConditionalOperator cannot be used without Filter or Expected")
    if operator is not None and len(conditions) == 1:
        raise ValidationException(
            f"{legacy.INVALID}ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )
    if not conditions:
        return None
    return expressions.legacy.Conditions(conditions, operator)


def legacy_projection(names: list[str]) -> Any:
    return expressions.legacy.attributes_to_get(names)


def legacy_update(updates: list[tuple[str, str, values.AttributeValue | None]]) -> Any:
    if not updates:
        return None
    return expressions.legacy.AttributeUpdates(
        {name: {"Action": action, "Value": value} for name, action, value in updates}
    )
