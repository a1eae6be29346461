"""A statement's tree as text again: the other half of the parser's proof."""

from __future__ import annotations

from sekkei.engine.partiql import nodes
from sekkei.engine.partiql.nodes import Expression


def name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def text(tree: Expression) -> str:
    """Every operator in parentheses, so that no precedence is assumed."""
    match tree:
        case nodes.String(content):
            return "'" + content.replace("'", "''") + "'"
        case nodes.Number(digits):
            return digits
        case nodes.Boolean(value):
            return "TRUE" if value else "false"
        case nodes.Null():
            return "NULL"
        case nodes.Missing():
            return "MISSING"
        case nodes.Parameter():
            return "?"
        case nodes.Sequence(items):
            return "[" + ", ".join(map(text, items)) + "]"
        case nodes.Bag(items):
            return "<<" + ", ".join(map(text, items)) + ">>"
        case nodes.Struct(members):
            return "{" + ", ".join(f"{text(key)}: {text(value)}" for key, value in members) + "}"
        case nodes.Identifier() | nodes.Path():
            return _path(tree)
        case nodes.Call(function, arguments, star):
            return f"{function}({'*' if star else ', '.join(map(text, arguments))})"
        case nodes.Select() | nodes.Insert() | nodes.Update() | nodes.Delete() | nodes.Actions():
            return statement(tree)
        case _:
            return "(" + _operator(tree) + ")"


def _path(tree: nodes.Identifier | nodes.Path) -> str:
    if isinstance(tree, nodes.Identifier):
        return name(tree.name)
    steps = ""
    for step in tree.steps:
        match step:
            case nodes.Member(member):
                steps += "." + name(member)
            case nodes.Element(index):
                steps += f"[{text(index)}]"
            case nodes.Wildcard(in_brackets):
                steps += "[*]" if in_brackets else ".*"
    return text(tree.root) + steps


def _operator(tree: Expression) -> str:
    match tree:
        case nodes.Or(operands):
            return " OR ".join(map(text, operands))
        case nodes.And(operands):
            return " and ".join(map(text, operands))
        case nodes.Not(operand):
            return "NOT " + text(operand)
        case nodes.Compare(operator, left, right) | nodes.Arithmetic(operator, left, right):
            return f"{text(left)} {operator} {text(right)}"
        case nodes.Sign(operator, operand):
            return f"{operator} {text(operand)}"
        case nodes.Between(value, low, high):
            return f"{text(value)} BETWEEN {text(low)} AND {text(high)}"
        case nodes.In(value, choices):
            return f"{text(value)} IN {text(choices)}"
        case nodes.Is(value, type_name):
            return f"{text(value)} IS {type_name.replace('_', ' ')}"
        case nodes.Like(value, pattern, escape):
            return f"{text(value)} LIKE {text(pattern)}" + (f" ESCAPE {text(escape)}" if escape else "")
    raise AssertionError(tree)


def statement(tree: Expression) -> str:
    match tree:
        case nodes.Select(projections, source, where, orderings):
            listed = ", ".join("*" if item.expression is None else text(item.expression) for item in projections)
            order = ", ".join(text(item.expression) + (" DESC" if item.descending else "") for item in orderings)
            return f"SELECT {listed} FROM {text(source.expression)}{_where(where)}" + (
                f" ORDER BY {order}" if order else ""
            )
        case nodes.Insert(source, value):
            return f"INSERT INTO {text(source.expression)} VALUE {text(value)}"
        case nodes.Update(source, actions, where, returning):
            return f"UPDATE {text(source.expression)} {_actions(actions)}{_where(where)}{_returning(returning)}"
        case nodes.Delete(source, where, returning):
            return f"DELETE FROM {text(source.expression)}{_where(where)}{_returning(returning)}"
    raise AssertionError(tree)


def _actions(actions: tuple[nodes.Assign | nodes.Remove | nodes.Insert, ...]) -> str:
    written = []
    for action in actions:
        if isinstance(action, nodes.Assign):
            written.append(f"SET {text(action.target)} = {text(action.value)}")
        else:
            assert isinstance(action, nodes.Remove)
            written.append(f"REMOVE {text(action.target)}")
    return " ".join(written)


def _where(where: Expression | None) -> str:
    return f" WHERE {text(where)}" if where is not None else ""


def _returning(returning: nodes.Returning | None) -> str:
    return f" RETURNING {returning.variant} *" if returning is not None else ""
