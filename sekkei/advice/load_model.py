"""From people to heat: what so many users of a design ask of each table and index, and how it is spread over keys.

Where nothing is said, the keys tell: a constant key is one key, a status as many as it has values, a day is today, and
everything else is spread as things in life are (zipf), over as many keys as there are users.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

from sekkei.advice import heat
from sekkei.advice.facts import Facts, is_constant, is_day, is_few, steps_of
from sekkei.design import Action, Design, Entity, Index, Measurements, Query, Ref, Table, Transaction
from sekkei.design.codecs import Choice, Day, Flag, Instant, LiteralCodec
from sekkei.design.templates import Template

RATE_MAX = 1e6
_SHARDS_MAX = 100_000


class BadLoad(ValueError):
    """A load that makes no sense; the text says why."""


@dataclass(frozen=True, slots=True)
class _Touch:
    """What one call of a pattern asks of one table or index, for one of its entities."""

    entity: Entity[..., Any]
    table: Table
    index: Index | None
    read: float
    write: float
    created: bool

    @property
    def place(self) -> str:
        return self.table.name if self.index is None else f"{self.table.name}.{self.index.name}"

    @property
    def keys(self) -> list[Template]:
        """The templates of the partition key."""
        hashes = [self.table.pk] if self.index is None else list(self.index.pk)
        return [template for template in map(self.entity.template_for, hashes) if template is not None]

    @property
    def form(self) -> str:
        return " + ".join(template.text for template in self.keys)

    @property
    def splits(self) -> bool:
        return splits_within(self.table, self.entity, self.index)

    @property
    def kept_together(self) -> bool:
        return self.index is None and any(index.local for index in self.table.indexes.values())

    @property
    def growth(self) -> float:
        """Bytes that one call leaves here."""
        return _bytes_at(self.entity, self.index) if self.created else 0.0


def touches(design: Design, name: str, measurements: Measurements) -> list[_Touch]:
    """Where a pattern goes. Its units are shared evenly among its steps; each index has what was measured there."""
    if name not in design.patterns:
        raise BadLoad(f"{design.name} has no pattern {name}. It has: {', '.join(sorted(design.patterns))}.")
    units = Facts(design, measurements).units(name)
    if units is None:
        raise BadLoad(f"{name} is not measured yet. Run `sekkei measure {design.name}` first.")
    steps = [place for step in steps_of(design.patterns[name]) for place in _places_of(step)]
    indexes = dict(units.indexes) if units.write else {}
    read, write = units.read / len(steps), (units.write - sum(indexes.values())) / len(steps)
    found = [_Touch(entity, table, index, read, write, created) for entity, table, index, created in steps]
    for place, part in indexes.items():
        held = design.tables[place.partition(".")[0]]
        index = held.indexes[place.partition(".")[2]]
        there = [step for step in steps if step[1] is held and _is_in(step[0], index)]
        there = there or [step for step in steps if step[1] is held] or steps
        found += [_Touch(entity, held, index, 0.0, part / len(there), created) for entity, _, _, created in there]
    return found


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
    _known(design, rates, hot or {}, shards or {})
    found: list[heat.Stream] = []
    for name, rate in rates.items():
        for touch in touches(design, name, measurements):
            said = (hot or {}).get(name) if touch.read or touch.index is None else None
            keys = popularity_of(said or nature_of(touch.keys), users)
            keys = keys.sharded((shards or {}).get(touch.place, 1)) if touch.place in (shards or {}) else keys
            found.append(_stream(name, touch, rate * users, keys))
    return found


def _stream(name: str, touch: _Touch, calls: float, keys: heat.Popularity) -> heat.Stream:
    return heat.Stream(
        name,
        touch.place,
        touch.read * calls,
        touch.write * calls,
        keys,
        touch.splits,
        calls,
        touch.form,
        touch.growth * calls,
        touch.kept_together,
    )


def _known(design: Design, rates: Mapping[str, float], hot: Mapping[str, str], shards: Mapping[str, int]) -> None:
    """Refuses what speaks of nothing: it would change nothing, and nobody would be told."""
    for name, rate in rates.items():
        if rate > RATE_MAX:
            raise BadLoad(f"{name}: nobody does that {rate:g} times a second; give at most {RATE_MAX:g}.")
    for name in hot:
        if name not in rates:
            raise BadLoad(
                f"--hot {name}: no --rate speaks of it. Say how often one user does it: --rate {name}=20/day."
            )
    places = [each for table in design.tables.values() for each in (table.name, *_index_names(table))]
    for place, count in shards.items():
        if place not in places:
            raise BadLoad(f"{design.name} has no table or index {place}. It has: {', '.join(places)}.")
        if not 1 <= count <= _SHARDS_MAX:
            raise BadLoad(f"--shard {place}={count}: give 1 to {_SHARDS_MAX:,} shards.")


def _index_names(table: Table) -> list[str]:
    return [f"{table.name}.{name}" for name in table.indexes]


def _places_of(
    step: Query[Any] | Ref[Any] | Action[Any, Any] | Transaction,
) -> list[tuple[Entity[..., Any], Table, Index | None, bool]]:
    """The places that a step asks, and whether it leaves something new there."""
    if isinstance(step, Query):
        return [(step.entities[0], step.view.table, step.view.index, False)]
    if isinstance(step, Ref):
        return [(step.entity, step.entity.table, None, False)]
    actions = step.actions if isinstance(step, Transaction) else (step,)
    return [(each.entity, each.entity.table, None, each.verb in ("create", "put")) for each in actions]


def _is_in(entity: Entity[..., Any], index: Index) -> bool:
    return all(entity.template_for(name) is not None for name in index.attributes)


def _bytes_at(entity: Entity[..., Any], index: Index | None) -> float:
    from sekkei.advice import sample_data
    from sekkei.advice.sizes import STORAGE_OVERHEAD_BYTES, entry_of, item_bytes

    item = entity.encode(sample_data.instance(entity, 0))
    entry = item if index is None else entry_of(entity.table, index, item)
    return 0.0 if entry is None else float(item_bytes(entry) + STORAGE_OVERHEAD_BYTES)


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


class Bound(NamedTuple):
    """A key that no split relieves, and how many users it bears."""

    users: float
    place: str
    key: str
    pattern: str
    """What asks most of it."""
    popularity: str


def walls(found: Iterable[heat.Stream], users: int) -> list[Bound]:
    """The nearest first. All that is asked of one key counts together."""
    by_key: dict[tuple[str, str], list[heat.Stream]] = {}
    for stream in found:
        if stream.popularity.shares and not stream.splits_within:
            by_key.setdefault((stream.place, stream.key or stream.pattern), []).append(stream)
    bounds = []
    for (place, key), streams_there in by_key.items():
        share = heat.hottest(streams_there)
        if share:
            most = max(streams_there, key=lambda one: heat.hottest([one]))
            bounds.append(Bound(users / share, place, key, most.pattern, most.popularity.name))
    return sorted(bounds)
