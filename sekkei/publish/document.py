"""A design as a document: what it says, in order, before anybody decides how it looks."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sekkei.design import Design, Entity, Field, Index, Measurements, Pattern, Plan, Relation, Table, UniqueKey
from sekkei.design.codecs import Anything, from_stored

from .texts import Language, Words

TYPE_NAMES = {
    "S": "String",
    "N": "Number",
    "B": "Binary",
    "BOOL": "Boolean",
    "M": "Map",
    "L": "List",
    "SS": "String Set",
    "NS": "Number Set",
    "BS": "Binary Set",
}


@dataclass(frozen=True)
class Heading:
    level: int
    text: str
    anchor: str


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Grid:
    """A table of words; cells may hold several lines. Code cells are marked by a leading and trailing backquote."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Code:
    language: str
    text: str


@dataclass(frozen=True)
class Diagram:
    entities: Sequence[Entity[..., Any]]
    relations: Sequence[Relation]
    titles: Sequence[str]


Block = Heading | Paragraph | Grid | Code | Diagram


@dataclass(frozen=True)
class Document:
    language: Language
    title: str
    blocks: Sequence[Block]


def document(design: Design, language: Language | None = None, measurements: Measurements | None = None) -> Document:
    """The whole document of a design, in its own language unless another is asked for."""
    design.check()
    language = language or design.language
    words = Words(language, design.added.get(language))
    title = words.of(design) or design.name
    blocks: list[Block] = [
        Heading(1, title, "top"),
        Paragraph(words("made_from_code", name=design.name) + (f" {words.marking.note}" if words.marking else "")),
        *_summary(design, words),
        *_diagram(design, words),
        *_patterns(design, words, measurements or Measurements()),
    ]
    for table in design.tables.values():
        blocks += _table(design, table, words)
    return Document(language, title, blocks)


def anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def code(text: str) -> str:
    return f"`{text}`"


def _summary(design: Design, words: Words) -> list[Block]:
    local = any(index.local for table in design.tables.values() for index in table.indexes.values())
    rows = [
        [
            str(number),
            code(table.name) + words.mark(table.added),
            code(table.pk),
            code(table.sk) if table.sk else "-",
            *_index_counts(table, local),
            words.of(table),
        ]
        for number, table in enumerate(design.tables.values(), 1)
    ]
    header = ["#", words("table"), "PK", "SK", "GSI", *(["LSI"] if local else []), words("purpose")]
    counted = [Paragraph(text) for text in [_counts(design, words)] if text]
    return [Heading(2, words("tables"), "tables"), *counted, Grid(header, rows)]


def _counts(design: Design, words: Words) -> str:
    """How many tables are added and how many are not, where the design has words for that."""
    if words.marking is None:
        return ""
    added = sum(table.added for table in design.tables.values())
    found = [words.marking.unmarked.format(count=len(design.tables) - added)]
    if added:
        found.append(words.marking.marked.format(count=added))
    return " · ".join(text for text in found if text)


def _index_counts(table: Table, local: bool) -> list[str]:
    of_table = sum(index.local for index in table.indexes.values())
    return [str(len(table.indexes) - of_table), *([str(of_table)] if local else [])]


def _diagram(design: Design, words: Words) -> list[Block]:
    """What the design says with `relate`. Nothing is guessed: a false line is worse than none."""
    if not design.relations:
        return []
    everyone = (entity for table in design.tables.values() for entity in table.entities)
    entities = [entity for entity in everyone if entity.model.cls is not UniqueKey]
    titles = [words.of(entity) or entity.name for entity in entities]
    return [Heading(2, words("relations"), "relations"), Diagram(entities, design.relations, titles)]


def _patterns(design: Design, words: Words, measurements: Measurements) -> list[Block]:
    patterns = list(design.patterns.values())
    if not patterns:
        return []
    numbered = any(pattern.number for pattern in patterns)
    rows = [_pattern_row(pattern, words, measurements)[0 if numbered else 1 :] for pattern in patterns]
    header = [words("number"), words("pattern"), words("function"), words("plan"), words("units")]
    return [Heading(2, words("patterns"), "patterns"), Grid(header[0 if numbered else 1 :], rows)]


def _pattern_row(pattern: Pattern[..., Any], words: Words, measurements: Measurements) -> list[str]:
    units = measurements.units.get(pattern.name)
    plan = "\n".join(line for step in pattern.plans for line in _plan_lines(step, words))
    said = words.of(pattern).splitlines()[0]
    parameters = ", ".join(pattern.parameters)
    return [
        pattern.number or ("-" if words.marking is None else words.marking.word),
        said + (words.mark(pattern.added) if pattern.number else ""),
        code(f"{pattern.name}({parameters})"),
        plan,
        str(units) if units is not None else words("not_measured"),
    ]


