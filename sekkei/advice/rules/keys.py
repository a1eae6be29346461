"""Keys and partitions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from sekkei.advice.facts import Facts, is_constant, is_day, is_few, key_templates
from sekkei.advice.findings import Finding, finding
from sekkei.design import Update
from sekkei.design.ambiguity import overlap
from sekkei.design.codecs import Approximate, Day, Instant


def few_partitions(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        for entity in table.entities:
            key = entity.keys[table.pk]
            varies = any(not is_constant(template) for template in entity.keys.values())
            if is_few(key) and varies:
                yield finding("R1", f"{table.name}: {entity.name}", f'every item has {table.pk} = "{key.text}"')


def days_as_partitions(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        for entity in table.entities:
            if is_day(entity.keys[table.pk]):
                yield finding("R3", f"{table.name}: {entity.name}", f'{table.pk} = "{entity.keys[table.pk].text}"')


def rising_sort_keys(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        for entity in table.entities:
            if table.sk is None or not (is_few(entity.keys[table.pk]) or is_day(entity.keys[table.pk])):
                continue
            sort = entity.keys[table.sk]
            if sort.components and isinstance(sort.components[0].codec, Day | Instant):
                yield finding("R4", f"{table.name}: {entity.name}", f'{table.sk} = "{sort.text}" rises with time')


def one_item_for_all(facts: Facts) -> Iterator[Finding]:
    for write in facts.writes:
        action = write.action
        alone = all(is_constant(template) for template in action.entity.keys.values())
        if alone and isinstance(action, Update):
            yield finding(
                "R5", write.pattern.name, f"there is one item of {action.entity.name}, and every call writes it"
            )


def prefixes_inside_parts(facts: Facts) -> Iterator[Finding]:
    for read in facts.reads:
        for test in read.query.tests:
            if test.operator != "begins_with":
                continue
            text = next(iter(test.operands[0].values()))
            template = read.query.view.entity.template_for(test.attribute)
            if template is not None and isinstance(text, str) and text.endswith("}") and not template.whole:
                yield finding("R9", read.pattern.name, f"begins_with({test.attribute}, {text!r}) has no end")


def keys_that_meet(facts: Facts) -> Iterator[Finding]:
    everybody = [entity for table in facts.tables for entity in table.entities]
    for table in facts.tables:
        for one, other in combinations(table.entities, 2):
            pairs = [
                (name, product(key_templates(one, name, everybody), key_templates(other, name, everybody)))
                for name in table.key_attributes
            ]
            meeting = [(name, next((p for p in both if overlap(*p)), None)) for name, both in pairs]
            if all(pair is not None for _, pair in meeting):
                made = ", ".join(f'{name} "{p[0].text}" and "{p[1].text}"' for name, p in meeting if p is not None)
                yield finding("R11", f"{table.name}: {one.name}, {other.name}", f"their keys can be equal: {made}")


def floats_as_keys(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        names = {*table.key_attributes, *(a for index in table.indexes.values() for a in index.attributes)}
        for entity in table.entities:
            for name in sorted(names):
                template = entity.template_for(name)
                if template is not None and any(isinstance(c.codec, Approximate) for c in template.components):
                    yield finding("R14", f"{table.name}: {entity.name}", f"{name} is a float")


CHECKS = (
    few_partitions,
    days_as_partitions,
    rising_sort_keys,
    one_item_for_all,
    prefixes_inside_parts,
    keys_that_meet,
    floats_as_keys,
)
