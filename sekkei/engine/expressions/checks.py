"""What binding looks at: that every value an expression uses is given, and that some have the right type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from sekkei.engine.expressions.functions import Values, undefined_value
from sekkei.engine.expressions.lexer import invalid
from sekkei.engine.expressions.nodes import Operand, Operation, Value

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


def type_of(operand: Operand, values: Values) -> str | None:
    """The type an operand has whatever the item holds; None when that depends on the item."""
    if isinstance(operand, Value):
        return next(iter(values[operand.name]))
    return "N" if isinstance(operand, Operation) and operand.operator == "size" else None


def has_type(operand: Operand) -> bool:
    """Whether `type_of` will say something about it."""
    return isinstance(operand, Value) or (isinstance(operand, Operation) and operand.operator == "size")
