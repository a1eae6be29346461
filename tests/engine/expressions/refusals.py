"""What an expression is refused with; empty when it is accepted."""

from typing import Any

from sekkei.engine.expressions import parse_condition, parse_key_condition, parse_projection, parse_update
from tests.engine.refusals import refusal_of


def of_condition(text: str, values: Any = None, names: Any = None, parameter: str = "ConditionExpression") -> str:
    return refusal_of(lambda: parse_condition(text, parameter, names).bind(values))


def of_key_condition(text: str, values: Any = None, names: Any = None) -> str:
    return refusal_of(lambda: parse_key_condition(text, names).bind(values).tests())


def of_update(text: str, values: Any = None, names: Any = None) -> str:
    return refusal_of(lambda: parse_update(text, names).bind(values))


def of_projection(text: str, names: Any = None) -> str:
    return refusal_of(lambda: parse_projection(text, names))
