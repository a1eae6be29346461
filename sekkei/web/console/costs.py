"""What a pattern costs at a rate that somebody types, and where it throttles first; beside the map of its design.

?pattern=members_of&rate=50/s&users=10k&spread=zipf&region=ap-northeast-1      &heat=1 simulates an hour of it

Units are those of `sekkei measure`, prices those of `sekkei.advice.costing`; what is not known is said to be unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from starlette.requests import Request

from sekkei.advice import heat, workload
from sekkei.advice.costing import SECONDS_A_MONTH, Prices, UnknownName, price, request_dollars
from sekkei.advice.load_model import BadLoad, streams, walls
from sekkei.advice.quantities import count_of, rate_of
from sekkei.advice.scale import TABLE_QUOTA, of_pattern
from sekkei.advice.workload import BadTraffic, Traffic
from sekkei.design import Design, SekkeiError, Units
from sekkei.design.loading import find
from sekkei.web.console.looked import Looked
from sekkei.web.console.simulations import Running
from sekkei.web.forms import Form
from sekkei.web.texts import t

RATE, USERS, REGION = "100/s", "10k", "us-east-1"
SPREADS = ("", "even", "zipf", "celebrity:0.1", "one")
"""How keys are asked for; the first means: as the keys of the design tell."""
USERS_MAX = 10_000_000_000


class Limit(NamedTuple):
    """Where no more goes through, and from how many calls a second on."""

    rate: float
    place: str
    hottest: float | None
    """The share of the hottest key; None for the quota of a whole table."""


@dataclass(slots=True)
class Costs:
    """What the map shows of a pattern. `units` is None when nobody has measured it."""

    form: Form
    units: Units | None
    declared: float | None
    """Times a day that a user runs it, where traffic.toml beside the design says so."""
    prices: Prices
    rate: float = 0.0
    million: float | None = None
    """Dollars for a million calls."""
    month: float | None = None
    autoscaled: float | None = None
    limits: list[Limit] = field(default_factory=list)
    running: Running | None = None


class _Bad(ValueError):
    """What was typed does not fit: the field and its text."""

    def __init__(self, field: str, code: str, text: str) -> None:
        super().__init__(code)
        self.field, self.code, self.text = field, code, text[:60]


async def costs_of(request: Request, looked: Looked, name: str, pattern: str) -> Costs:
    design, measured = looked.design(name), looked.measured(name)
    said = _declared(looked, name)
    often = said.patterns.get(pattern) if said is not None else None
    form = Form(_given(request.query_params, looked, often))
    found = Costs(form, measured.units.get(pattern), often, Prices.of(form.values["region"] or REGION))
    if found.units is None:
        return found
    try:
        rate, users = _typed(form.values)
        _reckon(found, design, looked, name, pattern, rate)
        asked = _streams(design, looked, name, pattern, rate, users, form.values["spread"])
    except _Bad as wrong:
        found.form = Form(form.values, {wrong.field: t(request, f"console.map.cost.{wrong.code}", text=wrong.text)})
        return found
    found.limits = sorted(_limits(asked, rate), key=lambda one: one.rate)
    if request.query_params.get("heat"):
        key = (name, pattern, rate, users, form.values["spread"])
        found.running = await looked.simulations.run(key, asked)
    return found


def _given(given: Mapping[str, str], looked: Looked, often: float | None) -> dict[str, str]:
    users = given.get("users", "").strip() or USERS
    rate = given.get("rate", "").strip()
    if not rate:
        rate = RATE if often is None else f"{often * _count(users):g}/day"
    own = looked.where.removeprefix("dynamodb://") if looked.where.startswith("dynamodb://") else REGION
    regions = Prices.regions()
    region = next((one for one in (given.get("region", ""), own) if one in regions), REGION)
    spread = given.get("spread", "")
    return {"rate": rate, "users": users, "region": region, "spread": spread if spread in SPREADS else ""}


def _count(text: str) -> int:
    try:
        return count_of(text)
    except (ValueError, OverflowError):
        return 0


def _typed(values: Mapping[str, str]) -> tuple[float, int]:
    try:
        rate = rate_of(values["rate"])
    except ValueError:
        raise _Bad("rate", "no-rate", values["rate"]) from None
    if not 0 < rate <= 1e9:
        raise _Bad("rate", "no-rate", values["rate"])
    users = _count(values["users"])
    if not 1 <= users <= USERS_MAX:
        raise _Bad("users", "no-users", values["users"])
    return rate, users


def _reckon(found: Costs, design: Design, looked: Looked, name: str, pattern: str, rate: float) -> None:
    units = found.units
    assert units is not None
    try:
        bill = price(design, looked.measured(name), rates={pattern: rate}, items={}, prices=found.prices)
    except UnknownName:
        raise _Bad("rate", "no-rate", found.form.values["rate"]) from None
    second = request_dollars(found.prices, units.read, units.write)
    found.rate, found.month, found.autoscaled = rate, bill.on_demand, bill.autoscaled
    found.million = None if second is None else second / SECONDS_A_MONTH * 1e6


def _streams(
    design: Design, looked: Looked, name: str, pattern: str, rate: float, users: int, spread: str
) -> list[heat.Stream]:
    measured, said = looked.measured(name), _declared(looked, name)
    try:
        if not spread and said is not None:
            asked = of_pattern(design, pattern, measured).asked[0]
            spread = said.popularity(asked.place, asked.key, asked.nature)
        hot = {pattern: spread} if spread else {}
        return streams(design, measured, users=users, rates={pattern: rate / users}, hot=hot)
    except (BadLoad, BadTraffic) as error:
        raise _Bad("spread", "no-spread", str(error)) from None


def _limits(asked: list[heat.Stream], rate: float) -> Iterator[Limit]:
    """A key that no split helps, and the quota that AWS gives a table or an index."""
    for bound in walls(asked, 1):
        shares = [one.popularity.shares[0] for one in asked if (one.place, one.key or one.pattern) == bound[1:3]]
        yield Limit(bound.users * rate, bound.place, max(shares))
    for place in dict.fromkeys(one.place for one in asked):
        there = [one for one in asked if one.place == place]
        units = max(sum(one.read for one in there), sum(one.write for one in there))
        if units:
            yield Limit(TABLE_QUOTA / units * rate, place, None)


def _declared(looked: Looked, name: str) -> Traffic | None:
    try:
        path = workload.beside(find(looked.sources.get(name, name))[1])
        return workload.load(path) if path.exists() else None
    except (SekkeiError, BadTraffic):
        return None
