"""Internet scale on paper, as a page of documentation and as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from sekkei.advice.costing import Bill, Prices
from sekkei.advice.facts import Wall
from sekkei.advice.heat_chart import ENGLISH, plot
from sekkei.advice.scale import TABLE_QUOTA, Scale, simulate_users

_WALLS_SHOWN = 4


def page(
    scales: Sequence[tuple[str, Scale]], sizes: Sequence[int], prices: Prices, command: str, pictures: str = ""
) -> str:
    """`pictures`: the directory where they are, as the page sees it."""
    shown = ", ".join(f"{size:,}" for size in sizes[:-1]) + f" and {sizes[-1]:,}" if len(sizes) > 1 else f"{sizes[0]:,}"
    words = files("sekkei.advice").joinpath("scale.md").read_text("utf-8")
    head = words.format(sizes=shown, region=prices.region, date=prices.date, command=command)
    parts = [head, *_summary(scales, sizes, prices)]
    for name, scale in scales:
        parts.append(markdown(name, scale, sizes, prices))
        if pictures and scale.walls():
            parts += ["", f"![{_caption(name, scale)}]({pictures}/{picture_name(name)})"]
    return "\n".join(parts) + "\n"


def picture_name(name: str) -> str:
    return f"heat-{name}.svg"


def picture(name: str, scale: Scale) -> str:
    """An hour in which twice as many users come as it bears."""
    report = simulate_users(scale, 2 * scale.walls()[0].users, ramp=60)
    return plot(report, ENGLISH._replace(title=_caption(name, scale)))


def _caption(name: str, scale: Scale) -> str:
    nearest = scale.walls()[0]
    what = where(nearest).replace("`", "")
    return (
        f"{name}: in an hour, from nobody to {round_users(2 * nearest.users)} users, twice as many as it bears. "
        f"What gives way first: {what}."
    )


def _summary(scales: Sequence[tuple[str, Scale]], sizes: Sequence[int], prices: Prices) -> list[str]:
    lines = ["| | " + " | ".join(f"{size:,} users" for size in sizes) + " | breaks first at | where |"]
    lines.append("|---|" + "---:|" * len(sizes) + "---:|---|")
    for name, scale in scales:
        amounts = " | ".join(money(total(scale.bill(size, prices))) for size in sizes)
        walls = scale.walls()
        nearest = f"{round_users(walls[0].users)} users | {where(walls[0])}" if walls else "never | "
        lines.append(f"| [{name}](#{name}) | {amounts} | {nearest} |")
    return lines


def markdown(name: str, scale: Scale, sizes: Sequence[int], prices: Prices) -> str:
    bills = [scale.bill(size, prices) for size in sizes]
    traffic = scale.traffic
    lines = [
        "",
        f"## {name}",
        "",
        f"A user is {traffic.user}. The busiest hour has {traffic.peak:g} times the average.",
    ]
    lines += ["", "| what a user does | a day | read units | write units |", "|---|---:|---:|---:|"]
    for each, rate in {**traffic.journeys, **traffic.patterns}.items():
        one = scale.asked_by[each]
        lines.append(f"| {one.about} | {rate:g} | {one.read:g} | {one.write:g} |")
    lines += ["", "| a month | " + " | ".join(f"{size:,}" for size in sizes) + " |", "|---|" + "---:|" * len(sizes)]
    lines += [f"| {title} | {' | '.join(figures)} |" for title, figures in _rows(bills, sizes)]
    return "\n".join([*lines, *_walls_and_changes(scale)])


def _rows(bills: Sequence[Bill], sizes: Sequence[int]) -> list[tuple[str, list[str]]]:
    totals = [total(bill) for bill in bills]
    each = [None if cost is None else cost / size for cost, size in zip(totals, sizes, strict=True)]
    return [
        ("read units a second, busiest hour", [f"{bill.read * bill.peak:,.0f}" for bill in bills]),
        ("write units a second, busiest hour", [f"{bill.write * bill.peak:,.0f}" for bill in bills]),
        ("requests, on demand", [money(bill.on_demand) for bill in bills]),
        ("requests, provisioned and autoscaled", [money(bill.autoscaled) for bill in bills]),
        ("storage after a year", [f"{bill.gigabytes:,.1f} GB, {money(bill.storage)}" for bill in bills]),
        ("point-in-time recovery", [money(bill.pitr) for bill in bills]),
        ("**in all, on demand**", [f"**{money(cost)}**" for cost in totals]),
        ("for each user", ["unknown" if cost is None else f"${cost:.5f}" for cost in each]),
    ]


def _walls_and_changes(scale: Scale) -> list[str]:
    walls = scale.walls()
    if not walls:
        return ["", "Nothing gives way: every key can be split."]
    lines = ["", "Where it breaks, nearest first:", ""]
    lines += [f"- at **{round_users(wall.users)} users** {where(wall)}" for wall in walls[:_WALLS_SHOWN]]
    if scale.traffic.changes:
        after = scale.walls(scale.traffic.changes)
        moved = f"{round_users(after[0].users)} users, {where(after[0])}" if after else "none is left"
        lines += ["", "The change that moves it:", "", *(f"- {change.what}" for change in scale.traffic.changes)]
        lines += ["", f"The nearest wall then: {moved}."]
    return lines


def total(bill: Bill) -> float | None:
    """All that is known; None when nothing of the requests is."""
    if bill.on_demand is None:
        return None
    return bill.on_demand + (bill.storage or 0.0) + (bill.pitr or 0.0)


def money(amount: float | None) -> str:
    return "unknown" if amount is None else f"${amount:,.2f}" if amount < 1_000 else f"${amount:,.0f}"


def round_users(users: int) -> str:
    """Two digits: the assumptions are not better than that."""
    digits = max(0, len(str(users)) - 2)
    return f"{round(users / 10**digits) * 10**digits:,}"


def where(wall: Wall) -> str:
    if not wall.key:
        return f"the quota of `{wall.place}`: {TABLE_QUOTA:,.0f} {wall.kind} units a second"
    units = "1,000 write" if wall.kind == "write" else "3,000 read"
    return f"`{wall.place}`, key `{wall.key.partition(' / ')[0]}`: {units} units a second ({_spread(wall.popularity)})"


def _spread(said: str) -> str:
    words = {"one": "one key for everybody", "today": "today's key for everybody", "even": "spread evenly"}
    return words.get(said, f"{said.removeprefix('few:')} keys for everybody" if said.startswith("few:") else said)


def text(name: str, scale: Scale, sizes: Sequence[int], prices: Prices) -> str:
    """For a terminal."""
    bills = [scale.bill(size, prices) for size in sizes]
    rows = [(title.replace("*", ""), [one.replace("*", "") for one in each]) for title, each in _rows(bills, sizes)]
    rows = [(f"{name}, users", [f"{size:,}" for size in sizes]), *rows]
    width = max(len(figure) for _, figures in rows for figure in figures)
    lines = [f"A month in {prices.region}, at prices of {prices.date} ({prices.source})", ""]
    lines += [f"{title:<38}" + "".join(f"{figure:>{width + 2}}" for figure in figures) for title, figures in rows]
    if any(bill.storage is None or bill.pitr is None for bill in bills):
        lines.append("in all is without what is unknown")
    return "\n".join([*lines, *(line.replace("**", "") for line in _walls_and_changes(scale))])
