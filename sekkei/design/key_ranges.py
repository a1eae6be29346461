"""Spans of sort keys: where in a partition the items of an entity lie, and which others lie between.

A collection reads one span that holds all of its entities. A plan names the entities that were not asked for and whose
items may lie in what is read all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from .ambiguity import overlap
from .binding import Bound, KeyPart, KeyTest, bind, names_of
from .codecs import AttributeValue
from .conditions import Condition
from .templates import Component, Template

if TYPE_CHECKING:
    from .entity import Entity
    from .query import Query
    from .views import View

TOP = chr(0x10FFFF)  # above every text


class Span(NamedTuple):
    """From one sort key to another, both included."""

    low: str = ""
    high: str = TOP
    excluded: tuple[str, AttributeValue] | None = None  # an end that does not belong

    def __contains__(self, other: object) -> bool:
        return isinstance(other, Span) and self.low <= other.low and other.high <= self.high

    def meets(self, other: Span) -> bool:
        return self.low <= other.high and other.low <= self.high


def _after(prefix: str) -> str:
    """The first text above everything that begins so."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1) if prefix else TOP


def _span_of(bound: Bound) -> Span:
    """The span that a condition on the sort key leaves."""
    if not bound.tests:
        return Span()
    test = bound.tests[0]
    texts = [str(operand.get("S", "")) for operand in test.operands]
    if test.operator == "=":
        return Span(texts[0], texts[0])
    if test.operator == "begins_with":
        return Span(texts[0], _after(texts[0]))
    if test.operator == "BETWEEN":
        return Span(texts[0], texts[1], bound.excluded)
    end = (test.attribute, test.operands[0]) if test.operator in ("<", ">") else None
    return Span("", texts[0], end) if test.operator in ("<", "<=") else Span(texts[0], TOP, end)


def sort_span(view: View[Any], conditions: Iterable[Condition[Any]], place: str) -> Span:
    """Where the entity's items lie, as far as the conditions speak of parts of its sort key."""
    part = view.key_parts(view.ranges)[0]
    names = part_names(part)
    spoken = [condition for condition in conditions if names_of(condition) <= names]
    return _span_of(bind([], [part._replace(alone=False)], spoken, place))


def part_names(part: KeyPart) -> set[str]:
    """The attributes that a key part is made of, and its own name when it is a template of the model."""
    return {component.field.name for component in part.template.components} | ({part.own} if part.own else set())


def hull(spans: Iterable[Span]) -> Span:
    """The smallest span that holds them all."""
    found = list(spans)
    low, high = min(span.low for span in found), max(span.high for span in found)
    ends = [span.excluded for span in found if span.excluded is not None]
    edge = next((end for end in ends if str(end[1].get("S")) in (low, high)), None)
    return Span(low, high, edge)


def key_test(attribute: str, span: Span) -> KeyTest | None:
    """The span as a term of a key condition."""
    if span.low == span.high:
        return KeyTest(attribute, "=", ({"S": span.low},))
    if not span.low:
        return None if span.high == TOP else KeyTest(attribute, "<=", ({"S": span.high},))
    if span.high == TOP:
        return KeyTest(attribute, ">=", ({"S": span.low},))
    if span.high == _after(span.low):
        return KeyTest(attribute, "begins_with", ({"S": span.low},))
    return KeyTest(attribute, "BETWEEN", ({"S": span.low}, {"S": span.high}))


def others_in(query: Query[Any]) -> list[Entity[..., Any]]:
    """The entities that were not asked for, and whose items may lie in what the query reads."""
    view = query.view
    strangers = [
        entity
        for entity in view.table.entities
        if entity not in query.entities and all(entity.templates_for(name) for name in view.attributes)
    ]
    if query.scanning:
        return strangers
    sort = [test for test in query.tests if test.attribute in view.ranges[:1] and test.attribute not in view.hashes]
    read = _readable(_span_of(Bound(tuple(sort))), _digits(view)) if sort else Span()
    return [entity for entity in strangers if _shares(view, entity) and _reaches(view, entity, read)]


def _shares(view: View[Any], entity: Entity[..., Any]) -> bool:
    """May the entity have items in the same partition?"""
    asked = view.entity
    return all(
        any(overlap(one, other) for one in asked.templates_for(name) for other in entity.templates_for(name))
        for name in view.hashes
    )


def _reaches(view: View[Any], entity: Entity[..., Any], read: Span) -> bool:
    if not view.ranges:
        return True
    return any(_lies(template).meets(read) for template in entity.templates_for(view.ranges[0]))


def _lies(template: Template) -> Span:
    """Where a template's texts lie, whatever its parts are."""
    if not any(isinstance(piece, Component) for piece in template.pieces):
        return Span(template.text, template.text)
    return Span(template.literal, _after(template.literal))


def _digits(view: View[Any]) -> set[str]:
    """The beginnings of the entity's sort keys that a digit follows."""
    found = (template for name in view.ranges[:1] for template in view.entity.templates_for(name))
    return {one.literal for one in found if one.components and one.components[0].pattern.startswith(r"\d")}


def _readable(span: Span, digits: set[str]) -> Span:
    """The same without stand-ins, which could be anything, or any number."""
    low, brace_low, _ = span.low.partition("{")
    high, brace_high, _ = span.high.partition("{")
    if brace_low and low in digits:
        low += "0"
    if brace_high:
        high = high + ":" if high in digits else _after(high)  # a colon follows the nine
    return Span(low, high)
