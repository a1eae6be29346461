"""Random expressions: condition, filter, key condition, projection, update. Now and then one that is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.peers import values
from tests.peers.tables import Index, Table, key_value

COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")
WRONG = 0.04
"""How often a thing is made wrong on purpose."""


@dataclass
class Expressions:
    """Writes expressions and keeps the names and values that they use."""

    random: Random
    table: Table
    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, values.Value] = field(default_factory=dict)

    def members(self) -> dict[str, Any]:
        """What goes into the request beside the expressions."""
        found: dict[str, Any] = {}
        if self._wrong():
            self.names["#unused"] = "unused"
        if self._wrong():
            self.values[":unused"] = {"S": "unused"}
        if self._wrong() and self.values:
            self.values.pop(self.random.choice(list(self.values)))
        if self.names:
            found["ExpressionAttributeNames"] = self.names
        if self.values:
            found["ExpressionAttributeValues"] = self.values
        return found

    def _wrong(self, probability: float = WRONG) -> bool:
        return self.random.random() < probability

    # --- names, values, paths -----------------------------------------------------------------------------------------

    def name(self, name: str) -> str:
        if self._wrong(0.02):
            return self.random.choice(("size", "name", "#undefined", "1x", "status"))
        if self.random.random() < 0.7:
            return name
        self.names[f"#{name}"] = name
        return f"#{name}"

    def value(self, value: values.Value | None = None) -> str:
        if self._wrong(0.01):
            return ":undefined"
        place = f":v{len(self.values)}"
        self.values[place] = values.value(self.random) if value is None else value
        if self._wrong(0.01):
            self.values[place] = values.bad_value(self.random)
        return place

    def path(self) -> str:
        top = self.random.choice((*values.ATTRIBUTES, *values.ATTRIBUTES, *self.table.names))
        text = self.name(top)
        if top == "m" and self.random.random() < 0.6:
            text += "." + self.name(self.random.choice(("x", "y", "z")))
        elif top == "l" and self.random.random() < 0.6:
            text += f"[{self.random.randint(0, 3)}]"
        if self.random.random() < 0.1:
            text += self.random.choice((".x", "[0]", "[1].y"))
        return text

    # --- conditions ---------------------------------------------------------------------------------------------------

    def condition(self, depth: int = 2) -> str:
        text = self._condition(depth)
        if self._wrong(0.03):
            text = self._broken(text)
        return text

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
            return f"{self._operand()} {self.random.choice(COMPARATORS)} {self._operand()}"
        if choice < 0.85:
            kind = self.random.choice(("S", "N", "B"))
            low, high = (self.value(values.value(self.random, 0, kind)) for _ in range(2))
            return f"{self._operand()} BETWEEN {low} AND {high}"
        return f"{self._operand()} IN ({', '.join(self.value() for _ in range(self.random.randint(1, 3)))})"

    def _operand(self) -> str:
        choice = self.random.random()
        if choice < 0.5:
            return self.path()
        if choice < 0.9:
            return self.value(values.value(self.random, 1, self.random.choice(("S", "N", "N", "B", "BOOL", "M", "SS"))))
        return f"size({self.path()})"

    def _function(self) -> str:
        match self.random.randint(0, 5):
            case 0:
                return f"attribute_exists({self.path()})"
            case 1:
                return f"attribute_not_exists({self.path()})"
            case 2:
                kind = (
                    self.random.choice((*values.TYPES, "X")) if self._wrong(0.1) else self.random.choice(values.TYPES)
                )
                return f"attribute_type({self.path()}, {self.value({'S': kind})})"
            case 3:
                kind = "N" if self._wrong() else self.random.choice(("S", "B"))
                return f"begins_with({self.path()}, {self.value(values.value(self.random, 0, kind))})"
            case 4:
                return f"contains({self.path()}, {self._operand()})"
        return f"size({self.path()}) {self.random.choice(COMPARATORS)} {self.value({'N': '2'})}"

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

    def _key_value(self, name: str) -> values.Value:
        kind = self.table.types[name]
        return values.value(self.random, 0) if self._wrong() else key_value(self.random, kind)

    def _range_condition(self, name: str) -> str:
        choice = self.random.random()
        if choice < 0.2:
            return (
                f"{self.name(name)} BETWEEN {self.value(self._key_value(name))} AND {self.value(self._key_value(name))}"
            )
        if choice < 0.35 and (self.table.types[name] != "N" or self._wrong(0.2)):
            return f"begins_with({self.name(name)}, {self.value(self._key_value(name))})"
        comparator = "<>" if self._wrong() else self.random.choice(("=", "<", "<=", ">", ">="))
        return f"{self.name(name)} {comparator} {self.value(self._key_value(name))}"

    # --- projections --------------------------------------------------------------------------------------------------

    def projection(self) -> str:
        count = self.random.randint(1, 3)
        paths = [self.path() for _ in range(count)]
        if not self._wrong(0.1):
            paths = list(dict.fromkeys(paths))
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

    def _target(self) -> str:
        """Mostly not a key, which no update may change."""
        if self._wrong(0.03):
            return self.path()
        top = self.random.choice(values.ATTRIBUTES)
        text = self.name(top)
        if top == "m" and self.random.random() < 0.6:
            text += "." + self.random.choice(("x", "y", "z"))
        elif top == "l" and self.random.random() < 0.6:
            text += f"[{self.random.randint(0, 4)}]"
        return text

    def _set(self) -> str:
        target = self._target()
        choice = self.random.random()
        if choice < 0.4:
            return f"{target} = {self.value(self._fitting(target))}"
        if choice < 0.6:
            number = self.value({"N": self.random.choice(values.NUMBERS)})
            return f"{target} = {self._source()} {self.random.choice('+-')} {number}"
        if choice < 0.75:
            added = self.value(values.value(self.random, 1, "L" if not self._wrong() else None))
            return f"{target} = list_append({self.random.choice((f'l, {added}', f'{added}, l'))})"
        return f"{target} = {self._source()}"

    def _source(self) -> str:
        if self.random.random() < 0.5:
            return f"if_not_exists({self.path()}, {self.value()})"
        return self.path()

    def _add(self) -> str:
        target = self._target()
        kind = self.random.choice(("N", "N", "SS", "NS", "BS"))
        return f"{target} {self.value(values.value(self.random, 1, None if self._wrong() else kind))}"

    def _delete(self) -> str:
        target = self._target()
        kind = self.random.choice(("SS", "NS", "BS"))
        return f"{target} {self.value(values.value(self.random, 1, None if self._wrong() else kind))}"

    def _fitting(self, target: str) -> values.Value:
        return self.table.attribute(self.random, target.lstrip("#"))
