"""WHERE as a condition of the engine: the same tree, checks and evaluation that a ConditionExpression has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sekkei.engine.expressions import BoundCondition, condition, evaluation
from sekkei.engine.expressions.evaluation import CONDITION_FUNCTIONS, IN_OPERANDS_MAX, wrong_count, wrong_type
from sekkei.engine.expressions.nodes import (
    And,
    ConditionTree,
    Node,
    Not,
    Operand,
    Operation,
    Or,
    Path,
    Value,
    children,
    walk,
)
from sekkei.engine.items.values import AttributeValue
from sekkei.engine.partiql import nodes
from sekkei.engine.partiql.expressions import unsupported
from sekkei.engine.partiql.literals import is_value, value_of
from sekkei.engine.partiql.nodes import Expression
from sekkei.engine.partiql.paths import document_path, is_path
from sekkei.engine.partiql.words import ATTRIBUTE_TYPES
from sekkei.errors import ValidationException

PARAMETER = "WHERE"
"""What the engine's messages would call the expression, if PartiQL's did not leave that out."""


NODES_MAX = 20_000


class Bindings:
    """The names and values that the expressions of one statement stand on, as placeholders."""

    def __init__(self, parameters: Sequence[AttributeValue]) -> None:
        self.parameters = parameters
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}
        self._placeholders: dict[str, str] = {}

    def path(self, node: Expression) -> Path:
        return Path(tuple([part if isinstance(part, int) else self._name(part) for part in document_path(node)]))

    def attribute(self, name: str) -> Path:
        return Path((self._name(name),))

    def value(self, value: AttributeValue) -> Value:
        placeholder = f":{len(self.values)}"
        self.values[placeholder] = value
        return Value(placeholder)

    def literal(self, node: Expression) -> Value:
        return self.value(value_of(node, self.parameters))

    def _name(self, name: str) -> str:
        placeholder = self._placeholders.setdefault(name, f"#{len(self._placeholders)}")
        self.names[placeholder] = name
        return placeholder


class StatementCondition(BoundCondition):
    """A condition that was never text of its own: its tree is checked before it comes here."""

    __slots__ = ("_names", "_tree")

    def __init__(self, tree: ConditionTree, bindings: Bindings) -> None:
        self._test = evaluation.compiled(tree, bindings.names)
        self._values = bindings.values
        self._tree = tree
        self._names = bindings.names

    @property
    def attributes(self) -> frozenset[str]:
        return frozenset(self._names[str(path.elements[0])] for path in self._paths())

    @property
    def nested(self) -> frozenset[str]:
        return frozenset(self._names[str(path.elements[0])] for path in self._paths() if len(path.elements) > 1)

    def _paths(self) -> list[Path]:
        return [node for node in walk(self._tree) if isinstance(node, Path)]


@contextmanager
def in_partiql_words() -> Iterator[None]:
    """PartiQL's messages are those of expressions, without the name of a parameter before them."""
    try:
        yield
    except ValidationException as refusal:
        raise ValidationException(refusal.message.removeprefix(f"Invalid {PARAMETER}: ")) from None


def condition_of(where: Expression, bindings: Bindings) -> ConditionTree:
    """The tree of a WHERE clause, all of its operands checked."""
    tree = _condition(where, bindings)
    if _expanded(tree, {}) > NODES_MAX:
        raise ValidationException("The WHERE clause is too complex to evaluate")
    with in_partiql_words():
        condition.checks(PARAMETER, tree, bindings.names).run(bindings.values)
    return tree


def _expanded(node: Node, known: dict[int, int]) -> int:
    """How many nodes there are for whoever walks the tree: what stands in it twice counts twice.

    Comparing conditions with each other repeats them, and repetitions of repetitions would outgrow any memory.
    """
    size = known.get(id(node))
    if size is None:
        size = known[id(node)] = 1 + sum([_expanded(child, known) for child in children(node)])
    return size


