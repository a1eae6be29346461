"""`sekkei cost`: what a design costs in a month."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sekkei.advice.quantities import count_of, rate_of
from sekkei.commands import OK, CouldNotRun

if TYPE_CHECKING:
    from sekkei.advice.costing import Bill, Prices, Saving
    from sekkei.advice.load_import import Learned
    from sekkei.advice.metering import Travelled
    from sekkei.advice.scale import Scale
    from sekkei.design import Design


EXAMPLES = """\
examples:
  sekkei cost tasks --rate default_board=50/s --rate one_task=200/s --items task-table-v3=10M --region ap-northeast-1
  sekkei cost shop.py:design --rates rates.toml --items orders=2G --peak 5
  sekkei cost tasks --rate default_board=30/min --format json
  sekkei cost tasks --users 1k,100k,10M          what its users do, declared in design/traffic.toml, at three sizes
  sekkei cost tasks --learn metrics.json         from CloudWatch, a run noted by `sekkei up --note-units`, an access log
  sekkei cost q tasks --users 1k,100k,10M --format md --pictures docs/pictures > docs/scale.md

A rate is calls a second on average (50/s, 30/min, 2000/h, 1M/day); --rates names a file of lines `pattern = "50/s"`.
`sekkei measure DESIGN` first: units come from there. Prices are those of sekkei/advice/prices.toml, with their date;
--prices puts a file of your own in their place. A price that is not known is shown so and left out of the sum.

--learn takes the answer of `aws cloudwatch get-metric-data` (consumed units, Stat=Sum, labels with table, index and
metric) or, for one table, get-metric-statistics, the JSON of a metric stream, a noted run, or an access log (nginx,
Apache, Caddy) of a system with journeys.

