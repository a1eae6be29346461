"""From people to heat: what so many users of a design ask of each table and index, and how it is spread over keys.

Where nothing is said, the keys tell: a constant key is one key, a status as many as it has values, a day is today, and
everything else is spread as things in life are (zipf), over as many keys as there are users.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from sekkei.advice import heat
from sekkei.advice.facts import Facts, is_constant, is_day, is_few, steps_of
from sekkei.design import Action, Design, Entity, Index, Measurements, Query, Ref, Table, Transaction
from sekkei.design.codecs import Choice, Day, Flag, Instant, LiteralCodec
from sekkei.design.templates import Template


class BadLoad(ValueError):
    """A load that makes no sense; the text says why."""


def streams(
    design: Design,
    measurements: Measurements,
    *,
    users: int,
    rates: Mapping[str, float],
    hot: Mapping[str, str] | None = None,
    shards: Mapping[str, int] | None = None,
) -> list[heat.Stream]:
    """`rates` are calls a second of one user, by pattern; `hot` says how a pattern's keys are asked for."""
    facts = Facts(design, measurements)
    found: list[heat.Stream] = []
    for name, rate in rates.items():
        if name not in design.patterns:
            raise BadLoad(f"{design.name} has no pattern {name}. It has: {', '.join(sorted(design.patterns))}.")
        units = facts.units(name)
        if units is None:
            raise BadLoad(f"{name} is not measured yet. Run `sekkei measure {design.name}` first.")
        calls = rate * users
        entity, table, index = _asked(design, name)
        said = (hot or {}).get(name)
        own_write = units.write - sum(units.indexes.values()) if units.write else 0.0
        found.append(
            _stream(name, table, index, entity, calls * units.read, calls * own_write, users, said, shards or {})
        )
        for place, part in units.indexes.items() if units.write else ():
            held = design.tables[place.partition(".")[0]].indexes[place.partition(".")[2]]
            found.append(_stream(name, table, held, entity, 0.0, calls * part, users, None, shards or {}))
    return found


def _asked(design: Design, name: str) -> tuple[Entity[..., object], Table, Index | None]:
    """The place that a pattern's first step asks."""
    step = next(iter(steps_of(design.patterns[name])))
    if isinstance(step, Query):
        return step.entities[0], step.view.table, step.view.index
    if isinstance(step, Transaction):
        step = step.actions[0]
    entity = step.entity if isinstance(step, Ref | Action) else None
    assert entity is not None
    return entity, entity.table, None


def _stream(
    name: str,
    table: Table,
    index: Index | None,
    entity: Entity[..., object],
    read: float,
    write: float,
    users: int,
    said: str | None,
    shards: Mapping[str, int],
) -> heat.Stream:
    place = table.name if index is None else f"{table.name}.{index.name}"
    hashes = [table.pk] if index is None else list(index.pk)
    ranges = ([table.sk] if table.sk is not None else []) if index is None else list(index.sk)
    keys = [template for template in map(entity.template_for, hashes) if template is not None]
    popularity = popularity_of(said, users) if said else _by_nature(keys, users)
    popularity = popularity.sharded(shards[place]) if place in shards else popularity
    return heat.Stream(name, place, read, write, popularity, _splits(table, entity, ranges))


def _splits(table: Table, entity: Entity[..., object], ranges: list[str]) -> bool:
    """Can a hot key be cut between its sort keys?"""
    sorts = [template for template in map(entity.template_for, ranges) if template is not None]
    if not sorts or all(is_constant(template) for template in sorts):
        return False
    if any(index.local for index in table.indexes.values()):
        return False
    first = next((component for template in sorts for component in template.components), None)
    return first is not None and not isinstance(first.codec, Day | Instant)


def _by_nature(keys: list[Template], users: int) -> heat.Popularity:
    if all(is_constant(key) for key in keys) or all(is_day(key) for key in keys):
        return heat.even(1)
    if all(is_few(key) for key in keys):
        return heat.even(max(1, prod(_values(key) for key in keys)))
    return heat.zipf(max(1, users))


def _values(key: Template) -> int:
    return prod(_choices(component.codec) for component in key.components)


def _choices(codec: object) -> int:
    if isinstance(codec, Choice):
        return len(codec.members)
    if isinstance(codec, LiteralCodec):
        return len(codec.words)
    return 2 if isinstance(codec, Flag) else 1


def popularity_of(said: str, users: int) -> heat.Popularity:
    """`one`, `today`, `even`, `few:5`, `zipf`, `zipf:1.2`, `celebrity:0.1`."""
    kind, _, text = said.partition(":")
    try:
        number = float(text) if text else None
    except ValueError:
        number = -1.0
    if kind in ("one", "today") and number is None:
        return heat.even(1)
    if kind == "even" and number is None:
        return heat.even(max(1, users))
    if kind == "few" and number is not None and number >= 1:
        return heat.even(int(number))
    if kind == "zipf" and (number is None or 0 < number <= 4):
        return heat.zipf(max(1, users), number or 1.0)
    if kind == "celebrity" and number is not None and 0 < number <= 1:
        return heat.celebrity(number, max(1, users))
    raise BadLoad(f"{said!r} is no popularity: write one, today, even, few:5, zipf, zipf:1.2 or celebrity:0.1.")


def walls(found: list[heat.Stream], users: int) -> Iterator[tuple[float, heat.Stream]]:
    """Each place where no split helps any more, and the number of users that it bears; the nearest first."""
    known = {(stream.place, stream.pattern): stream for stream in found}
    bearing = [(heat.wall(stream) * users, stream) for stream in known.values()]
    return iter(sorted((each for each in bearing if each[0] != float("inf")), key=lambda each: each[0]))
