"""Values as a statement writes them."""

from __future__ import annotations

from collections.abc import Sequence

from sekkei.engine.items import numbers, values
from sekkei.engine.items.values import AttributeValue, Item
from sekkei.engine.partiql import nodes
from sekkei.engine.partiql.nodes import Expression
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


def is_value(node: Expression) -> bool:
    """Whether a node stands for a value, whatever the item holds."""
    return isinstance(node, _VALUES)


def value_of(node: Expression, parameters: Sequence[AttributeValue]) -> AttributeValue:
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
        item[_member_name(name)] = value_of(value, parameters)
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
