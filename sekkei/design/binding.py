"""From conditions on attributes to a key condition.

`where(Notice.guild_id == g, Notice.event_id == e)` on an index whose sort key is `{event_id}#{created_at}#{notice_id}`
becomes `guild_id = "g" AND begins_with(event_sk, "EVT#1#")`. The prefix always ends at the delimiter, so that `USER#1`
never finds `USER#10`. What the key cannot serve is refused with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .codecs import AttributeValue
from .conditions import All, Between, Call, Compare, Condition, Expression
from .errors import DesignError, ValueRefused
from .keys import PARTITION_BYTES_MAX, SORT_BYTES_MAX, check_size
from .templates import Component, Template


class KeyTest(NamedTuple):
    """One term of a key condition."""

    attribute: str
    operator: str
    operands: tuple[AttributeValue, ...]

    def render(self, into: Expression) -> str:
        name = into.name(self.attribute)
        values = [into.value(operand) for operand in self.operands]
        if self.operator == "begins_with":
            return f"begins_with({name}, {values[0]})"
        if self.operator == "BETWEEN":
            return f"{name} BETWEEN {values[0]} AND {values[1]}"
        return f"{name} {self.operator} {values[0]}"


class Bound(NamedTuple):
    tests: tuple[KeyTest, ...]
    excluded: tuple[str, AttributeValue] | None = None  # a key at the edge of BETWEEN that the condition leaves out


class KeyPart(NamedTuple):
    """A key attribute of the table or index that is asked, and how the entity makes it."""

    attribute: str
    template: Template
    alone: bool  # no other entity puts another kind of text into this attribute
    own: str | None = None  # the attribute of the model that is this whole text, when there is one


class _Given:
    """The conditions, taken apart: what must be equal, and the one range."""

    def __init__(self, conditions: Iterable[Condition[Any]], place: str) -> None:
        self.place = place
        self.equal: dict[str, Any] = {}
        self.range: Compare[Any] | Between[Any] | Call[Any] | None = None
        self.used: set[str] = set()
        for condition in flattened(conditions):
            self._take(condition)

    def _take(self, condition: Condition[Any]) -> None:
        self._check_once(condition)
        if isinstance(condition, Compare) and condition.operator == "=":
            self.equal[condition.field.name] = condition.operand
        elif _is_range(condition) and self.range is None:
            self.range = condition  # type: ignore[assignment]
        else:
            raise DesignError(
                "SK130",
                f"{self.place}: a key condition is equalities and at most one range (<, <=, >, >=, between, "
                "begins_with) joined by AND. Move the rest into .filter(...).",
            )

    def _check_once(self, condition: Condition[Any]) -> None:
        said = {*self.equal, *(names_of(self.range) if self.range is not None and not _is_range(condition) else ())}
        twice = names_of(condition) & said
        if twice:
            raise DesignError(
                "SK154",
                f"{self.place}: {', '.join(sorted(twice))} is asked for twice, and a key can be one thing only. Say it "
                "once; for one of several values, run a query each.",
            )

    def range_on(self, name: str) -> Compare[Any] | Between[Any] | Call[Any] | None:
        if self.range is not None and self.range.field.name == name:
            self.used.add(name)
            return self.range
        return None

    def check_used(self) -> None:
        names = set(self.equal) | ({self.range.field.name} if self.range is not None else set())
        left = sorted(names - self.used)
        if left:
            raise DesignError(
                "SK132",
                f"{self.place}: the key cannot use {', '.join(left)} here; parts of a sort key count from the left, "
                "and nothing follows a range. Use an index that has it, or .filter(...).",
            )


def flattened(conditions: Iterable[Condition[Any]]) -> Iterator[Condition[Any]]:
    """The terms of conditions joined by AND."""
    for condition in conditions:
        if type(condition) is All:
            yield from flattened(condition.conditions)
        else:
            yield condition


def names_of(condition: Condition[Any]) -> set[str]:
    """The attributes that a condition speaks of."""
    return {field.name for field in condition.fields()}


def _is_range(condition: Condition[Any]) -> bool:
    if isinstance(condition, Compare):
        return condition.operator in ("<", "<=", ">", ">=")
    return isinstance(condition, Between) or (isinstance(condition, Call) and condition.function == "begins_with")


def bind(
    hashes: Sequence[KeyPart], ranges: Sequence[KeyPart], conditions: Iterable[Condition[Any]], place: str
) -> Bound:
    """The key condition of a Query; raises when the partition is not given or a condition does not fit."""
    given = _Given(conditions, place)
    tests = [_partition(part, given) for part in hashes]
    excluded = None
    for part in ranges:
        exact = _exact(part, given)
        if exact is not None:
            tests.append(KeyTest(part.attribute, "=", (exact,)))
            continue
        test, excluded = _partial(part, given)
        if test is not None:
            tests.append(test)
        break
    given.check_used()
    for number, test in enumerate(tests):
        for operand in test.operands:
            check_size(operand, PARTITION_BYTES_MAX if number < len(hashes) else SORT_BYTES_MAX, place)
    return Bound(tuple(tests), excluded)


def _partition(part: KeyPart, given: _Given) -> KeyTest:
    exact = _exact(part, given)
    if exact is not None:
        return KeyTest(part.attribute, "=", (exact,))
    lost = [c.field.label for c in part.template.components if c.field.name not in given.equal]
    raise DesignError(
        "SK131",
        f"{given.place} would read the whole table: its partition key {part.attribute} = {part.template.text!r} needs "
        f"{' and '.join(lost) or 'a value'}. Add the equality, use another index, or write .scan() in a pattern that "
        "declares scan=.",
    )


def _exact(part: KeyPart, given: _Given) -> AttributeValue | None:
    """The key attribute, when every part of it is given, or its whole text."""
    if part.own in given.equal:
        given.used.add(part.own)
        return {"S": str(given.equal[part.own])}
    names = [component.field.name for component in part.template.components]
    if not all(name in given.equal for name in names):
        return None
    stored = part.template.encode(given.equal)
    if stored is None:
        raise ValueRefused("SK206", f"{given.place}: None is given for a part of a key. Pass a value for every part.")
    given.used.update(names)
    return stored


def _partial(part: KeyPart, given: _Given) -> tuple[KeyTest | None, tuple[str, AttributeValue] | None]:
    template = part.template
    if template.whole:
        return _whole(part, given, template.components[0].field.name), None
    if part.own is not None and given.range is not None and given.range.field.name == part.own:
        return _whole(part, given, part.own), None
    prefix, at = "", 0
    for at, piece in enumerate(template.pieces):  # noqa: B007
        if isinstance(piece, str):
            prefix += piece
        elif piece.field.name in given.equal:
            prefix += piece.text(given.equal[piece.field.name])
            given.used.add(piece.field.name)
        else:
            break
    component = template.pieces[at]
    assert isinstance(component, Component)
    condition = given.range_on(component.field.name)
    if condition is not None:
        return _range(part, prefix, component, at == len(template.pieces) - 1, condition, given)
    return (KeyTest(part.attribute, "begins_with", ({"S": prefix},)) if prefix else None), None


def _whole(part: KeyPart, given: _Given, name: str) -> KeyTest | None:
    """A range on the whole key attribute."""
    condition = given.range_on(name)
    if condition is None:
        return None
    if isinstance(condition, Call):
        assert condition.stored is not None
        return KeyTest(part.attribute, "begins_with", (condition.stored,))
    values = [condition.low, condition.high] if isinstance(condition, Between) else [condition.operand]
    encode = part.template.encode_whole if part.template.whole else condition.field.encode
    operands = tuple(_needed(encode(value), given) for value in values)
    return KeyTest(part.attribute, "BETWEEN" if isinstance(condition, Between) else condition.operator, operands)


def _needed(stored: AttributeValue | None, given: _Given) -> AttributeValue:
    if stored is None:
        raise ValueRefused("SK206", f"{given.place}: None is given for a part of a key. Pass a value for every part.")
    return stored


def _range(
    part: KeyPart,
    prefix: str,
    component: Component,
    last: bool,
    condition: Compare[Any] | Between[Any] | Call[Any],
    given: _Given,
) -> tuple[KeyTest, tuple[str, AttributeValue] | None]:
    """A range on one part of the sort key, as a range of whole keys."""
    if isinstance(condition, Call):
        assert condition.stored is not None
        start: str = condition.stored["S"]
        if component.field.escape:
            start = component.text(start)
        return KeyTest(part.attribute, "begins_with", ({"S": prefix + start},)), None
    if not last and not component.fixed:
        raise DesignError(
            "SK135",
            f"{given.place}: {component.field.label} has no fixed width and other parts follow it, so keys are not in "
            "its order. Put it last in the template, or give it a type of fixed width.",
        )
    # Behind a part that is not the last stands the delimiter; the character after it is above every key of that part.
    above = "" if last else chr(ord(component.delimiter) + 1)
    if isinstance(condition, Between):
        low, high = component.text(condition.low), component.text(condition.high) + above
        return KeyTest(part.attribute, "BETWEEN", ({"S": prefix + low}, {"S": prefix + high})), None
    operator, edge = condition.operator, prefix + component.text(condition.operand)
    if not last and operator in ("<=", ">"):
        operator, edge = {"<=": "<", ">": ">="}[operator], edge + above
    return _one_sided(part, prefix, operator, edge)


def _one_sided(
    part: KeyPart, prefix: str, operator: str, edge: str
) -> tuple[KeyTest, tuple[str, AttributeValue] | None]:
    """`<` reaches below the prefix and `>` above it; where other keys live there, a BETWEEN keeps them out."""
    if not prefix or (part.alone and prefix == part.template.literal):
        return KeyTest(part.attribute, operator, ({"S": edge},)), None
    outer = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    low, high = (prefix, edge) if operator in ("<", "<=") else (edge, outer)
    left_out = (part.attribute, {"S": edge}) if operator in ("<", ">") else None
    return KeyTest(part.attribute, "BETWEEN", ({"S": low}, {"S": high})), left_out
