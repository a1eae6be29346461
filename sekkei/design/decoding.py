"""A decoder per entity, generated: one function that reads every attribute in place.

The generated function is the fast road for items that are as declared. Whatever surprises it (an absent attribute, a
NULL, another type) goes down the slow road, which reads attribute by attribute and says which one is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .codecs import Names, Text
from .errors import ItemRefused
from .fields import MISSING, Field
from .templates import Component, Template

Item = Mapping[str, Any]
Decoder = Callable[[Item], Any]
_SURPRISES = (KeyError, ValueError, TypeError, AttributeError, ArithmeticError)


def decoder(cls: type[Any], fields: Sequence[Field[Any, Any]], keys: Mapping[str, Template]) -> Decoder:
    """Reads items into `cls`. `keys` are the key attributes' templates, for the parts that stand only there."""
    names = Names()
    lines = ["def decode(item):", " o = new(cls)", " d = o.__dict__", " try:"]
    sources = _part_sources(fields, keys)
    for key in dict.fromkeys(key for key, _ in sources.values()):
        lines += _key_lines(key, keys[key], names)
    for field in fields:
        if field.name in sources:
            lines.append(_part_line(field, *sources[field.name], keys, names))
        elif field.is_stored and not field.derived:
            lines += _field_lines(field, names)
    if len(lines) == 4:
        lines.append("  pass")
    lines += [" except SURPRISES:", "  return slow(item)", " return o"]
    space = {
        "new": object.__new__,
        "cls": cls,
        "SURPRISES": _SURPRISES,
        "slow": _slow_decoder(cls, fields, keys, sources),
        **names.objects,
    }
    exec(compile("\n".join(lines), f"<decoder of {cls.__name__}>", "exec"), space)
    made: Decoder = space["decode"]
    return made


def _part_sources(fields: Sequence[Field[Any, Any]], keys: Mapping[str, Template]) -> dict[str, tuple[str, Component]]:
    """For every part that is stored nowhere else: the key attribute and the component to take it from."""
    found: dict[str, tuple[str, Component]] = {}
    for field in fields:
        if field.role != "part":
            continue
        for key, template in keys.items():
            component = next((one for one in template.components if one.field.name == field.name), None)
            if component is not None:
                found[field.name] = (key, component)
                break
    return found


def _simple(template: Template) -> bool:
    """A constant followed by one plain text: no regular expression needed to take it apart."""
    last = template.pieces[-1]
    return (
        len(template.components) == 1
        and len(template.pieces) == 2
        and isinstance(last, Component)
        and isinstance(last.codec, Text)
        and last.field.form is None
        and not last.field.escape
    )


def _key_lines(key: str, template: Template, names: Names) -> list[str]:
    if template.whole:
        return []
    if _simple(template):
        start = template.literal
        return [
            f"  k = item[{key!r}]['S']",
            f"  if not k.startswith({start!r}) or {template.delimiter!r} in k[{len(start)}:]: raise KeyError",
            f"  {_variable(key)} = k[{len(start)}:]",
        ]
    return [f"  {_variable(key)} = {names.of(template.parse)}(item[{key!r}]['S'])"]


def _variable(key: str) -> str:
    return "key_" + key.encode().hex()


def _part_line(
    field: Field[Any, Any], key: str, component: Component, keys: Mapping[str, Template], names: Names
) -> str:
    template = keys[key]
    if template.whole:
        return f"  d[{field.name!r}] = {field.codec.source(f'item[{key!r}]', names)}"
    value = _variable(key) if _simple(template) else f"{_variable(key)}[{field.name!r}]"
    return f"  d[{field.name!r}] = {value}"


def _field_lines(field: Field[Any, Any], names: Names) -> list[str]:
    target = f"d[{field.name!r}]"
    if not _may_be_absent(field):
        return [f"  {target} = {field.codec.source(f'item[{field.stored!r}]', names)}"]
    absent = names.of(when_absent(field)) if field.factory is None else f"{names.of(field.factory)}()"
    return [
        f"  v = item.get({field.stored!r})",
        f"  {target} = {absent} if v is None else {field.codec.source('v', names)}",
    ]


def _may_be_absent(field: Field[Any, Any]) -> bool:
    return field.optional or field.codec.empty is not None or not field.required


def when_absent(field: Field[Any, Any]) -> Any:
    if field.codec.empty is not None and field.default in (MISSING, None):
        return None if field.optional else field.codec.empty
    if field.codec.empty is not None:
        return field.codec.empty  # absent is how the empty set is stored, whatever the default
    return None if field.default is MISSING else field.default


def _slow_decoder(
    cls: type[Any],
    fields: Sequence[Field[Any, Any]],
    keys: Mapping[str, Template],
    sources: Mapping[str, tuple[str, Component]],
) -> Decoder:
    def slow(item: Item) -> Any:
        found = object.__new__(cls)
        values = found.__dict__
        for field in fields:
            if field.name in sources:
                values[field.name] = _slow_part(cls, field, sources[field.name][0], keys, item)
            elif field.is_stored and not field.derived:
                values[field.name] = _slow_field(cls, field, item)
        return found

    return slow


def _slow_part(cls: type[Any], field: Field[Any, Any], key: str, keys: Mapping[str, Template], item: Item) -> Any:
    template = keys[key]
    stored = item.get(key, {})
    try:
        parsed = template.parse(stored[template.kind])
        if parsed is not None:
            return parsed[field.name]
    except _SURPRISES:
        pass
    raise ItemRefused(
        "SK502",
        f"the key attribute {key} = {stored!r} does not have the form {template.text!r} that {cls.__name__} needs "
        f"for {field.name}. Correct the item, or describe it by an entity of its own.",
        item,
    )


def _slow_field(cls: type[Any], field: Field[Any, Any], item: Item) -> Any:
    stored = item.get(field.stored)
    if stored is None or stored == {"NULL": True}:
        if _may_be_absent(field):
            return field.factory() if field.factory is not None else when_absent(field)
        what = "is absent"
    else:
        try:
            return field.codec.decode(stored)
        except _SURPRISES:
            what = f"is {stored!r:.80}, which is not {field.annotation}"
    raise ItemRefused(
        "SK501",
        f"attribute {field.stored!r} of an item read as {cls.__name__} {what}. Correct the item, give the attribute a "
        "default, or add a migration to the model.",
        item,
    )