With --users it says what so many users cost and which key or quota gives way first. What one of them does stands in
traffic.toml beside the design (shop.traffic.toml beside shop.py); --traffic names another file. docs/advice.md has an
example; `sekkei measure SYSTEM --journeys` measures whole journeys of a system.
"""

N = TypeVar("N", int, float, str)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("designs", nargs="+", metavar="DESIGN", help="a system, a module, or module:attribute")
    parser.add_argument("--learn", type=Path, metavar="FILE", help="how busy it is, from a run, CloudWatch or a log")
    parser.add_argument("--users", metavar="1k,100k", help="how many people use it; what they do is in traffic.toml")
    parser.add_argument("--traffic", type=Path, metavar="FILE", help="what one user does (default: beside the design)")
    parser.add_argument(
        "--rate", action="append", default=[], metavar="PATTERN=50/s", help="how often a pattern is run"
    )
    parser.add_argument("--rates", type=Path, metavar="FILE", help="rates from a TOML file")
    parser.add_argument("--items", action="append", default=[], metavar="TABLE=10M", help="how many items a table has")
    parser.add_argument("--region", default="us-east-1", help="default: %(default)s")
    parser.add_argument("--prices", type=Path, metavar="FILE", help="prices of your own")
    parser.add_argument("--peak", type=float, default=3.0, help="busiest hour against the average (default: 3)")
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="with --format md: draw where each breaks first")
    parser.add_argument("--format", choices=("table", "json", "md"), default="table", help="default: table")


def run(arguments: argparse.Namespace) -> int:
    if arguments.pictures and not (arguments.users and arguments.format == "md"):
        raise CouldNotRun("--pictures goes with --users 1k,100k,10M --format md.")
    if arguments.users:
        return _at_scale(arguments)
    if arguments.learn:
        return _learned(arguments)
    if len(arguments.designs) > 1 or arguments.format == "md" or arguments.traffic:
        raise CouldNotRun("Several designs, --format md and --traffic go with --users 1k,100k,10M.")
    from sekkei.advice.costing import NoPrices, Prices, UnknownName, price, savings
    from sekkei.design import Measurements, SekkeiError
    from sekkei.design.loading import find, measurements_beside

    (name,) = arguments.designs
    try:
        design, home = find(name)
        rates = {**rates_in(arguments.rates), **dict(pair_of(text, rate_of) for text in arguments.rate)}
        items = dict(pair_of(text, count_of) for text in arguments.items)
        if not rates and not items:
            raise UnknownName("Say how busy it is: --rate PATTERN=50/s, and how large: --items TABLE=10M.")
        if not 1 <= arguments.peak <= 1_000:
            raise UnknownName(f"--peak {arguments.peak:g}: the busiest hour is 1 to 1000 times the average.")
        prices = Prices.of(arguments.region, arguments.prices)
        measured = Measurements.load(measurements_beside(home))
        bill = price(design, measured, rates=rates, items=items, prices=prices, peak=arguments.peak)
    except (SekkeiError, UnknownName, NoPrices) as error:
        raise CouldNotRun(str(error)) from error
    if bill.unmeasured:
        names = ", ".join(bill.unmeasured)
        raise CouldNotRun(f"Not measured yet: {names}. Run `sekkei measure {name}` first.")
    saved = savings(design, bill)
    print(_as_json(bill, saved) if arguments.format == "json" else _as_table(bill, saved))
    return OK


def _learned(arguments: argparse.Namespace) -> int:
    from sekkei.advice import metering
    from sekkei.advice.costing import NoPrices, Prices, UnknownName
    from sekkei.advice.load_import import CannotLearn, learn
    from sekkei.design import SekkeiError
    from sekkei.design.loading import find

    if len(arguments.designs) > 1 or arguments.rate or arguments.rates or arguments.format == "md":
        raise CouldNotRun("--learn says how busy one design is: name one, without --rate, --rates and --format md.")
    try:
        design, home = find(arguments.designs[0])
        journeys = metering.load(metering.beside(home))
        learned = learn(arguments.learn.read_bytes(), design, journeys)
        items = dict(pair_of(text, count_of) for text in arguments.items)
        bill = _learned_bill(design, learned, journeys, items, Prices.of(arguments.region, arguments.prices))
    except OSError as error:
        raise CouldNotRun(f"{arguments.learn}: {error.strerror}.") from error
    except CannotLearn as error:
        raise CouldNotRun(f"{arguments.learn}: {error}.") from error
    except (SekkeiError, UnknownName, NoPrices) as error:
        raise CouldNotRun(str(error)) from error
    if arguments.format == "json":
        print(_as_json(bill))
        return OK
    hours = f"{learned.seconds / 3_600:,.1f} hours"
    print(f"From {learned.source} of {hours}; the busiest minute has {learned.peak:.1f} times the average.")
    print(f"Left out: {learned.left_out}.\n" if learned.left_out else "")
    print(_as_table(bill))
    return OK


def _learned_bill(
    design: Design, learned: Learned, journeys: Mapping[str, Travelled], items: Mapping[str, int], prices: Prices
) -> Bill:
    from dataclasses import replace

    from sekkei.advice.costing import Line, price, request_dollars
    from sekkei.design import Measurements

    units = {name: (0.0, read, write) for name, (read, write) in learned.places.items()}
    for name, rate in learned.rates.items():
        units[name] = (rate, rate * journeys[name].read, rate * journeys[name].write)
    lines = [Line(name, *each, request_dollars(prices, *each[1:])) for name, each in units.items()]
    bill = price(design, Measurements(), rates={}, items=items, prices=prices)
    read, write = sum(line.read for line in lines), sum(line.write for line in lines)
    return replace(bill, lines=lines, read=read, write=write, peak=round(learned.peak, 1))


def _at_scale(arguments: argparse.Namespace) -> int:
    from sekkei.advice import scale_page
    from sekkei.advice.costing import NoPrices, Prices
    from sekkei.advice.load_model import BadLoad
    from sekkei.advice.workload import BadTraffic
    from sekkei.design import SekkeiError

    if arguments.rate or arguments.rates or arguments.items:
        raise CouldNotRun("With --users, what one user does stands in traffic.toml; leave --rate and --items out.")
    sizes = [users_of(text) for text in arguments.users.split(",")]
    try:
        prices = Prices.of(arguments.region, arguments.prices)
        scales = [(name, scale_named(name, arguments.traffic)) for name in arguments.designs]
    except (SekkeiError, NoPrices, BadTraffic, BadLoad) as error:
        raise CouldNotRun(str(error)) from error
    if arguments.format == "md":
        command = f"sekkei cost {' '.join(arguments.designs)} --users {arguments.users} --format md"
        command += f" --pictures {arguments.pictures.as_posix()}" if arguments.pictures else ""
        pictures = _draw(arguments.pictures, scales) if arguments.pictures else ""
        print(scale_page.page(scales, sizes, prices, command, pictures), end="")
    elif arguments.format == "json":
        print(json.dumps({name: _scale_json(scale, sizes, prices) for name, scale in scales}, indent=1))
    else:
        print("\n\n".join(scale_page.text(name, scale, sizes, prices) for name, scale in scales))
    return OK


def _draw(directory: Path, scales: list[tuple[str, Scale]]) -> str:
    """A picture of each; how the page names the directory, which is beside it."""
    from sekkei.advice.scale_page import picture, picture_name

    for name, scale in scales:
        if scale.walls():
            try:
                (directory / picture_name(name)).write_text(picture(name, scale), "utf-8")
            except OSError as error:
                raise CouldNotRun(f"{error.filename} cannot be written: {error.strerror}.") from error
    return directory.name


def users_of(text: str) -> int:
    try:
        found = count_of(text.strip())
    except ValueError as error:
        raise CouldNotRun(f"--users: {error}.") from error
    if not 1 <= found <= 10**10:
        raise CouldNotRun(f"--users {text}: give 1 to 10G.")
    return found


def scale_named(name: str, file: Path | None) -> Scale:
    """What is declared beside a design, or in a file."""
    from sekkei.advice import declared

    return declared(name, file)


def _scale_json(scale: Scale, sizes: list[int], prices: Prices) -> dict[str, object]:
    return {
        "users": {str(size): _bill_json(scale.bill(size, prices)) for size in sizes},
        "walls": [wall._asdict() for wall in scale.walls()],
        "walls_after_changes": [wall._asdict() for wall in scale.walls(scale.traffic.changes)],
    }


WRITTEN: dict[Any, str] = {rate_of: ", such as default_board=50/s", count_of: ", such as orders=10M"}


def pair_of(text: str, read: Callable[[str], N]) -> tuple[str, N]:
    """`NAME=VALUE` of the command line."""
    name, separator, value = text.partition("=")
    if not separator:
        raise CouldNotRun(f"{text!r}: write NAME=VALUE{WRITTEN.get(read, '')}.")
    try:
        return name, read(value)
    except ValueError as error:
        raise CouldNotRun(f"{text}: {error}.") from error


def rates_in(path: Path | None) -> dict[str, float]:
    if path is None:
        return {}
    import tomllib

    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CouldNotRun(f"{path}: {error}") from error
    return dict(pair_of(f"{name}={value}", rate_of) for name, value in found.items())


def _money(amount: float | None) -> str:
    return "unknown" if amount is None else f"${amount:,.2f}"


def _as_table(bill: Bill, saved: Sequence[Saving] = ()) -> str:
    lines = [f"A month in {bill.prices.region}, at prices of {bill.prices.date} ({bill.prices.source})", ""]
    width = max((len(line.pattern) for line in bill.lines), default=7)
    lines.append(f"{'':<{width}}  {'calls/s':>10}  {'read/s':>10}  {'write/s':>10}  {'on demand':>12}")
    for line in sorted(bill.lines, key=lambda each: -(each.dollars or 0.0)):
        rate = f"{line.rate:,.3g}" if line.rate else ""
        figures = f"{rate:>10}  {line.read:>10,.1f}  {line.write:>10,.1f}  {_money(line.dollars):>12}"
        lines.append(f"{line.pattern:<{width}}  {figures}")
    lines += ["", "stored"]
    for each in bill.stored:
        if each.items or each.write:
            spent = "" if "." not in each.place else f"  {each.write:,.1f} write units/s, {_money(each.dollars)}"
            lines.append(f"  {each.place}: {each.items:,} items, {each.gigabytes:,.2f} GB{spent}")
    ten = None if bill.on_demand is None else bill.on_demand * 10
    lines += [
        "",
        f"requests, on demand              {_money(bill.on_demand):>14}",
        f"requests, provisioned for ×{bill.peak:<5g} {_money(bill.provisioned):>14}",
        f"requests, provisioned, autoscaled{_money(bill.autoscaled):>14}",
        f"storage                          {_money(bill.storage):>14}   ({bill.prices.storage_free_gb:g} GB free)",
        f"point-in-time recovery           {_money(bill.pitr):>14}",
        f"ten times the load, on demand    {_money(ten):>14}",
    ]
    known = [amount for amount in (bill.on_demand, bill.storage, bill.pitr) if amount is not None]
    left_out = "" if len(known) == 3 else "   without what is unknown"
    lines.append(f"in all, on demand                {_money(sum(known)):>14}{left_out}")
    lines += ["", "what one change saves"] if saved else []
    lines += [f"  {_money(each.dollars)}  {each.place}: {each.what}" for each in saved]
    return "\n".join(lines)


def _as_json(bill: Bill, saved: Sequence[Saving] = ()) -> str:
    return json.dumps({**_bill_json(bill), "savings": [asdict(each) for each in saved]}, indent=1)


def _bill_json(bill: Bill) -> dict[str, object]:
    return {
        "region": bill.prices.region,
        "prices": bill.prices.date,
        "patterns": [
            {"pattern": e.pattern, "rate": e.rate, "read": e.read, "write": e.write, "dollars": e.dollars}
            for e in bill.lines
        ],
        "stored": [
            {"place": e.place, "items": e.items, "gigabytes": e.gigabytes, "write": e.write, "dollars": e.dollars}
            for e in bill.stored
        ],
        "on_demand": bill.on_demand,
        "provisioned": bill.provisioned,
        "autoscaled": bill.autoscaled,
        "storage": bill.storage,
        "pitr": bill.pitr,
    }
