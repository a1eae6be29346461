"""What an expression is refused with; empty when it is accepted."""

from collections.abc import Callable
from typing import Any

from sekkei.engine.expressions import parse_condition, parse_key_condition, parse_projection, parse_update
from sekkei.errors import ValidationException


def refusal(ask: Callable[[], Any]) -> str:
    try:
        ask()
    except ValidationException as error:
        return error.message
    return ""


def of_condition(text: str, values: Any = None, names: Any = None, parameter: str = "ConditionExpression") -> str:
    return refusal(lambda: parse_condition(text, parameter, names).bind(values))


def of_key_condition(text: str, values: Any = None, names: Any = None) -> str:
    return refusal(lambda: parse_key_condition(text, names).bind(values).tests())


def of_update(text: str, values: Any = None, names: Any = None) -> str:
    return refusal(lambda: parse_update(text, names).bind(values))


def of_projection(text: str, names: Any = None) -> str:
    return refusal(lambda: parse_projection(text, names))