def _plan_lines(plan: Plan, words: Words) -> list[str]:
    """One step: what is asked of which table or index, and how."""
    found = [f"{plan.operation} {code(plan.target)}"]
    writing = plan.operation not in ("GetItem", "BatchGetItem", "Query", "Scan")
    if plan.key:
        found.append(f"{words('key_condition')}: {code(plan.key)}")
    if plan.filter:
        found.append(f"{words('condition' if writing else 'filter')}: {code(plan.filter)}")
    if plan.changes:
        found.append(f"{words('changes')}: {code(', '.join(plan.changes))}")
    if plan.uniques:
        found.append(f"{words('uniques')}: {code(', '.join(plan.uniques))}")
    if not writing:
        found.append(f"{words('consistency')}: {words('strong' if plan.consistent else 'eventual')}")
    if plan.page_size is not None:
        order = f", {words('backwards')}" if plan.backwards else ""
        found.append(f"{words('page')}: {words('items', count=plan.page_size)}{order}")
    if plan.others:
        found.append(f"{words('others')}: {code(', '.join(plan.others))}")
    if plan.scan:
        found.append(words("scan", reason=plan.scan))
    return found


def _table(design: Design, table: Table, words: Words) -> list[Block]:
    blocks: list[Block] = [
        Heading(2, table.name + words.mark(table.added), anchor(f"table-{table.name}")),
        Paragraph(words.of(table)),
        *_settings(design, table, words),
        *_entities(table, words),
        *_attributes(table, words),
        *_indexes(table, words),
        *_uniques(table, words),
        *_examples(table, words),
    ]
    return [block for block in blocks if not (isinstance(block, Paragraph) and not block.text)]


def _settings(design: Design, table: Table, words: Words) -> list[Block]:
    capacity = table.capacity
    billing = words("on_demand") if capacity is None else words("provisioned", read=capacity.read, write=capacity.write)
    rows = [
        [words("name_in_store"), code(design.naming.replace("{table}", table.name))],
        [words("billing"), billing],
        [words("ttl"), code(table.ttl) if table.ttl else words("none")],
        [words("stream"), table.stream or words("none")],
        [words("pitr"), words("on") if table.pitr else words("none")],
        [words("protection"), words("on") if table.deletion_protection else words("none")],
    ]
    return [
        Heading(3, words("settings"), anchor(f"{table.name}-settings")),
        Grid([words("setting"), words("value")], rows),
    ]


def _entities(table: Table, words: Words) -> list[Block]:
    header = [words("entity"), table.pk, *([table.sk] if table.sk else [])]
    typed = table.discriminator is not None
    rows = []
    for entity in table.entities:
        name = f"{words.of(entity) or entity.name} {code(entity.name)}{words.mark(entity.added)}"
        row = [name, *(code(_stored_text(entity, text)) for text in entity.key_texts if text is not None)]
        rows.append([*row, code(entity.type or "")] if typed else row)
    if typed:
        header.append(str(table.discriminator))
    return [Heading(3, words("key"), anchor(f"{table.name}-key")), Grid(header, rows)]


def _stored_text(entity: Entity[..., Any], text: str) -> str:
    """A template with stored names, as the original documents write it."""
    fields = entity.model.fields

    def stored(match: re.Match[str]) -> str:
        field = fields[match[1]]
        return "{" + (field.stored if field.is_stored else field.name) + match[2] + "}"

    return re.sub(r"\{(\w+)([^}]*)\}", stored, text)


def _attributes(table: Table, words: Words) -> list[Block]:
    rows: dict[str, dict[str, list[str]]] = {}  # by stored name, then by entity
    for entity in table.entities:
        for field in entity.model.by_stored.values():
            rows.setdefault(field.stored, {})[_holder(entity)] = _attribute_row(entity, field, words)
    header = [words("attribute"), words("type"), words("form"), words("meaning"), words("required")]
    if len(table.entities) == 1:
        shown = [row for by_entity in rows.values() for row in by_entity.values()]
    else:
        header.append(words("entity"))
        shown = [[*_merged(by_entity), ", ".join(by_entity)] for by_entity in rows.values()]
    return [Heading(3, words("attributes"), anchor(f"{table.name}-attributes")), Grid(header, shown)]


def _holder(entity: Entity[..., Any]) -> str:
    return entity.type or entity.name


