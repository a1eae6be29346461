"""From people to heat: what so many users of a design ask of each table and index, and how it is spread over keys.

Where nothing is said, the keys tell: a constant key is one key, a status as many as it has values, a day is today, and
everything else is spread as things in life are (zipf), over as many keys as there are users.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

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
        entity, table, index = place_of(next(iter(steps_of(design.patterns[name]))))
        said = (hot or {}).get(name)
        own_write = units.write - sum(units.indexes.values()) if units.write else 0.0
        found.append(
            _stream(name, table, index, entity, calls * units.read, calls * own_write, users, said, shards or {}, calls)
        )
        for place, part in units.indexes.items() if units.write else ():
            held = design.tables[place.partition(".")[0]].indexes[place.partition(".")[2]]
            found.append(_stream(name, table, held, entity, 0.0, calls * part, users, None, shards or {}, calls))
    return found


def place_of(
    step: Query[Any] | Ref[Any] | Action[Any, Any] | Transaction,
) -> tuple[Entity[..., Any], Table, Index | None]:
    """The place that a step asks."""
    if isinstance(step, Query):
        return step.entities[0], step.view.table, step.view.index
    found = step.actions[0] if isinstance(step, Transaction) else step
    return found.entity, found.entity.table, None


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
    calls: float,
) -> heat.Stream:
    place = table.name if index is None else f"{table.name}.{index.name}"
    hashes = [table.pk] if index is None else list(index.pk)
    keys = [template for template in map(entity.template_for, hashes) if template is not None]
    popularity = popularity_of(said, users) if said else _by_nature(keys, users)
    popularity = popularity.sharded(shards[place]) if place in shards else popularity
    return heat.Stream(name, place, read, write, popularity, splits_within(table, entity, index), calls)


def splits_within(table: Table, entity: Entity[..., Any], index: Index | None) -> bool:
    """Can a hot key be cut between its sort keys?"""
    ranges = ([table.sk] if table.sk is not None else []) if index is None else list(index.sk)
    sorts = [template for template in map(entity.template_for, ranges) if template is not None]
    if not sorts or all(is_constant(template) for template in sorts):
        return False
    if any(index.local for index in table.indexes.values()):
        return False
    first = next((component for template in sorts for component in template.components), None)
    return first is not None and not isinstance(first.codec, Day | Instant)


def _by_nature(keys: list[Template], users: int) -> heat.Popularity:
    return popularity_of(nature_of(keys), users)


def nature_of(keys: list[Template]) -> str:
    """How keys are asked for where nobody says so, in the words of `popularity_of`."""
    if all(is_constant(key) for key in keys):
        return "one"
    if any(is_day(key) for key in keys) and all(is_day(key) or is_few(key) for key in keys):
        return "today"
    if all(is_few(key) for key in keys):
        return f"few:{max(1, prod(_values(key) for key in keys))}"
    return "zipf"


def _values(key: Template) -> int:
    return prod(_choices(component.codec) for component in key.components)


def _choices(codec: object) -> int:
    if isinstance(codec, Choice):
        return len(codec.members)
    if isinstance(codec, LiteralCodec):
        return len(codec.words)
    return 2 if isinstance(codec, Flag) else 1


def popularity_of(said: str, users: int) -> heat.Popularity:
    """`one`, `today`, `even`, `few:5`, `zipf`, `zipf:1.2`, `celebrity:0.1`; `even/8` is a key for every eight users."""
    head, slash, per = said.partition("/")
    kind, colon, text = head.partition(":")
    number, keys = _number(text) if colon else None, max(1, round(users / (_number(per) if slash else 1.0)))
    if kind in ("one", "today") and number is None:
        return heat.even(1)
    if kind == "even" and number is None:
        return heat.even(keys)
    if kind == "few" and number is not None and number >= 1:
        return heat.even(int(number))
    if kind == "zipf" and (number is None or 0 < number <= 4):
        return heat.zipf(keys, number or 1.0)
    if kind == "celebrity" and number is not None and 0 < number <= 1:
        return heat.celebrity(number, keys)
    raise _no_popularity(said)


def _number(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        raise _no_popularity(text) from None
    if not 0 < found < 1e12:
        raise _no_popularity(text)
    return found


def _no_popularity(said: str) -> BadLoad:
    return BadLoad(
        f"{said!r} is no popularity: write one, today, even, few:5, zipf, zipf:1.2, celebrity:0.1, or even/8 and "
        "zipf:0.5/8 for a key that eight users share."
    )


def walls(found: list[heat.Stream], users: int) -> Iterator[tuple[float, heat.Stream]]:
    """Each place where no split helps any more, and the number of users that it bears; the nearest first."""
    known = {(stream.place, stream.pattern): stream for stream in found}
    bearing = [(heat.wall(stream) * users, stream) for stream in known.values()]
    return iter(sorted((each for each in bearing if each[0] != float("inf")), key=lambda each: each[0]))
