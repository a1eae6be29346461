"""Requests by chance: mostly of an operation's shape, now and then with anything at all in a place."""

from __future__ import annotations

import random
from typing import Any

from sekkei.engine.validation.shapes import (
    AttributeValue,
    Blob,
    Boolean,
    Item,
    List,
    Map,
    Number,
    Shape,
    String,
    Structure,
)

TEXTS = ["", "abc", "abcd", "a b", "#a", ":a", "a = :a", "SET a = :a", "1", "1e999", "Yg==", "\ud800", "é", "x" * 300]
NUMBERS = ["1", "01.0", "1e3", "x", "", "1e999999999999999", "-0", "1" * 50]
BINARIES = ["", "Yg==", "Yh==", "Y", "é==="]
SCALARS: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**70,
    10**400,
    1.5,
    float("nan"),
    float("inf"),
    b"x",
    object,
    *TEXTS,
]


class Requests:
    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def of(self, shape: Shape, oddity: float = 0.04) -> Any:
        """A value of the shape, each of whose parts is replaced by something odd as often as `oddity` says."""
        if self._chance.random() < oddity:
            return self.anything()
        if isinstance(shape, Structure):
            return {
                name: self.of(member, oddity)
                for name, member in shape.members.items()
                if self._chance.random() < (0.97 if name in shape.required else 0.25)
            }
        if isinstance(shape, Item):
            return {self._chance.choice(TEXTS): self.of(shape.value, oddity) for _ in range(self._chance.randrange(4))}
        if isinstance(shape, Map):
            return {
                self.of(shape.key, oddity=0): self.of(shape.value, oddity) for _ in range(self._chance.randrange(3))
            }
        if isinstance(shape, List):
            return [self.of(shape.member, oddity) for _ in range(self._chance.randrange(4))]
        return self._simple(shape)

    def _simple(self, shape: Shape) -> Any:
        choose = self._chance.choice
        if isinstance(shape, AttributeValue):
            return self.value()
        if isinstance(shape, Boolean):
            return choose([True, False])
        if isinstance(shape, Number):
            return choose([1, 2, 100, 0, -1, 10**13])
        if isinstance(shape, Blob):
            return choose(BINARIES)
        assert isinstance(shape, String)
        if shape.values:
            return choose(shape.values)
        return choose(["abc", "a" * max(shape.shortest, 1), choose(TEXTS)])

    def value(self, depth: int = 0) -> Any:
        kind = self._chance.choice(["S", "S", "S", "N", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"])
        choose = self._chance.choice
        some = range(self._chance.randrange(3))
        content: Any
        if kind in ("BOOL", "NULL"):
            content = choose([True, True, False])
        elif kind in ("L", "M") and depth < 3:
            members = [self.value(depth + 1) for _ in some]
            content = members if kind == "L" else dict(zip(TEXTS, members, strict=False))
        elif len(kind) == 2:
            content = [choose({"S": TEXTS, "N": NUMBERS, "B": BINARIES}[kind[0]]) for _ in some]
        else:
            content = choose({"S": TEXTS, "N": NUMBERS, "B": BINARIES}.get(kind, TEXTS))
        return {kind: content}

    def anything(self, depth: int = 0) -> Any:
        kind = self._chance.randrange(6) if depth < 3 else 0
        if kind == 1:
            return [self.anything(depth + 1) for _ in range(self._chance.randrange(3))]
        if kind == 2:
            return {self._chance.choice(TEXTS): self.anything(depth + 1) for _ in range(self._chance.randrange(3))}
        if kind == 3:
            return tuple(self.anything(depth + 1) for _ in range(self._chance.randrange(2)))
        if kind == 4:
            return {"S": "a", "N": self._chance.choice(NUMBERS)}
        return self._chance.choice(SCALARS)
