"""Names and document paths of a statement: which table, which attribute."""

from __future__ import annotations

from typing import NamedTuple

from sekkei.engine.partiql import nodes
from sekkei.engine.partiql.nodes import Expression
from sekkei.errors import ValidationException

_INDEX_MAX = 2**31 - 1

DocumentPath = tuple[str | int, ...]


def is_path(node: Expression) -> bool:
    return isinstance(node, nodes.Identifier | nodes.Path)


def document_path(node: Expression) -> DocumentPath:
    """The names and list indexes of a path; raises for anything that is no path of an item."""
    if isinstance(node, nodes.Identifier):
        return (_name(node.name),)
    if not isinstance(node, nodes.Path) or not isinstance(node.root, nodes.Identifier):
        raise _unexpected(node)
    return (_name(node.root.name), *map(_step, node.steps))


def _step(step: nodes.Member | nodes.Element | nodes.Wildcard) -> str | int:
    if isinstance(step, nodes.Member):
        return _name(step.name)
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


def _name(name: str) -> str:
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
