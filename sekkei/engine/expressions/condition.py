"""ConditionExpression and FilterExpression: read, checked, bound, tested.

DynamoDB's checks come in its order. First, over the whole text: functions that do not exist, functions in the wrong
place, reserved words. Then condition by condition: names and values that are not defined, the number of operands, an
operand that occurs twice, types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self

from sekkei.engine.expressions import evaluation, paths
from sekkei.engine.expressions.evaluation import (
    CONDITION_FUNCTIONS,
    IN_OPERANDS_MAX,
    OPERAND_FUNCTIONS,
    UPDATE_FUNCTIONS,
    Values,
    misplaced_function,
    not_distinct,
    path_required,
    undefined_value,
    wrong_count,
    wrong_function,
    wrong_type,
)
from sekkei.engine.expressions.grammar import CONDITION_OPERATORS, Cache, ConditionReader, invalid
from sekkei.engine.expressions.nodes import (
    ConditionTree,
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
from sekkei.engine.expressions.nodes import ConditionTree as Tree
from sekkei.engine.items.values import AttributeValue, Item, compare

Problem = Callable[[Values], str]
"""Says what is wrong with the values; nothing when they are good."""


class Checks:
    """The checks of one expression, in DynamoDB's order. When all values are given, only the others are made."""

    __slots__ = ("_all", "_others", "_parameter", "_required", "refuses")

    def __init__(self, parameter: str) -> None:
        self._parameter = parameter
        self._required: set[str] = set()
        self._all: list[Problem] = []
        self._others: list[Problem] = []
        self.refuses = False
        """Whether no values at all could be good."""

    @property
    def any(self) -> bool:
        return bool(self._all)

    def require(self, name: str) -> None:
        self._required.add(name)
        self._all.append(lambda values: "" if name in values else undefined_value(name))

    def add(self, problem: Problem) -> None:
        self._all.append(problem)
        self._others.append(problem)

    def refuse(self, problem: str) -> Self:
        self.refuses = True
        self.add(lambda values: problem)
        return self

    def run(self, values: Values) -> None:
        for problem in self._others if self._required <= values.keys() else self._all:
            text = problem(values)
            if text:
                raise invalid(self._parameter, text)


def operand_type(operand: Operand, values: Values) -> str | None:
    """The type an operand has whatever the item holds; None when that depends on the item."""
    if isinstance(operand, Value):
        return next(iter(values[operand.name]))
    return "N" if isinstance(operand, Operation) and operand.operator == "size" else None


def _has_type(operand: Operand) -> bool:
    """Whether `type_of` will say something about it."""
    return isinstance(operand, Value) or (isinstance(operand, Operation) and operand.operator == "size")


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


def _check_words(parameter: str, tree: ConditionTree) -> None:
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


def checks(parameter: str, tree: ConditionTree, names: Mapping[str, str]) -> Checks:
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
    return operation.operator in _OPERAND_TYPES and any(map(_has_type, operation.operands))


def _type_problem(operation: Operation) -> Problem:
    operator, operands = operation
    if operator == "attribute_type":
        return lambda values: _type_name_problem(operands[1], values)
    allowed = _OPERAND_TYPES[operator]
    bounds = operands[1:] if operator == "BETWEEN" else ()

    def problem(values: Values) -> str:
        for operand in operands:
            kind = operand_type(operand, values)
            if kind is not None and kind not in allowed:
                return wrong_type(operator, kind)
        if bounds and isinstance(bounds[0], Value) and isinstance(bounds[1], Value):
            return _bounds_problem(values[bounds[0].name], values[bounds[1].name])
        return ""

    return problem


def _type_name_problem(operand: Operand, values: Values) -> str:
    kind = operand_type(operand, values)
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


NO_VALUES: Values = {}


class ConditionTemplate:
    """A condition whose syntax and words are good."""

    def __init__(self, parameter: str, text: str) -> None:
        reader = ConditionReader(parameter, text)
        tree = reader.read()
        reader.check_form()
        _check_words(parameter, tree)
        self.parameter = parameter
        self.tree = tree
        self.paths = tuple(node for node in walk(tree) if isinstance(node, Path))
        self.placeholders = paths.placeholders(self.paths)
        self.values = frozenset(node.name for node in walk(tree) if isinstance(node, Value))


class CheckedCondition:
    """A condition with its names resolved, and what it says about itself."""

    __slots__ = ("_checks", "attributes", "is_complete", "names", "nested", "parameter", "resolved", "tree", "values")

    def __init__(self, template: ConditionTemplate, names: Mapping[str, str]) -> None:
        self.parameter = template.parameter
        self.tree: Tree = template.tree
        self.resolved = names
        self.names = frozenset(template.placeholders)
        """The #placeholders it uses."""
        self.values = template.values
        """The :placeholders it uses."""
        known = [paths.resolved(path, names) for path in template.paths if not paths.problem(path, names)]
        self.attributes = frozenset(str(elements[0]) for elements in known)
        """The attributes it speaks of."""
        self.nested = frozenset(str(elements[0]) for elements in known if len(elements) > 1)
        """Those whose inside it speaks of."""
        self._checks: Checks = checks(template.parameter, template.tree, names)
        self.is_complete = not self._checks.refuses


class Condition(CheckedCondition):
    """A condition or a filter; `bind` gives it its values."""

    __slots__ = ("_test",)

    def __init__(self, template: ConditionTemplate, names: Mapping[str, str]) -> None:
        super().__init__(template, names)
        self._test = evaluation.compiled(template.tree, names) if self.is_complete else None

    def bind(self, values: Values | None = None) -> BoundCondition:
        values = values or NO_VALUES
        checks = self._checks
        if checks.any:
            checks.run(values)
        assert self._test is not None, "its checks refuse a condition that cannot be tested"
        return BoundCondition(self._test, values, self)


class BoundCondition:
    """A condition ready to be tested."""

    __slots__ = ("_test", "_values", "condition")

    def __init__(self, test: evaluation.Test, values: Values, condition: Condition) -> None:
        self._test = test
        self._values = values
        self.condition = condition

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes it speaks of."""
        return self.condition.attributes

    @property
    def nested(self) -> frozenset[str]:
        """Those whose inside it speaks of."""
        return self.condition.nested

    def matches(self, item: Item) -> bool:
        """Whether the condition holds for the item; where there is none, give {}."""
        return self._test(item, self._values)


_CACHE: Cache[ConditionTemplate, Condition] = Cache(ConditionTemplate, Condition)


def parse_condition(
    text: str, parameter: str = "ConditionExpression", names: Mapping[str, str] | None = None
) -> Condition:
    return _CACHE.get(parameter, text, names)
