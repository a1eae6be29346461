"""A design as Python, out of tables that were found.

Names come from anywhere: each becomes an identifier that nothing else in the module has, and all other text a literal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sekkei.publish.importing.entities import discriminator_of, entities, typed
from sekkei.publish.importing.found import Entity, Found
from sekkei.publish.importing.names import TAKEN, class_name, identifier, unique

TYPES = {"S": "str", "N": "Decimal", "B": "bytes", "BOOL": "bool", "L": "list[Any]", "M": "dict[str, Any]"}
TYPES |= {"SS": "frozenset[str]", "NS": "frozenset[Decimal]", "BS": "frozenset[bytes]", "NULL": "str | None"}
_NOTE_MAX = 300
ENV = "{env}"
_AT_THE_START, _AT_THE_END = re.compile(r"\{env\}[-_.]?"), re.compile(r"[-_.]?\{env\}$")


def source(name: str, found: Sequence[Found]) -> str:
    """The design as Python."""
    naming, shorts = _naming(found)
    taken = set(TAKEN)
    body = [line for table in found for line in _table_source(table, shorts[table.name], taken)]
    text = "\n".join(body)
    needs = {"Attr", "Design", "Key", "attr", "model", "part"}
    needs |= {each for each in ("Capacity", "Index", "LocalIndex") if re.search(rf"\b{each}\(", text)}
    head = [
        f'"""{_line(name)}, from tables that are there.',
        "",
        "Rename what you find; keys, indexes and stored names must stay.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        *(["from decimal import Decimal"] if "Decimal" in text else []),
        *(["from typing import Any"] if "Any" in text else []),
        *([""] if "Decimal" in text or "Any" in text else []),
        f"from sekkei.design import {', '.join(sorted(needs, key=lambda n: (n[0].islower(), n)))}",
        "",
        f"design = Design({name!r}{naming})",
    ]
    return "\n".join([*head, text]).rstrip() + "\n"


def _naming(found: Sequence[Found]) -> tuple[str, dict[str, str]]:
    """How tables are called in the store, and what each is called in the design."""
    names = [table.name for table in found]
    for form, order in ((_AT_THE_START, "{0}{{table}}"), (_AT_THE_END, "{{table}}{0}")):
        where = [form.match(name) if form is _AT_THE_START else form.search(name) for name in names]
        cut = {match[0] for match in where if match is not None}
        if all(where) and len(cut) == 1:
            shorts = {name: form.sub("", name) for name in names}
            if not any(ENV in short or not short for short in shorts.values()):
                return f', tables="{order.format(cut.pop())}"', shorts
    for table in found:
        if ENV in table.name:
            table.notes.append(f"It is called {table.name}; here it is that of prod.")
    return "", {name: name.replace(ENV, "prod") for name in names}


def _line(text: str) -> str:
    """As one line of a comment or a docstring."""
    shown = "".join(one if one.isprintable() else " " for one in text)
    return shown.replace("\\", "/").replace('"', "'")[:_NOTE_MAX]


def _table_source(table: Found, name: str, taken: set[str]) -> list[str]:
    variable = unique(f"{identifier(name).removesuffix('_table')}_table", taken)
    taken.add(variable)
    discriminator = discriminator_of(table)
    notes = [*table.notes, *_left_out(table, discriminator)]
    lines = ["", "", *(f"# {_line(note)}" for note in notes), f"{variable} = design.table("]
    lines += [f"    {name!r},", *(f"    {key!r}," for key in table.keys)]
    if table.indexes:
        lines += ["    indexes=[", *(f"        {_index_source(index)}," for index in table.indexes), "    ],"]
    options = {
        "discriminator": discriminator,
        "ttl": table.ttl,
        "stream": table.stream,
        "pitr": table.pitr or None,
        "deletion_protection": table.protected or None,
        "tags": table.tags or None,
        "insights": table.insights or None,
    }
    lines += [f"    {option}={value!r}," for option, value in options.items() if value is not None]
    lines += [f"    {text}," for text in _units_source(table.capacity, table.warm)]
    lines.append(")")
    for entity in entities(table, discriminator):
        lines += _entity_source(variable, table, entity, discriminator, taken)
    return lines


