"""What DynamoDB refuses in a condition, in its order.

First, over the whole text: functions that do not exist, functions in the wrong place, reserved words. Then condition by
condition: names and values that are not defined, the number of operands, an operand given twice, types.
"""

from __future__ import annotations

from collections.abc import Mapping

from sekkei.engine.expressions import paths
from sekkei.engine.expressions.checks import Checks, Problem, has_type, type_of
from sekkei.engine.expressions.functions import (
    CONDITION_FUNCTIONS,
    IN_OPERANDS_MAX,
    OPERAND_FUNCTIONS,
    UPDATE_FUNCTIONS,
    Values,
    misplaced_function,
    not_distinct,
    path_required,
    wrong_count,
    wrong_function,
    wrong_type,
)
from sekkei.engine.expressions.grammar import CONDITION_OPERATORS
from sekkei.engine.expressions.lexer import invalid
from sekkei.engine.expressions.nodes import (
    Condition,
    Node,
    Operand,
    Operation,
    Path,
    Value,
    children,
    inside_out,
    leaves,
    shown,
    walk,
)
from sekkei.engine.items.values import AttributeValue, compare

_ORDERED = frozenset({"S", "N", "B"})
_TEXTUAL = frozenset({"S", "B"})
_SIZEABLE = frozenset({"S", "B", "SS", "NS", "BS", "L", "M"})
_TYPES = ("B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M")
_OPERAND_TYPES = {
    **dict.fromkeys(("<", "<=", ">", ">=", "BETWEEN"), _ORDERED),
    "begins_with": _TEXTUAL,
    "size": _SIZEABLE,
}
_COUNTS = CONDITION_FUNCTIONS | OPERAND_FUNCTIONS


def check_words(parameter: str, tree: Condition) -> None:
    nodes = list(walk(tree))
    for node in nodes:
        if isinstance(node, Operation) and node.operator not in CONDITION_OPERATORS and node.operator not in _COUNTS:
            if node.operator in UPDATE_FUNCTIONS:
                raise invalid(
                    parameter, f"The function is not allowed in a condition expression; function: {node.operator}"
                )
            raise invalid(parameter, wrong_function(node.operator))
    _check_places(parameter, tree, OPERAND_FUNCTIONS)
    for node in nodes:
        for child in children(node):
            _check_places(parameter, child, CONDITION_FUNCTIONS if isinstance(node, Operation) else OPERAND_FUNCTIONS)
    paths.check_words(parameter, (node for node in nodes if isinstance(node, Path)))


def _check_places(parameter: str, node: Node, forbidden: Mapping[str, int]) -> None:
    if isinstance(node, Operation) and node.operator in forbidden:
        raise invalid(parameter, misplaced_function(node.operator))


def checks(parameter: str, tree: Condition, names: Mapping[str, str]) -> Checks:
    """The checks that need names and values, one condition after the other."""
    found = Checks(parameter)
    for leaf in leaves(tree):
        for node in walk(leaf):
            if isinstance(node, Value):
                found.require(node.name)
            elif isinstance(node, Path) and (problem := paths.problem(node, names)):
                return found.refuse(problem)
        operations = list(inside_out(leaf))
        for problem in (*map(_miscount, operations), *(_repetition(each, names) for each in operations)):
            if problem:
                return found.refuse(problem)
        for operation in operations:
            if operation.operator in ("attribute_exists", "attribute_not_exists"):
                if not isinstance(operation.operands[0], Path):
                    return found.refuse(path_required(operation.operator))
            elif _has_type_problems(operation):
                found.add(_type_problem(operation))
    return found


def _miscount(operation: Operation) -> str:
    count = len(operation.operands)
    if operation.operator in _COUNTS and count != _COUNTS[operation.operator]:
        return wrong_count(operation.operator, count)
    if operation.operator == "IN" and count - 1 > IN_OPERANDS_MAX:
        return f"The IN operator is provided with too many operands; number of operands: {count - 1}"
    return ""


def _repetition(operation: Operation, names: Mapping[str, str]) -> str:
    first, *others = operation.operands
    if isinstance(first, Path):
        elements = paths.resolved(first, names)
        if any(isinstance(other, Path) and paths.resolved(other, names) == elements for other in others):
            return not_distinct(operation.operator, shown(elements))
    return ""


def _has_type_problems(operation: Operation) -> bool:
    if operation.operator == "attribute_type":
        return True
    return operation.operator in _OPERAND_TYPES and any(map(has_type, operation.operands))


def _type_problem(operation: Operation) -> Problem:
    operator, operands = operation
    if operator == "attribute_type":
        return lambda values: _type_name_problem(operands[1], values)
    allowed = _OPERAND_TYPES[operator]
    bounds = operands[1:] if operator == "BETWEEN" else ()

    def problem(values: Values) -> str:
        for operand in operands:
            kind = type_of(operand, values)
            if kind is not None and kind not in allowed:
                return wrong_type(operator, kind)
        if bounds and isinstance(bounds[0], Value) and isinstance(bounds[1], Value):
            return _bounds_problem(values[bounds[0].name], values[bounds[1].name])
        return ""

    return problem


def _type_name_problem(operand: Operand, values: Values) -> str:
    kind = type_of(operand, values)
    if kind != "S" or not isinstance(operand, Value):
        return wrong_type("attribute_type", kind or "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
    name = values[operand.name]["S"]
    if name not in _TYPES:
        return f"Invalid attribute type name found; type: {name}, valid types: {{{','.join(_TYPES)}}}"
    return ""


def _bounds_problem(low: AttributeValue, high: AttributeValue) -> str:
    order = compare(low, high)
    if order is None:
        rule = "same data type for lower and upper bounds"
    elif order > 0:
        rule = "upper bound to be greater than or equal to lower bound"
    else:
        return ""
    return (
        f"The BETWEEN operator requires {rule}; "
        f"lower bound operand: {_shown_value(low)}, upper bound operand: {_shown_value(high)}"
    )


def _shown_value(value: AttributeValue) -> str:
    kind, content = next(iter(value.items()))
    return f"AttributeValue: {{{kind}:{content}}}"
