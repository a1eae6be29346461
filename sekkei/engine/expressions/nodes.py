"""What an expression says, as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

PathElement: TypeAlias = str | int


class Path(NamedTuple):
    """A document path: names (or #placeholders, until they are resolved) and list indexes."""

    elements: tuple[PathElement, ...]

    def __str__(self) -> str:
        return shown(self.elements)


class Value(NamedTuple):
    """A :placeholder of ExpressionAttributeValues."""

    name: str


class Operation(NamedTuple):
    """An operator or a function with its operands: = <> < <= > >= + - BETWEEN IN, size, begins_with, …"""

    operator: str
    operands: tuple[Operand, ...]


class And(NamedTuple):
    parts: tuple[ConditionTree, ...]


class Or(NamedTuple):
    parts: tuple[ConditionTree, ...]


class Not(NamedTuple):
    """`negates` is false for an even number of NOTs: they are kept, since a key condition may have none."""

    part: ConditionTree
    negates: bool


Operand: TypeAlias = Path | Value | Operation
ConditionTree: TypeAlias = Operation | And | Or | Not
Node: TypeAlias = Path | Value | Operation | And | Or | Not


def children(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Operation):
        return node.operands
    if isinstance(node, And | Or):
        return node.parts
    if isinstance(node, Not):
        return (node.part,)
    return ()


def walk(root: Node) -> Iterator[Node]:
    """The node and all under it, as they are read."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children(node)))


def inside_out(root: Node) -> Iterator[Operation]:
    """The operators and functions of one condition or operand, each after its operands."""
    waiting: list[tuple[Node, bool]] = [(root, False)]
    while waiting:
        node, operands_done = waiting.pop()
        if not isinstance(node, Operation):
            continue
        if operands_done:
            yield node
        else:
            waiting.append((node, True))
            waiting.extend((operand, False) for operand in reversed(node.operands))


def leaves(root: ConditionTree) -> Iterator[Operation]:
    """The single conditions that AND, OR and NOT combine, as they are read."""
    waiting: list[ConditionTree] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Operation):
            yield node
        elif isinstance(node, Not):
            waiting.append(node.part)
        else:
            waiting.extend(reversed(node.parts))


def shown(elements: tuple[PathElement, ...]) -> str:
    """A path as DynamoDB's messages write it: [a, b, [0]]."""
    return "[" + ", ".join(f"[{element}]" if isinstance(element, int) else element for element in elements) + "]"