def _condition(node: Expression, bindings: Bindings) -> ConditionTree:
    match node:
        case nodes.And(operands):
            return And(tuple([_condition(operand, bindings) for operand in operands]))
        case nodes.Or(operands):
            return Or(tuple([_condition(operand, bindings) for operand in operands]))
        case nodes.Not(operand):
            return Not(_condition(operand, bindings), True)
        case nodes.Compare(operator, left, right):
            return _comparison(operator, left, right, bindings)
        case nodes.Between(value, low, high):
            return Operation("BETWEEN", tuple([_operand(each, bindings) for each in (value, low, high)]))
        case nodes.In(value, choices):
            return _membership(value, choices, bindings)
        case nodes.Is(value, type_name):
            return _type_test(node, value, type_name, bindings)
        case nodes.Call(name) if name in CONDITION_FUNCTIONS:
            return Operation(name, _operands(node, bindings))
        case nodes.Call():
            raise unrecognised(node)
        case _:
            raise unsupported(node)


def unrecognised(call: nodes.Call) -> ValidationException:
    return ValidationException(f"Unrecognized function: {call.name} at {call.at}")


def _operand(node: Expression, bindings: Bindings) -> Operand:
    if is_path(node):
        return bindings.path(node)
    if is_value(node):
        return bindings.literal(node)
    if isinstance(node, nodes.Call):
        if node.name != "size":
            raise unrecognised(node)
        return Operation("size", _operands(node, bindings))
    raise unsupported(node)


def _operands(call: nodes.Call, bindings: Bindings) -> tuple[Operand, ...]:
    if not call.arguments:
        # An expression cannot even be written so, and its checks count on that.
        raise ValidationException(wrong_count(call.name, 0))
    return tuple([_operand(argument, bindings) for argument in call.arguments])


def _is_condition(node: Expression) -> bool:
    """Whether a node is true or false by itself, so that it can be compared with a Boolean."""
    if isinstance(node, nodes.Call):
        return node.name in CONDITION_FUNCTIONS
    return isinstance(node, nodes.And | nodes.Or | nodes.Not | nodes.Compare | nodes.Between | nodes.In | nodes.Is)


def _comparison(operator: str, left: Expression, right: Expression, bindings: Bindings) -> ConditionTree:
    if not _is_condition(left) and not _is_condition(right):
        return Operation(operator, (_operand(left, bindings), _operand(right, bindings)))
    if operator not in ("=", "<>"):
        raise ValidationException(wrong_type(operator, "BOOL"))
    if not _is_condition(left):
        left, right = right, left
    same = _same_truth(_condition(left, bindings), right, bindings)
    return same if operator == "=" else Not(same, True)


def _same_truth(test: ConditionTree, other: Expression, bindings: Bindings) -> ConditionTree:
    """`test = other`, where `test` is a condition and not an operand."""
    false: ConditionTree = Not(test, True)
    if _is_condition(other):
        second = _condition(other, bindings)
        return Or((And((test, second)), And((false, Not(second, True)))))
    if is_value(other):
        value = value_of(other, bindings.parameters)
        if "BOOL" not in value:
            return And((test, false))
        return test if value["BOOL"] else false
    operand = _operand(other, bindings)

    def holds(truth: bool) -> ConditionTree:
        return Operation("=", (operand, bindings.value({"BOOL": truth})))

    return Or((And((test, holds(True))), And((false, holds(False)))))


def _membership(value: Expression, choices: Expression, bindings: Bindings) -> ConditionTree:
    if not isinstance(choices, nodes.Sequence):
        raise unsupported(choices)
    count = len(choices.items)
    if count > IN_OPERANDS_MAX:
        raise ValidationException(f"The IN operator is provided with too many operands; number of operands: {count}")
    if not count:
        raise ValidationException(wrong_count("IN", 1))
    if _is_condition(value):
        test = _condition(value, bindings)
        return Or(tuple([_same_truth(test, choice, bindings) for choice in choices.items]))
    return Operation("IN", tuple([_operand(each, bindings) for each in (value, *choices.items)]))


def _type_test(node: nodes.Is, value: Expression, type_name: str, bindings: Bindings) -> ConditionTree:
    operand = _operand(value, bindings)
    if type_name == "missing":
        return Operation("attribute_not_exists", (operand,))
    if type_name not in ATTRIBUTE_TYPES:
        raise unsupported(node)
    tests: list[ConditionTree] = [
        Operation("attribute_type", (operand, bindings.value({"S": kind}))) for kind in ATTRIBUTE_TYPES[type_name]
    ]
    return tests[0] if len(tests) == 1 else Or(tuple(tests))
