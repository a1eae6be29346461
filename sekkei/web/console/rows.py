"""Items as people look at them: entities in colour, partitions together, sort keys in order, attributes as cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson

from sekkei.design import Design, Table
from sekkei.kit.text import written_out
from sekkei.web.console.asking import Schema
from sekkei.web.console.changing import entity_of
from sekkei.web.console.masks import COVER

Item = Mapping[str, Mapping[str, Any]]
_CELL_CHARACTERS_MAX = 200


class Cell(NamedTuple):
    name: str
    kind: str
    text: str

    @property
    def covered(self) -> bool:
        return self.text == COVER


@dataclass(slots=True)
class Row:
    """One item. `span` is how many rows of the same partition begin here; 0 inside one."""

    keys: list[Cell]
    cells: dict[str, Cell]
    entity: str | None
    address: str
    partition: str
    """The partition key in full; cells are cut."""
    span: int = 0


@dataclass(slots=True)
class Rows:
    rows: list[Row]
    columns: list[str]
    """Attributes beside the keys, in the order in which they are met."""
    key_columns: list[str]
    entities: list[str] = field(default_factory=list)

    @property
    def mixed(self) -> bool:
        """Several kinds of items: each row then names its own attributes, as columns would be mostly empty."""
        return len(self.entities) > 1


def rows_of(items: Sequence[Item], schema: Schema, table: Table | None) -> Rows:
    made = [_row(item, schema, table) for item in items]
    _span(made, len(schema.hashes))
    columns = list(dict.fromkeys(name for row in made for name in row.cells))
    entities = list(dict.fromkeys(row.entity for row in made if row.entity is not None))
    return Rows(made, columns, list(schema.keys), entities)


def _row(item: Item, schema: Schema, table: Table | None) -> Row:
    whole = table is not None and schema.everything
    entity = entity_of(table, item) if table is not None and (whole or table.discriminator in item) else None
    cells = [_cell(name, value) for name, value in _in_order(item, entity)]
    keys = [next((cell for cell in cells if cell.name == name), Cell(name, "", "")) for name in schema.keys]
    rest = {cell.name: cell for cell in cells if cell.name not in schema.keys}
    partition = _text(item, schema.hashes[0])
    return Row(keys, rest, entity.name if entity is not None else None, address_of(item, schema), partition)


def _in_order(item: Item, entity: Any) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """As the model declares them; what it does not know comes last, by name."""
    declared = list(entity.model.by_stored) if entity is not None else []
    names = [name for name in declared if name in item] + sorted(name for name in item if name not in declared)
    return ((name, item[name]) for name in names)


def _cell(name: str, value: Mapping[str, Any]) -> Cell:
    ((kind, _),) = value.items()
    return Cell(name, kind, text_of(value))


def _text(item: Item, name: str) -> str:
    return str(next(iter(item[name].values()))) if name in item else ""


def text_of(value: Mapping[str, Any], most: int = _CELL_CHARACTERS_MAX) -> str:
    """One value in a cell."""
    found = plain(dict(value))
    text = written_out(found if isinstance(found, str) else orjson.dumps(found).decode())
    return text if len(text) <= most else text[:most] + "…"


def _span(rows: list[Row], hashes: int) -> None:
    begin: Row | None = None
    for row in rows:
        if begin is not None and row.keys[:hashes] == begin.keys[:hashes]:
            begin.span += 1
        else:
            begin = row
            row.span = 1


def address_of(item: Item, schema: Schema) -> str:
    """The page of one item."""
    texts = [next(iter(item[name].values())) for name in schema.table_keys if name in item]
    names = ("key", "sort")[: len(texts)]
    return f"/console/tables/{schema.table}/item?" + urlencode(dict(zip(names, texts, strict=True)))


def plain(value: Mapping[str, Any]) -> Any:
    """An attribute value without its type, for reading."""
    ((kind, inside),) = value.items()
    if kind == "M":
        return {name: plain(one) for name, one in inside.items()}
    if kind == "L":
        return [plain(one) for one in inside]
    if kind == "NULL":
        return None
    return inside


def hues_of(design: Design | None) -> dict[str, int]:
    """A colour for each entity of a design, as far from one another as their number allows."""
    entities = [entity for table in design.tables.values() for entity in table.entities] if design is not None else []
    return {entity.name: int(210 + number * 137.508) % 360 for number, entity in enumerate(entities)}


def types_in(table: Table | None) -> dict[str, set[str]]:
    """The types that a design gives attributes, by stored name."""
    found: dict[str, set[str]] = {}
    for entity in table.entities if table is not None else ():
        for name, made in entity.model.by_stored.items():
            found.setdefault(name, set()).add(made.codec.kind)
    return found
