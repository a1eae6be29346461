"""What somebody asks of a table, as a URL says it, and as DynamoDB wants it: one Query or Scan.

?index=GSI1&key=c%23mei&op=begins_with&sort=o%23           a key condition; `op` = < <= > >= between begins_with
&attr=status&is=eq&value=open&type=S                       filters, as often as you like
&columns=status,total&order=desc&consistent=1              which attributes, backwards, strongly consistent

ask = Ask.read(request.query_params)
operation, wanted = ask.request(table)                     raises BadAsk, which names the field
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from starlette.datastructures import QueryParams

Stored = dict[str, Any]
SORT_OPERATORS = ("begins_with", "=", "<", "<=", ">", ">=", "between")
_COMPARED = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
FILTERS = (*_COMPARED, "between", "in", "begins_with", "contains", "not_contains", "exists", "not_exists", "type")
_WITHOUT_VALUE = ("exists", "not_exists")
TYPES = ("", "S", "N", "B", "BOOL", "NULL")
"""The first means: whatever the design says of the attribute, or text and number alike."""
_FILTERS_MAX = 8
_IN_MAX = 100
"""As many as DynamoDB compares with."""
COLUMNS_MAX = 50
_DOCUMENT_TYPES = ("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL")
_STEP = re.compile(r"[^.\[\]]+|\[\d+\]")


class BadAsk(ValueError):
    """Something that cannot be asked: the field, a code, and what fills the code's text in."""

    def __init__(self, field: str, code: str, **values: str) -> None:
        super().__init__(f"{field}: {code} {values or ''}")
        self.field, self.code, self.values = field, code, values


class Sort(NamedTuple):
    operator: str
    value: str
    to: str


class Filter(NamedTuple):
    attribute: str
    operator: str
    value: str
    to: str
    type: str


@dataclass(frozen=True, slots=True)
class Schema:
    """A table or one of its indexes, as far as asking needs it."""

    table: str
    index: str
    hashes: tuple[str, ...]
    sorts: tuple[str, ...]
    types: Mapping[str, str]
    table_keys: tuple[str, ...]
    local: bool
    everything: bool
    """Does it hold every attribute?"""

    @property
    def keys(self) -> tuple[str, ...]:
        """What tells one entry from another: the keys of the index, and those of the table."""
        return tuple(dict.fromkeys((*self.hashes, *self.sorts, *self.table_keys)))


def schema_of(table: Mapping[str, Any], index: str = "") -> Schema | None:
    """As DescribeTable says; None when there is no such index."""
    local = {one["IndexName"]: one for one in table.get("LocalSecondaryIndexes", ())}
    known = {"": table, **{one["IndexName"]: one for one in table.get("GlobalSecondaryIndexes", ())}, **local}
    if index not in known:
        return None
    view = known[index]
    types = {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}
    everything = not index or view.get("Projection", {}).get("ProjectionType", "ALL") == "ALL"
    hashes, sorts = _parts(view, "HASH"), _parts(view, "RANGE")
    keys = (*_parts(table, "HASH"), *_parts(table, "RANGE"))
    return Schema(table["TableName"], index, hashes, sorts, types, keys, index in local, everything)