def _merged(by_entity: dict[str, list[str]]) -> list[str]:
    """One row for an attribute of several entities; where they differ, each says its own."""
    names, *columns = zip(*by_entity.values(), strict=True)
    name = min(names, key=len)  # marked as added only when it is so for all of them
    return [name, *(_told(dict(zip(by_entity, cells, strict=True))) for cells in columns)]


def _told(cells: dict[str, str]) -> str:
    if len(set(cells.values())) == 1:
        return next(iter(cells.values()))
    by_cell: dict[str, list[str]] = {}
    for holder, cell in cells.items():
        if cell:
            by_cell.setdefault(cell, []).append(holder)
    return "\n".join(f"{', '.join(holders)}: {cell}" for cell, holders in by_cell.items())


def _attribute_row(entity: Entity[..., Any], field: Field[Any, Any], words: Words) -> list[str]:
    kind = "Any" if isinstance(field.codec, Anything) else TYPE_NAMES[field.codec.kind]
    needed = field.stored in entity.keys or (not field.optional and field.codec.empty is None)
    return [
        code(field.stored) + words.mark(field.added or entity.added),
        kind,
        _form(entity, field, words),
        words.of(field),
        words("yes") if needed else words("no"),
    ]


def _form(entity: Entity[..., Any], field: Field[Any, Any], words: Words) -> str:
    if field.role == "template":
        return code(_stored_text(entity, field.text or ""))
    shape = field.form.replace("{}", "…") if field.form else field.codec.shape
    computed = words("computed") if field.role == "computed" else ""
    return " · ".join(part for part in (computed, code(shape) if shape else "") if part)


def _indexes(table: Table, words: Words) -> list[Block]:
    if not table.indexes:
        return []
    rows = [
        [
            code(index.name) + (f" ({words('local')})" if index.local else "") + words.mark(index.added),
            code(" + ".join(index.pk)),
            code(" + ".join(index.sk)) if index.sk else "-",
            index.projection if isinstance(index.projection, str) else f"INCLUDE {', '.join(index.projection)}",
            words.of(index),
        ]
        for index in table.indexes.values()
    ]
    header = [words("index"), "PK", "SK", words("projection"), words("purpose")]
    heading = Heading(3, words("indexes"), anchor(f"{table.name}-indexes"))
    return [heading, Grid(header, rows), *_index_keys(table, words)]


def _index_keys(table: Table, words: Words) -> list[Block]:
    """How each entity of a shared table makes the keys of each index that it is in."""
    if len(table.entities) == 1:
        return []
    rows = [
        [code(index.name), code(entity.name), *_index_key(index, entity)]
        for index in table.indexes.values()
        for entity in table.entities
        if all(entity.template_for(name) is not None for name in index.attributes)
    ]
    header = [words("index"), words("entity"), "PK", "SK"]
    return [Heading(4, words("index_keys"), anchor(f"{table.name}-index-keys")), Grid(header, rows)] if rows else []


def _index_key(index: Index, entity: Entity[..., Any]) -> list[str]:
    halves = []
    for names in (index.pk, index.sk):
        texts = [" / ".join(_texts_for(entity, name)) for name in names]
        halves.append(" + ".join(texts) or "-")
    return halves


def _texts_for(entity: Entity[..., Any], name: str) -> list[str]:
    if entity.model.cls is UniqueKey:
        return [code(template.text) for template in entity.templates_for(name)]
    return [code(_stored_text(entity, template.text)) for template in entity.templates_for(name)]


def _uniques(table: Table, words: Words) -> list[Block]:
    rows = [
        [words.of(entity) or entity.name, code(unique.template.text), code(unique.markers.table.name)]
        for entity in table.entities
        for unique in entity.uniques
    ]
    if not rows:
        return []
    header = [words("entity"), words("unique"), words("markers_in")]
    return [Heading(3, words("uniques"), anchor(f"{table.name}-uniques")), Grid(header, rows)]


def _examples(table: Table, words: Words) -> list[Block]:
    items = [
        {name: from_stored(value) for name, value in _keys_first(table, entity.encode(instance)).items()}
        for entity in table.entities
        for instance in entity.examples
    ]
    if not items:
        return []
    shown = "\n".join(json.dumps(item, ensure_ascii=False, indent=2, default=_plain) for item in items)
    return [Heading(3, words("examples"), anchor(f"{table.name}-examples")), Code("json", shown)]


def _keys_first(table: Table, item: dict[str, Any]) -> dict[str, Any]:
    keys = {name: item[name] for name in table.key_attributes}
    return {**keys, **{name: value for name, value in item.items() if name not in keys}}


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set) else str(value)