def _left_out(table: Found, discriminator: str | None) -> list[str]:
    known = typed(table, discriminator)
    left = [item for item in table.items if item not in known]
    if not left:
        return []
    key = ", ".join(f"{name} {next(iter(left[0][name].values()))!r}" for name in table.keys)
    return [
        f"Without {discriminator!r} are {len(left)} of {len(table.items)} items seen, such as {key}: no entity here "
        "reads them. Give them their type, or delete them."
    ]


def _units_source(capacity: tuple[int, int] | None, warm: tuple[int, int] | None) -> list[str]:
    given = {"capacity": capacity, "warm": warm}
    return [f"{name}=Capacity({units[0]}, {units[1]})" for name, units in given.items() if units is not None]


def _index_source(index: Mapping[str, Any]) -> str:
    pk = index["pk"][0] if len(index["pk"]) == 1 else tuple(index["pk"])
    sk = index["sk"][0] if len(index["sk"]) == 1 else tuple(index["sk"])
    projection = "" if index["projection"] == "ALL" else f", projection={index['projection']!r}"
    if index["local"]:
        return f"LocalIndex({index['name']!r}, {sk!r}{projection})"
    options = [
        *_units_source(index.get("capacity"), index.get("warm")),
        *(["insights=True"] if index.get("insights") else []),
    ]
    further = "".join(f", {option}" for option in options)
    return f"Index({index['name']!r}, {pk!r}{f', {sk!r}' if index['sk'] else ''}{projection}{further})"


def _entity_source(
    variable: str, table: Found, entity: Entity, discriminator: str | None, taken: set[str]
) -> list[str]:
    model = unique(class_name(entity.name), taken)
    plural = identifier(entity.name if entity.name.endswith("s") else f"{entity.name}s")
    function = unique(plural, {*taken, model})
    taken |= {model, function}
    lines = ["", "", "@model", f"class {model}:", *_fields(table, entity)]
    kind = f", type={entity.kind!r}" if discriminator is not None else ""
    arguments = ", ".join(f"{part}: {_plain(table, entity, part)}" for part in entity.parts)
    made = ", ".join(_literal(text) for text in entity.keys)
    lines += ["", "", f"@{variable}.entity({model}{kind})", f"def {function}({arguments}) -> Key:"]
    return [*lines, f"    return Key({made})"]


def _fields(table: Found, entity: Entity) -> list[str]:
    lines = [f"    {part}: Attr[{_plain(table, entity, part)}] = part()" for part in entity.parts]
    taken = {*TAKEN, *entity.parts}
    for stored, kind in entity.attributes.items():
        attribute = unique(identifier(stored), taken)
        taken.add(attribute)
        named = "" if attribute == stored else f"{stored!r}, "
        said = TYPES.get(kind, "Any")
        optional = said if said.endswith("None") else f"{said} | None"
        lines.append(f"    {attribute}: Attr[{optional}] = attr({named}default=None)")
    if not table.items and not table.given:
        lines.append("    # No items were seen: add the attributes that yours have.")
    return lines or ["    pass"]


def _literal(text: str) -> str:
    """A template of a key as a string of Python."""
    pieces = re.split(r"(\{\w+\})", text)
    inside = "".join(
        piece if number % 2 else json.dumps(piece, ensure_ascii=False)[1:-1] for number, piece in enumerate(pieces)
    )
    return f'f"{inside}"' if len(pieces) > 1 else f'"{inside}"'


def _plain(table: Found, entity: Entity, part: str) -> str:
    """The type of a part: the key's own when the part is all of it, otherwise text."""
    place = f"{{{part}}}"
    homes = [(key, text) for key, text in zip(table.keys, entity.keys, strict=True) if place in text]
    if any(text != place for _, text in homes):
        return "str"
    return TYPES.get(table.types.get(homes[0][0], "S"), "str")