def _parts(view: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    return tuple(one["AttributeName"] for one in view["KeySchema"] if one["KeyType"] == kind)


@dataclass(frozen=True, slots=True)
class Ask:
    index: str = ""
    keys: tuple[str, ...] = ()
    sorts: tuple[Sort, ...] = ()
    filters: tuple[Filter, ...] = ()
    columns: tuple[str, ...] = ()
    backwards: bool = False
    consistent: bool = False

    @classmethod
    def read(cls, given: QueryParams) -> Ask:
        columns = [name.strip() for name in given.get("columns", "").split(",") if name.strip()]
        return cls(
            given.get("index", ""),
            tuple(given.getlist("key")) if any(given.getlist("key")) else (),
            tuple(_sorts(given)),
            tuple(_filters(given)),
            tuple(columns[:COLUMNS_MAX]),
            given.get("order") == "desc",
            given.get("consistent") == "1",
        )

    @property
    def is_query(self) -> bool:
        return bool(self.keys)

    def request(self, schema: Schema, known: Mapping[str, set[str]] | None = None) -> tuple[str, dict[str, Any]]:
        """`known` are the types that a design gives attributes."""
        into = _Expression(schema, known or {})
        asked: dict[str, Any] = {"TableName": schema.table}
        if schema.index:
            asked["IndexName"] = schema.index
        if self.is_query:
            asked["KeyConditionExpression"] = " AND ".join(self._key_tests(schema, into))
        elif any(sort.value for sort in self.sorts):
            raise BadAsk("key", "no-partition", key=schema.hashes[0])
        tests = [into.filter(number, one) for number, one in enumerate(self.filters)]
        if tests:
            asked["FilterExpression"] = " AND ".join(tests)
        if self.columns:
            wanted = dict.fromkeys((*schema.keys, *self.columns))
            asked["ProjectionExpression"] = ", ".join(into.path(name, "columns") for name in wanted)
        asked |= into.maps()
        if self.backwards and self.is_query:
            asked["ScanIndexForward"] = False
        if self.consistent and (not schema.index or schema.local):
            asked["ConsistentRead"] = True
        return ("Query" if self.is_query else "Scan"), asked

    def _key_tests(self, schema: Schema, into: _Expression) -> Iterator[str]:
        for name, text in zip(schema.hashes, (*self.keys, *[""] * len(schema.hashes)), strict=False):
            if not text:
                raise BadAsk("key", "empty-key", key=name)
            yield f"{into.name(name)} = {into.value(into.key(name, text, 'key'))}"
        for number, (name, sort) in enumerate(zip(schema.sorts, self.sorts, strict=False)):
            if not sort.value:
                break
            yield self._sort_test(name, sort, into)
            if sort.operator != "=" and any(one.value for one in self.sorts[number + 1 :]):
                raise BadAsk("sort", "after-a-range", key=name)

    def _sort_test(self, name: str, sort: Sort, into: _Expression) -> str:
        place, low = into.name(name), into.value(into.key(name, sort.value, "sort"))
        if sort.operator == "begins_with":
            if into.schema.types[name] == "N":
                raise BadAsk("sort", "number-begins", key=name)
            return f"begins_with({place}, {low})"
        if sort.operator == "between":
            if not sort.to:
                raise BadAsk("to", "empty-end", key=name)
            return f"{place} BETWEEN {low} AND {into.value(into.key(name, sort.to, 'to'))}"
        return f"{place} {sort.operator} {low}"


def _sorts(given: QueryParams) -> Iterator[Sort]:
    operators, ends = given.getlist("op"), given.getlist("to")
    for number, value in enumerate(given.getlist("sort")):
        operator = operators[number] if number < len(operators) else "="
        if operator not in SORT_OPERATORS:
            raise BadAsk("op", "no-operator", text=operator[:40])
        yield Sort(operator, value, ends[number] if number < len(ends) else "")


def _filters(given: QueryParams) -> Iterator[Filter]:
    lists = [given.getlist(name) for name in ("is", "value", "and", "type")]
    attributes = given.getlist("attr")
    if len(attributes) > _FILTERS_MAX + 1:
        raise BadAsk("attr", "too-many-filters", most=str(_FILTERS_MAX))
    for number, attribute in enumerate(attributes):
        operator, value, to, kind = (one[number] if number < len(one) else "" for one in lists)
        if not attribute.strip():
            continue
        if operator not in FILTERS or kind not in TYPES:
            raise BadAsk(f"attr{number}", "no-operator", text=f"{operator} {kind}"[:40])
        yield Filter(attribute.strip(), operator, value, to, kind)


@dataclass
class _Expression:
    """Placeholders for names and values, each once."""

    schema: Schema
    known: Mapping[str, set[str]]
    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, Stored] = field(default_factory=dict)

    def name(self, attribute: str) -> str:
        for placeholder, name in self.names.items():
            if name == attribute:
                return placeholder
        placeholder = f"#n{len(self.names)}"
        self.names[placeholder] = attribute
        return placeholder

    def value(self, stored: Stored) -> str:
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = stored
        return placeholder

    def path(self, text: str, place: str) -> str:
        """`address.city` and `tags[0]`; a known name is taken as it is."""
        if text in self.known or text in self.schema.types:
            return self.name(text)
        steps = _STEP.findall(text)
        if not steps or steps[0].startswith("[") or "".join(steps) != text.replace(".", ""):
            raise BadAsk(place, "no-path", text=text[:80])
        return "".join(
            step if step.startswith("[") else ("." if at else "") + self.name(step) for at, step in enumerate(steps)
        )

    def key(self, attribute: str, text: str, place: str) -> Stored:
        return stored(text, self.schema.types[attribute], place)

    def maps(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.names:
            found["ExpressionAttributeNames"] = self.names
        if self.values:
            found["ExpressionAttributeValues"] = self.values
        return found

    def filter(self, number: int, one: Filter) -> str:
        return self._tests(one, f"attr{number}")

    def _tests(self, one: Filter, place: str) -> str:
        path = self.path(one.attribute, place)
        if one.operator in _WITHOUT_VALUE:
            return f"attribute_{one.operator}({path})"
        if one.operator == "type":
            if one.value not in _DOCUMENT_TYPES:
                raise BadAsk(place, "no-type", text=one.value[:40], types=", ".join(_DOCUMENT_TYPES))
            return f"attribute_type({path}, {self.value({'S': one.value})})"
        tests = [self._test(path, one, kind, place) for kind in self._kinds(one)]
        joint = " AND " if one.operator in ("ne", "not_contains") else " OR "
        return tests[0] if len(tests) == 1 else f"({joint.join(tests)})"

    def _test(self, path: str, one: Filter, kind: str, place: str) -> str:
        if one.operator == "in":
            texts = [text.strip() for text in one.value.split(",") if text.strip()]
            if not texts:
                raise BadAsk(place, "empty")
            if len(texts) > _IN_MAX:
                raise BadAsk(place, "too-many-values", most=str(_IN_MAX))
            return f"{path} IN ({', '.join(self.value(stored(text, kind, place)) for text in texts)})"
        low = self.value(stored(one.value, kind, place))
        if one.operator == "between":
            return f"{path} BETWEEN {low} AND {self.value(stored(one.to, kind, place))}"
        if one.operator in _COMPARED:
            return f"{path} {_COMPARED[one.operator]} {low}"
        if one.operator == "not_contains":
            return f"NOT contains({path}, {low})"
        return f"{one.operator}({path}, {low})"

    def _kinds(self, one: Filter) -> list[str]:
        """The types that the value may have: the one that was chosen, the design's, or text and number alike."""
        if one.type:
            return [one.type]
        if one.operator == "begins_with":
            return ["S"]
        own = self.schema.types.get(one.attribute)
        if own is not None:
            return [own]
        # A set or list is asked for one of its elements.
        designed = sorted(
            {kind[0] if kind in ("SS", "NS", "BS") else kind for kind in self.known.get(one.attribute, ())}
        )
        usable = [kind for kind in designed if kind in TYPES]
        if usable:
            return usable
        texts = [*one.value.split(","), one.to] if one.operator == "in" else [one.value, one.to]
        return ["S", "N"] if all(_is_number(text.strip()) for text in texts if text.strip()) else ["S"]


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def stored(text: str, kind: str, place: str) -> Stored:
    """A value of a type, out of what somebody typed."""
    if kind == "NULL":
        return {"NULL": True}
    if kind == "BOOL":
        if text.lower() not in ("true", "false"):
            raise BadAsk(place, "no-flag", text=text[:40])
        return {"BOOL": text.lower() == "true"}
    if kind == "N":
        if not _is_number(text) or not text.isascii():
            raise BadAsk(place, "no-number", text=text[:40])
        return {"N": text.strip()}
    if kind == "B":
        try:
            b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise BadAsk(place, "no-binary", text=text[:40]) from None
        return {"B": text}
    return {"S": text}
