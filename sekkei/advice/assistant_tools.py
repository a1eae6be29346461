"""What a program may ask of a design and a store, answered as plain values: what it means, costs and holds.

Reads only, at most `ITEMS_MAX` items and `BYTES_MAX` bytes of them at a time; personal attributes stay covered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sekkei.advice.checking import check
from sekkei.advice.costing import Prices, price
from sekkei.advice.index_advisor import propose
from sekkei.advice.pattern_runner import parameters, row_of, runs, try_pattern
from sekkei.design import Design, Entity, Measurements, Pattern, SekkeiError, Table
from sekkei.store.protocol import Store
from sekkei.store.read_only import ReadOnly

ITEMS_MAX = 100
BYTES_MAX = 100_000
Answer = dict[str, Any]


class Unanswerable(ValueError):
    """The question cannot be answered; the text says why and what there is."""


class Answers:
    """`Answers(design, store, env="dev", measured=…)`."""

    def __init__(self, design: Design, store: Store, *, env: str, measured: Measurements, secret: bytes) -> None:
        self.design, self.env, self.measured = design, env, measured
        self._store, self._secret = ReadOnly(store), secret

    def overview(self) -> Answer:
        """Tables, entities and how many patterns."""
        return {
            "design": self.design.name,
            "about": self.design.en or self.design.ja,
            "tables": [self._table(table) for table in self.design.tables.values()],
            "relations": [f"{r.parent.name} 1:{'n' if r.many else '1'} {r.child.name}" for r in self.design.relations],
            "patterns": len(self.design.patterns),
        }

    def _table(self, table: Table) -> Answer:
        return {
            "table": self.design.table_name(table, self.env),
            "key": list(table.key_attributes),
            "indexes": {one.name: {"partition": list(one.pk), "sort": list(one.sk)} for one in table.indexes.values()},
            "entities": {one.name: one.en or one.ja for one in table.entities},
        }

    def entity(self, name: str) -> Answer:
        entity = self._entity(name)
        fields = entity.model.fields.values()
        return {
            "entity": name,
            "about": entity.en or entity.ja,
            "table": self.design.table_name(entity.table, self.env),
            "key": {attribute: template.text for attribute, template in entity.keys.items()},
            "attributes": [_attribute(field) for field in fields],
            "indexes": _indexes(entity),
            "unique": [one.template.text for one in entity.uniques],
            "examples": [_covered(entity, one) for one in entity.examples[:3]],
            "patterns": [one for one, pattern in self.design.patterns.items() if _touches(pattern, entity)],
        }

    def patterns(self, words: str = "") -> list[Answer]:
        """Those whose name or text has every one of the words."""
        wanted = words.lower().split()
        return [
            {
                "pattern": one.name,
                "for": one.en.splitlines()[0],
                "how": [str(plan).splitlines()[0] for plan in one.plans],
            }
            for one in self.design.patterns.values()
            if all(word in f"{one.name} {one.en} {one.ja}".lower() for word in wanted)
        ]

    def pattern(self, name: str) -> Answer:
        pattern = self._pattern(name)
        units = self.measured.units.get(name)
        return {
            "pattern": name,
            "for": pattern.en,
            "parameters": [
                {"name": one.name, "kind": one.kind, "required": one.required, "choices": list(one.choices)}
                for one in parameters(pattern)
            ],
            "plan": [plan.lines() for plan in pattern.plans],
            "can_be_run": runs(pattern),
            "measured": None if units is None else {"read": units.read, "write": units.write, "items": units.items},
            "findings": [each.as_dict() for each in check(self.design, self.measured) if each.place == name],
        }

    async def run(self, name: str, arguments: Mapping[str, Any], limit: int = 20, after: str | None = None) -> Answer:
        """Run a pattern that reads."""
        self._pattern(name)
        size = max(1, min(limit, ITEMS_MAX))
        texts = {key: _argument(value) for key, value in arguments.items()}
        tried = await try_pattern(
            self.design, self._store, name, texts, env=self.env, secret=self._secret, size=size, after=after, cover=True
        )
        rows = [{"entity": kind, **row} for kind, row in zip(tried.entities, tried.rows, strict=True)]
        items, cut = _within(rows)
        tally = tried.tally
        return {
            "items": items,
            "cut": cut,
            "read_units": tally.read_units,
            "items_read": tally.items_read,
            "calls": tally.calls,
            "after": next(iter(tried.cursors), None),
        }

    def price(self, name: str, calls_per_second: float, region: str = "us-east-1") -> Answer:
        """What a pattern costs a month at a rate, from its measured units."""
        self._pattern(name)
        prices = Prices.of(region)
        bill = price(self.design, self.measured, rates={name: calls_per_second}, items={}, prices=prices)
        if not bill.lines:
            raise Unanswerable(f"{name} has not been measured yet: run `sekkei measure` for this design.")
        line = bill.lines[0]
        return {
            "pattern": name,
            "calls_per_second": calls_per_second,
            "read_units_per_second": line.read,
            "write_units_per_second": line.write,
            "dollars_per_month_on_demand": line.dollars,
            "region": region,
            "prices_of": prices.date,
        }

    def findings(self) -> list[Answer]:
        self.design.check()
        return [each.as_dict() for each in check(self.design, self.measured)]

    async def sample(self, name: str, limit: int = 5) -> Answer:
        """Some items of an entity, as they are met first; looks through one page of its table."""
        entity = self._entity(name)
        asked: Answer = {"TableName": self.design.table_name(entity.table, self.env), "Limit": 500}
        if entity.table.discriminator is not None:
            asked |= {
                "FilterExpression": "#t = :t",
                "ExpressionAttributeNames": {"#t": entity.table.discriminator},
                "ExpressionAttributeValues": {":t": {"S": entity.type}},
            }
        found = (await self._store.call("Scan", asked))["Items"]
        own = [item for item in found if _is(entity, item)][: max(1, min(limit, ITEMS_MAX))]
        items, cut = _within([_covered(entity, entity.decode(item)) for item in own])
        return {"items": items, "cut": cut}

    def decode(self, item: Mapping[str, Any], table: str = "") -> Answer:
        """What a stored item (DynamoDB JSON) is: entity, attributes, which indexes hold it."""
        if not all(isinstance(value, Mapping) and len(value) == 1 for value in item.values()):
            raise Unanswerable('This is no DynamoDB JSON: each attribute has one type, such as {"PK": {"S": "a"}}.')
        tables = [
            one for one in self.design.tables.values() if table in ("", one.name, self.design.table_name(one, self.env))
        ]
        for one in tables:
            try:
                entity = one.entity_of(item)
                decoded = entity.decode(item)
            except (SekkeiError, AttributeError, TypeError, ValueError):
                continue
            held = [index.name for index in one.indexes.values() if all(name in item for name in index.attributes)]
            return {
                "entity": entity.name,
                "table": self.design.table_name(one, self.env),
                "attributes": _covered(entity, decoded),
                "in_indexes": held,
                "not_in_indexes": [name for name in one.indexes if name not in held],
                "unknown_attributes": sorted(set(item) - entity.stored_names),
            }
        raise Unanswerable("No entity of the design matches this item. It must be DynamoDB JSON with its key and type.")

    def propose_index(self, name: str, equal: Sequence[str], order_by: str | None = None) -> Answer:
        found = propose(self._entity(name), equal, order_by)
        return {"served_by": found.served_by, "how": found.how, "code": found.code, "notes": found.notes}

    def _entity(self, name: str) -> Entity[..., Any]:
        known = {one.name: one for table in self.design.tables.values() for one in table.entities}
        if name not in known:
            raise Unanswerable(f"{self.design.name} has no entity {name}. It has: {', '.join(known)}.")
        return known[name]

    def _pattern(self, name: str) -> Pattern[..., Any]:
        if name not in self.design.patterns:
            raise Unanswerable(f"{self.design.name} has no pattern {name}. It has: {', '.join(self.design.patterns)}.")
        return self.design.patterns[name]


def _attribute(field: Any) -> Answer:
    found = {"name": field.name, "type": str(getattr(field.annotation, "__name__", field.annotation))}
    found["stored_as"] = field.stored if field.is_stored else "in the key only"
    about = field.en or field.ja
    made = {"made_of": field.text or "other attributes"} if field.derived else {}
    shape = {"shape": field.codec.shape} if field.codec.shape else {}
    return {**found, **made, **shape, "optional": not field.required, **({"about": about} if about else {})}


def _indexes(entity: Entity[..., Any]) -> Answer:
    found = {}
    for index in entity.table.indexes.values():
        templates = {name: entity.template_for(name) for name in index.attributes}
        if all(template is not None for template in templates.values()):
            found[index.name] = {name: one.text for name, one in templates.items() if one is not None}
    return found


def _touches(pattern: Pattern[..., Any], entity: Entity[..., Any]) -> bool:
    from sekkei.advice.sample_data import asked_of

    return any(step.entity is entity for step in asked_of(pattern))


def _is(entity: Entity[..., Any], item: Mapping[str, Any]) -> bool:
    try:
        return entity.table.entity_of(item) is entity
    except SekkeiError:
        return False


def _covered(entity: Entity[..., Any], instance: Any) -> Answer:
    return dict(row_of(instance, entity, cover=True))


def _argument(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _within(rows: list[Answer]) -> tuple[list[Answer], bool]:
    """As many as the limit on bytes lets through, and whether some were left off."""
    kept: list[Answer] = []
    left = BYTES_MAX
    for row in rows:
        left -= len(json.dumps(row, ensure_ascii=False).encode())
        if left < 0:
            return kept, True
        kept.append(row)
    return kept, False
