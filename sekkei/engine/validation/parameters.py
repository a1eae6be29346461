"""Expressions and their placeholders: what may stand beside what, and the one place where expressions are parsed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from sekkei.engine import expressions
from sekkei.engine.items import values
from sekkei.engine.operation import Condition
from sekkei.engine.validation import legacy
from sekkei.errors import ValidationException

_is_placeholder = re.compile("[#:][0-9a-zA-Z_]+").fullmatch
KEPT_LENGTH_MAX = 64
PLACEHOLDER_LONGEST = 255

PLACEHOLDERS = ("ExpressionAttributeNames", "ExpressionAttributeValues")


class Parameters:
    """The expressions an operation takes and the older parameters they replaced."""

    def __init__(self, new: str, legacy: str = "") -> None:
        self.expressions = new.split()
        self.legacy = legacy.split()
        self._with_values = [name for name in self.expressions if name != "ProjectionExpression"]
        self._all = frozenset((*self.expressions, *self.legacy, *PLACEHOLDERS))
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
    return len(key) <= PLACEHOLDER_LONGEST and key.startswith(sign) and _is_placeholder(key) is not None


# Programs use the same few placeholders again and again; long ones are not kept, they would fill memory.
_short_fits = lru_cache(4096)(_fits)


def _bad_key(member: str, key: str) -> ValidationException:
    size = len(key.encode())
    if size > PLACEHOLDER_LONGEST:
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
        if not (_short_fits if len(key) <= KEPT_LENGTH_MAX else _fits)("#", key):
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
        if not (_short_fits if len(key) <= KEPT_LENGTH_MAX else _fits)(":", key):
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
        return legacy.projection(names)
    placeholders = Placeholders(request)
    text = request.get("ProjectionExpression")
    projection = None if text is None else placeholders.projection(text)
    placeholders.check_used()
    return projection


def condition_of(request: dict[str, Any]) -> Condition | None:
    """ConditionExpression or Expected, bound; None when there is no condition."""
    text = request.get("ConditionExpression")
    if text is None:
        return legacy.expected(request)
    placeholders = Placeholders(request)
    condition = placeholders.condition(text)
    placeholders.check_used()
    return condition
