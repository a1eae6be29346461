"""The functions of the expression languages: how many operands each takes, and where it may stand."""

from __future__ import annotations

from collections.abc import Mapping

from sekkei.engine.items.values import AttributeValue

Values = Mapping[str, AttributeValue]

CONDITION_FUNCTIONS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
}
OPERAND_FUNCTIONS = {"size": 1}
"""They give a value that a condition compares."""
UPDATE_FUNCTIONS = {"if_not_exists": 2, "list_append": 2}
IN_OPERANDS_MAX = 100


def wrong_function(operator: str) -> str:
    return f"Invalid function name; function: {operator}"


def misplaced_function(operator: str) -> str:
    return f"The function is not allowed to be used this way in an expression; function: {operator}"


def wrong_count(operator: str, count: int) -> str:
    return (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {operator}, number of operands: {count}"
    )


def wrong_type(operator: str, kind: str) -> str:
    return f"Incorrect operand type for operator or function; operator or function: {operator}, operand type: {kind}"


def path_required(operator: str) -> str:
    return f"Operator or function requires a document path; operator or function: {operator}"


def undefined_value(name: str) -> str:
    return f"An expression attribute value used in expression is not defined; attribute value: {name}"


def not_distinct(operator: str, path: str) -> str:
    return (
        "The first operand must be distinct from the remaining operands for this operator or function; "
        f"operator: {operator}, first operand: {path}"
    )
