"""A statement's clauses as the engine's own expressions: WHERE, SET and REMOVE, the names after SELECT, paths, values.

The trees, checks, evaluation and arithmetic are those of ConditionExpression and UpdateExpression.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from sekkei.engine.expressions import BoundCondition, Projection, condition, evaluation, paths, update
from sekkei.engine.expressions.evaluation import CONDITION_FUNCTIONS, IN_OPERANDS_MAX, wrong_count, wrong_type
from sekkei.engine.expressions.grammar import Action
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
from sekkei.engine.expressions.paths import placeholders
from sekkei.engine.expressions.update import BoundUpdate, Update, UpdateTemplate
from sekkei.engine.items import numbers, values
from sekkei.engine.items.values import AttributeValue, Item, type_of
from sekkei.engine.partiql import nodes
from sekkei.engine.partiql.nodes import Expression
from sekkei.engine.partiql.parser import unsupported
from sekkei.engine.partiql.tokens import ATTRIBUTE_TYPES
from sekkei.errors import ValidationException

_ROOT = "root"
_VALUES = (
    nodes.Parameter,
    nodes.String,
    nodes.Number,
    nodes.Boolean,
    nodes.Null,
    nodes.Sequence,
    nodes.Bag,
    nodes.Struct,
)
_TYPE_NAMES = {nodes.Identifier: "Id", nodes.Path: "Path", nodes.Missing: "Missing", nodes.Parameter: "Parameter"}


def _is_value(node: Expression) -> bool:
    """Whether a node stands for a value, whatever the item holds."""
    return isinstance(node, _VALUES)


def _value_of(node: Expression, parameters: Sequence[AttributeValue]) -> AttributeValue:
    """The value of a parameter or a literal."""
    if isinstance(node, nodes.Parameter):
        return parameters[node.index]
    return _literal(node, _ROOT, 0)


def item_of(node: Expression, parameters: Sequence[AttributeValue]) -> Item:
    """What INSERT inserts: a struct whose members are parameters and literals."""
    if not isinstance(node, nodes.Struct):
        raise _unsupported(node, _ROOT)
    item: Item = {}
    for name, value in node.members:
        item[_member_name(name)] = _value_of(value, parameters)
    return item


def _literal(node: Expression, path: str, depth: int) -> AttributeValue:
    if depth >= values.DEPTH_MAX:
        raise ValidationException(f"Nesting Levels have exceeded supported limits under {path}")
    match node:
        case nodes.String(text):
            return {"S": text}
        case nodes.Number(text):
            return {"N": _number(text, path)}
        case nodes.Boolean(value):
            return {"BOOL": value}
        case nodes.Null():
            return {"NULL": True}
        case nodes.Sequence(items):
            return {"L": [_literal(item, f"{path}[{place}]", depth + 1) for place, item in enumerate(items)]}
        case nodes.Struct(members):
            return {"M": _members(members, path, depth)}
        case nodes.Bag(items):
            return _set(items, path)
        case _:
            raise _unsupported(node, path)


def _members(members: tuple[tuple[Expression, Expression], ...], path: str, depth: int) -> Item:
    found: Item = {}
    for name, value in members:
        text = _member_name(name)
        found[text] = _literal(value, f"{path}.{text}", depth + 1)
    return found


def _member_name(node: Expression) -> str:
    if not isinstance(node, nodes.String):
        raise ValidationException(f"Attribute names must be strings at {node.at}")
    return node.text


def _number(text: str, path: str) -> str:
    try:
        return numbers.normalise(text)
    except ValidationException as refusal:
        raise ValidationException(f"{refusal.message} under {path}") from None


def _set(items: tuple[Expression, ...], path: str) -> AttributeValue:
    if not items:
        raise ValidationException("Empty bags are not supported")
    if all(isinstance(item, nodes.String) for item in items):
        return values.normalised({"SS": [item.text for item in items if isinstance(item, nodes.String)]})
    if not all(isinstance(item, nodes.Number) for item in items):
        raise ValidationException(
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
        )
    written = [item.text for item in items if isinstance(item, nodes.Number)]
    members = [_number(text, path) for text in written]
    if len(set(members)) != len(members):
        raise ValidationException(
            "One or more parameter values were invalid: "
            f"Input collection [{', '.join(written)}] contains duplicates! under {path}"
        )
    return {"NS": members}


def _unsupported(node: Expression, path: str) -> ValidationException:
    name = node.name if isinstance(node, nodes.Call) else _TYPE_NAMES.get(type(node), type(node).__name__)
    return ValidationException(f"Unsupported data type: {name} under key {path} at {node.at}")


_INDEX_MAX = 2**31 - 1

_DocumentPath = tuple[str | int, ...]


def _is_path(node: Expression) -> bool:
    return isinstance(node, nodes.Identifier | nodes.Path)


def document_path(node: Expression) -> _DocumentPath:
    """The names and list indexes of a path; raises for anything that is no path of an item."""
    if isinstance(node, nodes.Identifier):
        return (_unquoted(node.name),)
    if not isinstance(node, nodes.Path) or not isinstance(node.root, nodes.Identifier):
        raise _unexpected(node)
    return (_unquoted(node.root.name), *map(_step, node.steps))


def _step(step: nodes.Member | nodes.Element | nodes.Wildcard) -> str | int:
    if isinstance(step, nodes.Member):
        return _unquoted(step.name)
    if isinstance(step, nodes.Wildcard):
        raise _unexpected(step)
    text = step.index.text if isinstance(step.index, nodes.Number) else ""
    digits = text.removeprefix("-")
    if not digits.isdigit():
        raise _unexpected(step)
    digits = digits.lstrip("0")
    # So long a number is not even worth converting.
    index = int(digits or "0") if len(digits) <= len(str(_INDEX_MAX)) else _INDEX_MAX + 1
    if index > _INDEX_MAX or (digits and text.startswith("-")):
        raise ValidationException(f"List index is not within the allowable range; index: [{text}] at {step.at}")
    return index


def _unquoted(name: str) -> str:
    if not name:
        raise ValidationException("Path component cannot be an empty string")
    return name


def _unexpected(node: nodes.Node) -> ValidationException:
    return ValidationException(f"Unexpected path component at {node.at}")


class Target(NamedTuple):
    """The table of a statement, and the index if it names one."""

    table_name: str
    index_name: str | None


def target_of(source: nodes.Source, *, is_insert: bool = False) -> Target:
    """What stands after FROM, UPDATE or INSERT INTO. What is wrong with it is wrong before any table is looked up."""
    if source.aliased:
        raise ValidationException("Aliasing is not supported")
    if source.joined:
        raise ValidationException("Only select from a single table or index is supported.")
    path = document_path(source.expression)
    names = [part for part in path if isinstance(part, str)]
    if len(names) != len(path):
        raise _unexpected(source)
    if is_insert and len(names) > 1:
        raise ValidationException(
            f"FROM clause may only contain a single table name in data manipulation statements at {source.at}"
        )
    if len(names) > 2:
        raise ValidationException("A path may contain at most 2 components in the FROM clause")
    return Target(names[0], names[1] if len(names) == 2 else None)


class Columns(Projection):
    """The columns of a SELECT list: `a.b[0]` is answered as `b[0]`, beside nothing of what stands around it."""

    __slots__ = ("_columns", "in_order")

    def __init__(self, columns: list[_DocumentPath]) -> None:
        super().__init__(columns)
        self._columns = {_column_name(path): path for path in columns}
        self.in_order = tuple(dict.fromkeys(str(path[0]) for path in columns))
        """The attributes that the columns lie in, as the statement names them."""

    def project(self, item: Item) -> Item:
        found: Item = {}
        for name, path in self._columns.items():
            value = paths.find(item, path)
            if value is not None:
                found[name] = value
        return found


def columns_of(projections: tuple[nodes.Projection, ...]) -> Columns | None:
    """None for the star."""
    if any(projection.aliased for projection in projections):
        raise ValidationException("Aliasing is not supported")
    columns = [document_path(item.expression) for item in projections if item.expression is not None]
    if not columns:
        return None
    seen: set[str] = set()
    for name in map(_column_name, columns):
        if name in seen:
            raise ValidationException(f"Duplicate identifiers in select clause: {name}")
        seen.add(name)
    return Columns(columns)


def _column_name(path: _DocumentPath) -> str:
    """The last name of a path, with the indexes behind it."""
    last = max(place for place, part in enumerate(path) if isinstance(part, str))
    return str(path[last]) + "".join(f"[{index}]" for index in path[last + 1 :])


_PARAMETER = "WHERE"
"""What the engine's messages would call the expression, if PartiQL's did not leave that out."""


_NODES_MAX = 20_000


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
        return self.value(_value_of(node, self.parameters))

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
def _in_partiql_words() -> Iterator[None]:
    """PartiQL's messages are those of expressions, without the name of a parameter before them."""
    try:
        yield
    except ValidationException as refusal:
        raise ValidationException(refusal.message.removeprefix(f"Invalid {_PARAMETER}: ")) from None


