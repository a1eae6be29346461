"""Conditions on attributes: what `Task.status == Status.TODO` makes.

    Condition
    ├── Compare      = <> < <= > >=, against a value or another attribute
    ├── Between
    ├── OneOf        IN
    ├── Call         begins_with, contains, attribute_exists, attribute_not_exists
    ├── All, Either  AND, OR
    └── Not

The type parameter is the model whose attributes are meant; it lets a type checker refuse `User.name == "x"` in a
condition on tasks. Combine with `&`, `|` and `~`; `and`, `or` and `not` cannot be overloaded, so they raise. In an
expression's text every name is aliased: status, type, date, token and 570 others are reserved words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .codecs import AttributeValue
from .errors import ValueRefused


class Expression:
    """Collects the names and values of one request while conditions and updates are written out."""

    def __init__(self) -> None:
        self._aliases: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}

    def name(self, stored: str) -> str:
        alias = self._aliases.get(stored)
        if alias is None:
            alias = self._aliases[stored] = f"#n{len(self._aliases)}"
        return alias

    def value(self, value: AttributeValue) -> str:
        alias = f":v{len(self.values)}"
        self.values[alias] = value
        return alias

    def path(self, path: tuple[str | int, ...]) -> str:
        """`("color", "codes", 0)` as `#n0.#n1[0]`."""
        text = ""
        for step in path:
            text += f"[{step}]" if isinstance(step, int) else f"{'.' if text else ''}{self.name(step)}"
        return text

    def into(self, request: dict[str, Any]) -> None:
        """Add what was collected to a request; DynamoDB refuses empty maps."""
        if self._aliases:
            request["ExpressionAttributeNames"] = {alias: name for name, alias in self._aliases.items()}
        if self.values:
            request["ExpressionAttributeValues"] = self.values


class Readable(Expression):
    """The same expression for people: real names, values as they are."""

    def name(self, stored: str) -> str:
        return stored

    def value(self, value: AttributeValue) -> str:
        return show(value)


def show(value: AttributeValue) -> str:
    """A stored value for people: text in quotes, everything else bare."""
    ((kind, content),) = value.items()
    if kind == "S":
        return f'"{content}"'
    if kind in ("N", "B"):
        return str(content)
    if kind in ("BOOL", "NULL"):
        return str(content).lower() if kind == "BOOL" else "null"
    if kind == "M":
        return "{" + ", ".join(f"{name}: {show(one)}" for name, one in content.items()) + "}"
    inner = [show(one) if kind == "L" else f'"{one}"' if kind == "SS" else str(one) for one in content]
    return "[" + ", ".join(inner) + "]"


if TYPE_CHECKING:
    from .fields import Field

M = TypeVar("M")
_M_co = TypeVar("_M_co", covariant=True)


class Condition(Generic[_M_co]):
    """Something that is true or false of an item."""

    __slots__ = ()

    def render(self, into: Expression) -> str:
        raise AssertionError("every kind of condition renders itself")

    def fields(self) -> Iterator[Field[Any, Any]]:
        """Every attribute that the condition speaks of."""
        return iter(())

    def __and__(self, other: Condition[M]) -> Condition[_M_co | M]:
        return All((*_flat(self, All), *_flat(other, All)))

    def __or__(self, other: Condition[M]) -> Condition[_M_co | M]:
        return Either((*_flat(self, Either), *_flat(other, Either)))

    def __invert__(self) -> Condition[_M_co]:
        return Not(self)

    def __bool__(self) -> bool:
        raise ValueRefused("SK210", "a condition has no truth value of its own. Combine conditions with &, | and ~.")


def _flat(condition: Condition[Any], kind: type[All[Any] | Either[Any]]) -> tuple[Condition[Any], ...]:
    # Not isinstance: an Either is built on All, and flattening it would turn OR into AND.
    return condition.conditions if type(condition) is kind else (condition,)


class Compare(Condition[_M_co]):
    __slots__ = ("field", "operand", "operator")

    def __init__(self, field: Field[Any, Any], operator: str, operand: Any) -> None:
        self.field, self.operator, self.operand = field, operator, operand

    def render(self, into: Expression) -> str:
        return f"{self.field.render(into)} {self.operator} {self.field.operand(self.operand, into)}"

    def fields(self) -> Iterator[Field[Any, Any]]:
        yield self.field
        if type(self.operand) is type(self.field):
            yield self.operand


class Between(Condition[_M_co]):
    __slots__ = ("field", "high", "low")

    def __init__(self, field: Field[Any, Any], low: Any, high: Any) -> None:
        self.field, self.low, self.high = field, low, high

    def render(self, into: Expression) -> str:
        low, high = self.field.operand(self.low, into), self.field.operand(self.high, into)
        return f"{self.field.render(into)} BETWEEN {low} AND {high}"

    def fields(self) -> Iterator[Field[Any, Any]]:
        yield self.field


class OneOf(Condition[_M_co]):
    __slots__ = ("field", "options")

    def __init__(self, field: Field[Any, Any], options: tuple[Any, ...]) -> None:
        if not 1 <= len(options) <= 100:
            raise ValueRefused(
                "SK211", f"{field.label} is compared with {len(options)} options; DynamoDB takes 1 to 100. Split them."
            )
        self.field, self.options = field, options

    def render(self, into: Expression) -> str:
        options = ", ".join(self.field.operand(option, into) for option in self.options)
        return f"{self.field.render(into)} IN ({options})"

    def fields(self) -> Iterator[Field[Any, Any]]:
        yield self.field


class Call(Condition[_M_co]):
    """A function of DynamoDB; `stored` is its second argument, already encoded."""

    __slots__ = ("field", "function", "stored")

    def __init__(self, function: str, field: Field[Any, Any], stored: dict[str, Any] | None = None) -> None:
        self.function, self.field, self.stored = function, field, stored

    def render(self, into: Expression) -> str:
        second = "" if self.stored is None else f", {into.value(self.stored)}"
        return f"{self.function}({self.field.render(into)}{second})"

    def fields(self) -> Iterator[Field[Any, Any]]:
        yield self.field


class All(Condition[_M_co]):
    __slots__ = ("conditions",)

    def __init__(self, conditions: tuple[Condition[Any], ...]) -> None:
        self.conditions = conditions

    def render(self, into: Expression) -> str:
        return " AND ".join(grouped(one, into) for one in self.conditions)

    def fields(self) -> Iterator[Field[Any, Any]]:
        for condition in self.conditions:
            yield from condition.fields()


class Either(All[_M_co]):
    __slots__ = ()

    def render(self, into: Expression) -> str:
        return " OR ".join(one.render(into) for one in self.conditions)


class Not(Condition[_M_co]):
    __slots__ = ("condition",)

    def __init__(self, condition: Condition[_M_co]) -> None:
        self.condition = condition

    def render(self, into: Expression) -> str:
        return f"NOT ({self.condition.render(into)})"

    def fields(self) -> Iterator[Field[Any, Any]]:
        return self.condition.fields()


def grouped(condition: Condition[Any], into: Expression) -> str:
    """The condition so that it can stand between ANDs."""
    text = condition.render(into)
    return f"({text})" if isinstance(condition, Either) else text


def every(conditions: tuple[Condition[M], ...]) -> Condition[M] | None:
    """All of them as one; None for none."""
    if not conditions:
        return None
    if len(conditions) == 1:
        return conditions[0]
    return All(tuple(flat for one in conditions for flat in _flat(one, All)))
