"""`sekkei measure`: what every pattern of a design costs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sekkei.commands import FINDINGS, OK, CouldNotRun

if TYPE_CHECKING:
    from sekkei.advice.measuring import Measured
    from sekkei.advice.metering import Travelled
    from sekkei.advice.real_items import Stock
    from sekkei.design import Design, Measurements
    from sekkei.web.journeys import Journeys


EXAMPLES = """\
examples:
  sekkei measure tasks                    a system's design; the figures are kept beside it, in measured.json
  sekkei measure shop.py:design           a design of your own
  sekkei measure tasks --items 2000       more items of each entity
  sekkei measure tasks --check            write nothing; exit 1 when a pattern has become dearer
  sekkei measure tasks --from data/sekkei.db               with the items of a store's file or snapshot
  sekkei measure shop.py --from shop=./AWSDynamoDB/0170…   with those of a table's export from S3 (DYNAMODB_JSON)
  sekkei measure tasks --journeys         what its users do, through HTTP on demo data; kept in journeys.json

`sekkei docs` shows the figures, `sekkei check` and `sekkei cost` reckon with them.
Exit code: 0 well, 1 dearer than before (with --check), 2 could not run.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", help="a system, a module, or module:attribute")
    parser.add_argument("--items", type=_count, default=200, help="of each entity (default: %(default)s)")
    parser.add_argument(
        "--per-partition", type=_count, default=50, metavar="N", help="items of an entity in a partition (default: 50)"
    )
    parser.add_argument(
        "--from", dest="stock", action="append", default=[], metavar="SOURCE", help="a store's file, or TABLE=EXPORT"
    )
    parser.add_argument("--env", default="dev", help="part of table names in a store's file (default: dev)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to keep them (default: beside the design)")
    parser.add_argument("--journeys", action="store_true", help="run whole journeys of a system instead of patterns")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a pattern has become dearer")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of items: give 1 to 1000000")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    if arguments.journeys:
        return _journeys(arguments)
    from sekkei.advice.measuring import measure_now
    from sekkei.design import Measurements, SekkeiError
    from sekkei.design.loading import find, measurements_beside

    try:
        design, home = find(arguments.design)
        path = arguments.out or measurements_beside(home)
        before = Measurements.load(path)
        options = {"items": arguments.items, "per_partition": arguments.per_partition, "progress": _progress}
        found = measure_now(design, stock=_stock(design, arguments), **options)
    except (SekkeiError, ImportError, SyntaxError) as error:
        raise CouldNotRun(str(error)) from error
    _clear()
    print(_shown(found))
    if arguments.check:
        return _compare(before, found)
    try:
        found.save(path)
    except OSError as error:
        raise CouldNotRun(f"{path} cannot be written: {error.strerror}. Name another file with --out.") from error
    print(f"wrote {path}")
    return OK


def _stock(design: Design, arguments: argparse.Namespace) -> Stock | None:
    if not arguments.stock:
        return None
    import asyncio

    from sekkei.advice.real_items import BadStock, Stock
    from sekkei.commands.startup import file_errors

    stock = Stock(design)
    try:
        for source in arguments.stock:
            table, equals, path = source.partition("=")
            if equals:
                stock.add_export(table, Path(path))
                continue
            if not Path(source).is_file():
                raise CouldNotRun(f"{source} is no file of a store. For an export write TABLE={source}.")
            with file_errors(source):
                asyncio.run(stock.add_store(Path(source), arguments.env))
    except BadStock as error:
        raise CouldNotRun(str(error)) from error
    strange = f", {stock.strangers:,} of them of no entity" if stock.strangers else ""
    print(f"{len(stock):,} items{strange}")
    return stock


def _journeys(arguments: argparse.Namespace) -> int:
    import asyncio

    from sekkei.advice import metering
    from sekkei.design import SekkeiError
    from sekkei.design.loading import find

    try:
        _, home = find(arguments.design)
        journeys = _journeys_of(arguments.design)
    except (SekkeiError, ImportError) as error:
        raise CouldNotRun(str(error)) from error
    path = arguments.out or metering.beside(home)
    before, found = metering.load(path), asyncio.run(journeys.run())
    width = max(map(len, found))
    print(f"{'journey':<{width}}    read   write  calls")
    print(*(f"{name:<{width}}  {o.read:>6g}  {o.write:>6g}  {o.calls:>5}" for name, o in found.items()), sep="\n")
    if arguments.check:
        dearer = [name for name, o in found.items() if name in before and _total(o) > _total(before[name])]
        print("Dearer than before: " + ", ".join(dearer) if dearer else "No journey has become dearer.")
        return FINDINGS if dearer else OK
    metering.save(path, found)
    print(f"wrote {path}")
    return OK


def _total(journey: Travelled) -> float:
    return journey.read + journey.write


def _journeys_of(name: str) -> Journeys:
    from importlib import import_module
    from importlib.metadata import entry_points

    from sekkei.web.journeys import Journeys

    for point in entry_points(group="sekkei.systems", name=name):
        found = getattr(import_module(f"{point.module.removesuffix('.system')}.journeys"), "JOURNEYS", None)
        if isinstance(found, Journeys):
            return found
    raise CouldNotRun(f"{name} has no journeys. Only a system has them, in its module `journeys`.")


def _progress(what: str, done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{done}/{of} {what}", end="", file=sys.stderr, flush=True)


def _clear() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _shown(found: Measured) -> str:
    width = max((len(name) for name in (*found.units, *found.left_out)), default=0)
    lines = [f"{'pattern':<{width}}    read   write  of that, indexes  items read → found  calls"]
    for name, units in found.units.items():
        indexes = sum(units.indexes.values())
        share = f"{indexes:g}" if indexes and units.write else ""
        items = f"{units.items_read} → {units.items}" if units.read else str(units.items)
        lines.append(
            f"{name:<{width}}  {units.read:>6g}  {units.write:>6g}  {share:>16}  {items:>18}  {units.calls:>5}"
        )
    lines += [f"{name:<{width}}  left out: {why}" for name, why in found.left_out.items()]
    return "\n".join(lines)


def _compare(before: Measurements, now: Measurements) -> int:
    dearer = [
        f"{name}: {before.units[name]} before, {units} now"
        for name, units in now.units.items()
        if name in before.units and units.read + units.write > before.units[name].read + before.units[name].write
    ]
    if dearer:
        print("Dearer than before:", *dearer, sep="\n  ")
        return FINDINGS
    print("No pattern has become dearer.")
    return OK
