"""Random expressions: condition, filter, key condition, projection, update. Now and then one that is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.peers.dice import Dice
from tests.peers.tables import Index, Table, key_value
from tests.peers.values import ATTRIBUTES, NUMBERS, TYPES, Value, bad_value, order, random_value

COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")
WRONG = 0.04
"""How often a thing is made wrong on purpose."""


def top_of(path: str) -> str:
    """The attribute that a path begins with."""
    return path.lstrip("#").partition(".")[0].partition("[")[0]


@dataclass
class Expressions:
    """Writes the expressions of one request and keeps the names and values that they use."""

    random: Dice
    table: Table
    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    targets: list[str] = field(default_factory=list)
    """What an update has changed so far."""
    without: Sequence[str] = ()
    """What the condition under way does not speak of."""

    def members(self) -> dict[str, Any]:
        """What goes into the request beside the expressions."""
        found: dict[str, Any] = {}
        if self._wrong():
            self.names["#unused"] = "unused"
        if self._wrong():
            self.values[":unused"] = {"S": "unused"}
        if self.values and self._wrong():
            self.values.pop(self.random.choice(list(self.values)))
        if self.names:
            found["ExpressionAttributeNames"] = self.names
        if self.values:
            found["ExpressionAttributeValues"] = self.values
        return found

    def _wrong(self, probability: float = WRONG) -> bool:
        return self.random.wrong(probability)

    # --- names, values, paths -----------------------------------------------------------------------------------------

    def name(self, name: str) -> str:
        if self._wrong(0.02):
            return self.random.choice(("size", "name", "#undefined", "1x", "status"))
        if self.random.random() < 0.7:
            return name
        self.names[f"#{name}"] = name
        return f"#{name}"

    def value(self, value: Value | None = None) -> str:
        if self._wrong(0.01):
            return ":undefined"
        place = f":v{len(self.values)}"
        self.values[place] = random_value(self.random) if value is None else value
        if self._wrong(0.01):
            self.values[place] = bad_value(self.random)
        return place

    def path(self, without: Sequence[str] = ()) -> str:
        """A document path, but not one that begins with a name in `without`."""
        names = (*ATTRIBUTES, *ATTRIBUTES, *self.table.names)
        top = self.random.choice(names if self._wrong() else [name for name in names if name not in without])
        text = self._into(top, self.name(top))
        if (top not in self.table.types and self.random.random() < 0.1) or self._wrong(0.01):
            text += self.random.choice((".x", "[0]", "[1].y"))
        return text

    def _into(self, top: str, text: str) -> str:
        """Often a member of the map `m` or an element of the list `l`, whatever they may hold."""
        if top == "m" and self.random.random() < 0.6:
            return f"{text}.{self.name(self.random.choice(('x', 'y', 'z')))}"
        if top == "l" and self.random.random() < 0.6:
            return f"{text}[{self.random.randint(0, 3)}]"
        return text

    # --- conditions ---------------------------------------------------------------------------------------------------

    def condition(self, depth: int = 2, without: Sequence[str] = ()) -> str:
        """Of paths that do not begin with a name in `without`."""
        self.without = without
        text = self._condition(depth)
        self.without = ()
        return self._broken(text) if self._wrong(0.03) else text

    def _condition(self, depth: int) -> str:
        choice = self.random.random()
        if depth and choice < 0.15:
            return f"{self._condition(depth - 1)} AND {self._condition(depth - 1)}"
        if depth and choice < 0.28:
            return f"{self._condition(depth - 1)} OR {self._condition(depth - 1)}"
        if depth and choice < 0.36:
            return f"NOT {self._condition(depth - 1)}"
        if depth and choice < 0.45:
            return f"({self._condition(depth - 1)})"
        return self._comparison() if choice < 0.75 else self._function()

    def _comparison(self) -> str:
        choice = self.random.random()
        if choice < 0.65:
            return self._compared(self.random.choice(COMPARATORS))
        if choice < 0.85:
            return f"{self._operand('SNB')} BETWEEN {self._bounds(self.random.choice('SNB'))}"
        return f"{self._operand()} IN ({', '.join(self.value() for _ in range(self.random.randint(1, 3)))})"

    def _compared(self, comparator: str) -> str:
        kinds = "" if comparator in ("=", "<>") else "SNB"
        left, right = self._operand(kinds), self._operand(kinds)
        if left == right and not self._wrong():
            return f"attribute_exists({self._path()})"
        return f"{left} {comparator} {right}"

    def _bounds(self, kind: str, pool: Sequence[Value] = ()) -> str:
        """A lower and an upper bound, mostly in this order."""
        bounds = list(pool) or [random_value(self.random, 0, kind) for _ in range(2)]
        if not self._wrong():
            bounds.sort(key=order)
        return " AND ".join(self.value(bound) for bound in bounds)

    def _operand(self, kinds: str = "") -> str:
        """A path, the size of one, or a constant, mostly of one of these kinds."""
        choice = self.random.random()
        if choice < 0.5:
            return self._path()
        if choice > 0.9:
            return f"size({self._path()})"
        kind = self.random.choice(kinds) if kinds and not self._wrong() else None
        return self.value(random_value(self.random, 1, kind))

    def _path(self) -> str:
        return self.path(self.without)

    def _function(self) -> str:
        match self.random.randint(0, 5):
            case 0:
                return f"attribute_exists({self._path()})"
            case 1:
                return f"attribute_not_exists({self._path()})"
            case 2:
                kind = "X" if self._wrong() else self.random.choice(TYPES)
                return f"attribute_type({self._path()}, {self.value({'S': kind})})"
            case 3:
                kind = "N" if self._wrong() else self.random.choice("SB")
                return f"begins_with({self._path()}, {self.value(random_value(self.random, 0, kind))})"
            case 4:
                return f"contains({self._path()}, {self._operand()})"
        return f"size({self._path()}) {self.random.choice(COMPARATORS)} {self.value({'N': '2'})}"

    def _broken(self, text: str) -> str:
        """Without one of its words, or with one too many."""
        words = text.split(" ")
        place = self.random.randrange(len(words))
        extra = self.random.choice(("", "AND", ")", "(", "=", ",", ":", "$", "attribute_exists"))
        return " ".join((*words[:place], extra, *words[place + self.random.randint(0, 1) :]))

    # --- key conditions -----------------------------------------------------------------------------------------------

    def key_condition(self, index: Index | None) -> str:
        names = self.table.names if index is None else index.names
        parts = [f"{self.name(names[0])} = {self.value(self._key_value(names[0]))}"]
        if len(names) > 1 and self.random.random() < 0.6:
            parts.append(self._range_condition(names[1]))
        if self._wrong():
            parts.append(f"{self.path()} = {self.value()}")
        if self.random.random() < 0.2:
            parts.reverse()
        if self.random.random() < 0.1:
            parts = [f"({part})" for part in parts]
        text = " AND ".join(parts)
        return self._broken(text) if self._wrong(0.02) else text

    def _key_value(self, name: str) -> Value:
        return random_value(self.random, 0) if self._wrong() else key_value(self.random, self.table.types[name])

    def _range_condition(self, name: str) -> str:
        choice = self.random.random()
        kind = self.table.types[name]
        if choice < 0.2:
            pool = [key_value(self.random, kind) for _ in range(2)]
            return f"{self.name(name)} BETWEEN {self._bounds(kind, pool)}"
        if choice < 0.35 and (kind != "N" or self._wrong(0.2)):
            return f"begins_with({self.name(name)}, {self.value(self._key_value(name))})"
        comparator = "<>" if self._wrong() else self.random.choice(("=", "<", "<=", ">", ">="))
        return f"{self.name(name)} {comparator} {self.value(self._key_value(name))}"

    # --- projections --------------------------------------------------------------------------------------------------

    def projection(self, without: Sequence[str] = ()) -> str:
        """Of paths that mostly do not overlap."""
        used: list[str] = []
        paths = []
        for _ in range(self.random.randint(1, 3)):
            path = self.path([*without, *used])
            used.append(top_of(path))
            paths.append(path)
        return ", ".join(paths)

    # --- updates ------------------------------------------------------------------------------------------------------

    def update(self) -> str:
        clauses = self.random.sample(("SET", "REMOVE", "ADD", "DELETE"), self.random.choice((1, 1, 1, 2, 3)))
        if self._wrong(0.02):
            clauses.append(self.random.choice(clauses))
        text = " ".join(self._clause(clause) for clause in clauses)
        return self._broken(text) if self._wrong(0.03) else text

    def _clause(self, clause: str) -> str:
        action = {"SET": self._set, "REMOVE": self._target, "ADD": self._add, "DELETE": self._delete}[clause]
        return f"{clause} {', '.join(action() for _ in range(self.random.choice((1, 1, 2))))}"

    def _target(self, kinds: str = "SNB") -> str:
        """Mostly neither a key, which no update may change, nor what this one has changed already.

        `kinds` are the types that the value may have, for attributes that are keys of an index.
        """
        if self._wrong(0.03):
            return self.path()
        fitting = [name for name in ATTRIBUTES if self.table.types.get(name, kinds) in kinds]
        left = [name for name in fitting if name not in self.targets]
        top = self.random.choice(left or ATTRIBUTES)
        self.targets.append(top)
        return self._into(top, self.name(top))

    def _set(self) -> str:
        choice = self.random.random()
        target = self._target("SNB" if choice < 0.4 else "N" if choice < 0.6 else "none")
        if choice < 0.4:
            return f"{target} = {self.value(self.table.attribute(self.random, top_of(target)))}"
        if choice < 0.6:
            old = f"if_not_exists({self.path()}, {self.value({'N': '0'})})"
            number = self.value({"N": self.random.choice(NUMBERS)})
            return f"{target} = {old} {self.random.choice('+-')} {number}"
        if choice < 0.75:
            old = "l" if self._wrong() else f"if_not_exists(l, {self.value({'L': []})})"
            added = self.value(random_value(self.random, 1, None if self._wrong() else "L"))
            return f"{target} = list_append({self.random.choice((f'{old}, {added}', f'{added}, {old}'))})"
        return f"{target} = {self._source()}"

    def _source(self) -> str:
        """A path may lead nowhere, which is a fault in an update."""
        return self.path() if self._wrong() else f"if_not_exists({self.path()}, {self.value()})"

    def _add(self) -> str:
        target = self._target("N")
        kind = "N" if top_of(target) in self.table.types else self.random.choice(("N", "N", "SS", "NS", "BS"))
        return f"{target} {self.value(random_value(self.random, 1, None if self._wrong() else kind))}"

    def _delete(self) -> str:
        target = self._target("none")
        kind = self.random.choice(("SS", "NS", "BS"))
        return f"{target} {self.value(random_value(self.random, 1, None if self._wrong() else kind))}"
