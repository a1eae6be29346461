"""SET and REMOVE as an update of the engine: the same actions, checks and arithmetic that an UpdateExpression has."""

from __future__ import annotations

from sekkei.engine.expressions import update
from sekkei.engine.expressions.grammar import Action
from sekkei.engine.expressions.nodes import Operand, Operation, Path, Value
from sekkei.engine.expressions.paths import placeholders
from sekkei.engine.expressions.update import BoundUpdate, Update, UpdateTemplate
from sekkei.engine.items.values import type_of
from sekkei.engine.partiql import nodes
from sekkei.engine.partiql.conditions import PARAMETER, Bindings, in_partiql_words, unrecognised
from sekkei.engine.partiql.expressions import unsupported
from sekkei.engine.partiql.literals import is_value, value_of
from sekkei.engine.partiql.nodes import Expression
from sekkei.engine.partiql.paths import document_path, is_path
from sekkei.errors import ValidationException

_SETS = frozenset({"SS", "NS", "BS"})
_SET_FUNCTIONS = {"set_add": "ADD", "set_delete": "DELETE"}


class StatementUpdate(UpdateTemplate):
    """An update that was never text of its own."""

    def __init__(self, actions: tuple[Action, ...]) -> None:
        found = list(update.nodes(actions))
        self.parameter = PARAMETER
        self.actions = actions
        self.paths = tuple(node for node in found if isinstance(node, Path))
        self.placeholders = placeholders(self.paths)
        self.values = frozenset(node.name for node in found if isinstance(node, Value))


def update_of(actions: tuple[nodes.Assign | nodes.Remove | nodes.Insert, ...], bindings: Bindings) -> BoundUpdate:
    found = tuple([_action(action, bindings) for action in actions])
    with in_partiql_words():
        update.check_words(PARAMETER, found, "")
        return Update(StatementUpdate(found), bindings.names).bind(bindings.values)


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
    if not is_path(first) or document_path(first) != document_path(action.target):
        raise ValidationException(f"The first argument to {name} must equal the assignment value at {call.at}")
    members = value_of(second, bindings.parameters) if is_value(second) else {"": None}
    if type_of(members) not in _SETS:
        raise ValidationException(f"The second argument to {name} must be a value with type SET at {first.at}")
    return Action(_SET_FUNCTIONS[call.name], bindings.path(action.target), bindings.value(members))


def _sum(node: Expression, bindings: Bindings) -> Operand:
    if isinstance(node, nodes.Arithmetic) and node.operator in ("+", "-"):
        return Operation(node.operator, (_operand(node.left, bindings), _operand(node.right, bindings)))
    return _operand(node, bindings)


def _operand(node: Expression, bindings: Bindings) -> Operand:
    if is_path(node):
        return bindings.path(node)
    if is_value(node):
        return bindings.literal(node)
    if isinstance(node, nodes.Call):
        if node.name != "list_append":
            raise unrecognised(node)
        return Operation(node.name, tuple([_operand(argument, bindings) for argument in node.arguments]))
    raise unsupported(node)
