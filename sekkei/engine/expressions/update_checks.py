"""What DynamoDB refuses in an update, in its order: each problem is looked for in the whole text before the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sekkei.engine.expressions import paths
from sekkei.engine.expressions.checks import Checks, Problem, type_of
from sekkei.engine.expressions.functions import (
    CONDITION_FUNCTIONS,
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
from sekkei.engine.expressions.grammar import Action
from sekkei.engine.expressions.lexer import invalid
from sekkei.engine.expressions.nodes import Node, Operation, Path, Value, inside_out, shown, walk

_ALLOWED = {"ADD": ("N", "SS", "NS", "BS"), "DELETE": ("SS", "NS", "BS")}
_LONG_TYPES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "L": "LIST",
    "M": "MAP",
}
_OPERAND_TYPES = {"+": "N", "-": "N", "list_append": "L"}


def nodes(actions: tuple[Action, ...]) -> Iterator[Node]:
    """Every path, value and function, as they are read."""
    for action in actions:
        yield action.path
        if action.operand is not None:
            yield from walk(action.operand)


def check_words(parameter: str, actions: tuple[Action, ...], repeated_section: str) -> None:
    paths.check_words(parameter, (node for node in nodes(actions) if isinstance(node, Path)))
    operations = [node for node in nodes(actions) if isinstance(node, Operation) and node.operator not in ("+", "-")]
    for operation in operations:
        operator = operation.operator
        if operator in CONDITION_FUNCTIONS or operator in OPERAND_FUNCTIONS:
            raise invalid(parameter, f"The function is not allowed in an update expression; function: {operator}")
        if operator not in UPDATE_FUNCTIONS:
            raise invalid(parameter, wrong_function(operator))
    for operation in operations:
        for operand in operation.operands:
            # Only if_not_exists may stand inside another function.
            if isinstance(operand, Operation) and operand.operator != "if_not_exists":
                raise invalid(parameter, misplaced_function(operand.operator))
    if repeated_section:
        raise invalid(parameter, f'The "{repeated_section}" section can only be used once in an update expression;')


def check_names(parameter: str, actions: tuple[Action, ...], names: Mapping[str, str]) -> None:
    for node in nodes(actions):
        problem = paths.problem(node, names) if isinstance(node, Path) else ""
        if problem:
            raise invalid(parameter, problem)


def checks(parameter: str, actions: tuple[Action, ...], names: Mapping[str, str]) -> Checks:
    """The checks that need values; names are good already."""
    found = Checks(parameter)
    for node in nodes(actions):
        if isinstance(node, Value):
            found.require(node.name)
    problem = paths.clash([paths.resolved(action.path, names) for action in actions])
    if problem:
        return found.refuse(problem)
    for action in actions:
        if isinstance(action.operand, Value) and action.section != "SET":
            found.add(_set_problem(action.section, action.operand.name))
    for action in actions:
        for operation in inside_out(action.operand) if action.operand is not None else ():
            problem = _form_problem(operation, names)
            if problem:
                return found.refuse(problem)
            if operation.operator in _OPERAND_TYPES and any(isinstance(o, Value) for o in operation.operands):
                found.add(_type_problem(operation))
    return found


def _set_problem(section: str, name: str) -> Problem:
    def problem(values: Values) -> str:
        kind = next(iter(values[name]))
        if kind in _ALLOWED[section]:
            return ""
        return (
            f"Incorrect operand type for operator or function; operator: {section}, "
            f"operand type: {_LONG_TYPES[kind]}, typeSet: ALLOWED_FOR_{section}_OPERAND"
        )

    return problem


def _form_problem(operation: Operation, names: Mapping[str, str]) -> str:
    operator, operands = operation
    if operator in UPDATE_FUNCTIONS and len(operands) != UPDATE_FUNCTIONS[operator]:
        return wrong_count(operator, len(operands))
    if operator == "if_not_exists":
        first, second = operands
        if not isinstance(first, Path):
            return path_required(operator)
        if isinstance(second, Path) and paths.resolved(first, names) == paths.resolved(second, names):
            return not_distinct(operator, shown(paths.resolved(first, names)))
    return ""


def _type_problem(operation: Operation) -> Problem:
    operator, operands = operation
    wanted = _OPERAND_TYPES[operator]

    def problem(values: Values) -> str:
        for operand in operands:
            kind = type_of(operand, values)
            if kind is not None and kind != wanted:
                return wrong_type(operator, kind)
        return ""

    return problem