def condition_of(where: Expression, bindings: Bindings) -> ConditionTree:
    """The tree of a WHERE clause, all of its operands checked."""
    tree = _condition(where, bindings)
    if _expanded(tree, {}) > _NODES_MAX:
        raise ValidationException("The WHERE clause is too complex to evaluate")
    with _in_partiql_words():
        condition.checks(_PARAMETER, tree, bindings.names).run(bindings.values)
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
            raise _unrecognised(node)
        case _:
            raise unsupported(node)


def _unrecognised(call: nodes.Call) -> ValidationException:
    return ValidationException(f"Unrecognized function: {call.name} at {call.at}")


def _operand(node: Expression, bindings: Bindings) -> Operand:
    if _is_path(node):
        return bindings.path(node)
    if _is_value(node):
        return bindings.literal(node)
    if isinstance(node, nodes.Call):
        if node.name != "size":
            raise _unrecognised(node)
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
    if _is_value(other):
        value = _value_of(other, bindings.parameters)
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


_SETS = frozenset({"SS", "NS", "BS"})
_SET_FUNCTIONS = {"set_add": "ADD", "set_delete": "DELETE"}


class _StatementUpdate(UpdateTemplate):
    """An update that was never text of its own."""

    def __init__(self, actions: tuple[Action, ...]) -> None:
        found = list(update.nodes(actions))
        self.parameter = _PARAMETER
        self.actions = actions
        self.paths = tuple(node for node in found if isinstance(node, Path))
        self.placeholders = placeholders(self.paths)
        self.values = frozenset(node.name for node in found if isinstance(node, Value))


