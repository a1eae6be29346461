"""Histories of registers, and whether one order explains them: each operation between its request and its answer.

The search is that of Wing and Gong: of the operations that nothing has to come before, try each that fits the value
there is, and remember what has been tried. An operation without an answer may have happened, or not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

Value = int | None


@dataclass(eq=False, slots=True)
class Operation:
    """`read` says what was there. `write` has an effect; so has `swap` if `expected` was there and `did` says so."""

    kind: str
    value: Value
    began: int
    ended: float = math.inf
    expected: Value = None
    did: bool | None = None
    """None where there was no answer."""

    def after(self, value: Value) -> tuple[Value] | None:
        """The value that it leaves where there was this one; None if it cannot have been so."""
        if self.kind == "read":
            return (value,) if value == self.value else None
        if self.kind == "swap" and value != self.expected:
            return (value,) if self.did is not True else None
        return (self.value,) if self.did is not False else None


@dataclass
class History:
    """What clients asked of one register and were told, in the order of one clock."""

    operations: list[Operation] = field(default_factory=list)
    _ticks: Iterator[int] = field(default_factory=itertools.count)

    def begin(self, kind: str, value: Value = None, expected: Value = None) -> Operation:
        operation = Operation(kind, value, next(self._ticks), expected=expected)
        self.operations.append(operation)
        return operation

    def end(self, operation: Operation, value: Value = None, did: bool | None = None) -> None:
        if operation.kind == "read":
            operation.value = value
        operation.did = did
        operation.ended = next(self._ticks)

    def is_linearizable(self, first: Value) -> bool:
        operations = [each for each in self.operations if each.kind != "read" or each.ended < math.inf]
        everything = (1 << len(operations)) - 1
        optional = sum(1 << place for place, each in enumerate(operations) if each.ended == math.inf)
        tried: set[tuple[int, Value]] = set()
        left = [(0, first)]
        while left:
            done, value = left.pop()
            if done | optional == everything:
                return True
            if (done, value) not in tried:
                tried.add((done, value))
                left += _following(operations, done, value)
        return False


def _following(operations: list[Operation], done: int, value: Value) -> Iterator[tuple[int, Value]]:
    """What can come next: nothing that began after another one, still to come, had ended."""
    waiting = [(place, each) for place, each in enumerate(operations) if not done >> place & 1]
    first_end = min(each.ended for _, each in waiting)
    for place, each in waiting:
        after = each.after(value) if each.began < first_end else None
        if after is not None:
            yield done | 1 << place, after[0]