def update_of(actions: tuple[nodes.Assign | nodes.Remove | nodes.Insert, ...], bindings: Bindings) -> BoundUpdate:
    found = tuple([_action(action, bindings) for action in actions])
    with _in_partiql_words():
        update.check_words(_PARAMETER, found, "")
        return Update(_StatementUpdate(found), bindings.names).bind(bindings.values)


def _action(action: nodes.Assign | nodes.Remove | nodes.Insert, bindings: Bindings) -> Action:
    if isinstance(action, nodes.Insert):
        raise unsupported(action)
    if isinstance(action, nodes.Remove):
        return Action("REMOVE", bindings.path(action.target), None)
    value = action.value
    if isinstance(value, nodes.Call) and value.name in _SET_FUNCTIONS:
        return _set_action(action, value, bindings)
    return Action("SET", bindings.path(action.target), _sum(value, bindings))


def _set_action(action: nodes.Assign, call: nodes.Call, bindings: Bindings) -> Action:
    """SET a = set_add(a, <<…>>) is what an UpdateExpression calls ADD a …"""
    name = call.name.upper()
    if len(call.arguments) != 2:
        raise ValidationException(f"{name} must have exactly two arguments at {call.at}")
    first, second = call.arguments
    if not _is_path(first) or document_path(first) != document_path(action.target):
        raise ValidationException(f"The first argument to {name} must equal the assignment value at {call.at}")
    members = _value_of(second, bindings.parameters) if _is_value(second) else {"": None}
    if type_of(members) not in _SETS:
        raise ValidationException(f"The second argument to {name} must be a value with type SET at {first.at}")
    return Action(_SET_FUNCTIONS[call.name], bindings.path(action.target), bindings.value(members))


def _sum(node: Expression, bindings: Bindings) -> Operand:
    if isinstance(node, nodes.Arithmetic) and node.operator in ("+", "-"):
        return Operation(node.operator, (_update_operand(node.left, bindings), _update_operand(node.right, bindings)))
    return _update_operand(node, bindings)


def _update_operand(node: Expression, bindings: Bindings) -> Operand:
    if _is_path(node):
        return bindings.path(node)
    if _is_value(node):
        return bindings.literal(node)
    if isinstance(node, nodes.Call):
        if node.name != "list_append":
            raise _unrecognised(node)
        return Operation(node.name, tuple([_update_operand(argument, bindings) for argument in node.arguments]))
    raise unsupported(node)
