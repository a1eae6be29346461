"""`sekkei simulate`: at how many users a design throttles, and where."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sekkei.commands import FINDINGS, OK, CouldNotRun
from sekkei.commands.cost import count_of, pair_of, rate_of

if TYPE_CHECKING:
    from sekkei.advice.heat import Report, Stream

SUMMARY = "Simulate the heat of a design: which key range throttles at how many users, and whether a split helps."

EXAMPLES = """\
examples:
  sekkei simulate tasks --users 1M --rate default_board=20/day --rate one_task=50/day
  sekkei simulate q --users 10M --rate post_answer=1/day --hot post_answer=today    everybody answers today's question
  sekkei simulate q --users 10M --rate post_answer=1/day --shard Answers=16     the same with sixteen shards
  sekkei simulate shop.py:design --users 5k --rate order=3/min --minutes 120 --seed 7 --format json
  sekkei simulate q --users 10M --rate post_answer=1/day --hot post_answer=today --svg heat.svg     as a drawing too

--rate is what one user does, on average; --hot says how a pattern's keys are asked for: one, today, even, few:5, zipf,
zipf:1.2, celebrity:0.1 (one key draws a tenth). Where nothing is said, the keys of the design tell.
The same seed gives the same hour. Exit code: 0 nothing was refused, 1 something was, 2 could not run.
"""

BARS = "▁▂▃▄▅▆▇█"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", help="a system, a module, or module:attribute")
    parser.add_argument("--users", required=True, metavar="1M", help="how many people use it")
    parser.add_argument("--rate", action="append", default=[], metavar="PATTERN=20/day", help="what one of them does")
    parser.add_argument("--hot", action="append", default=[], metavar="PATTERN=zipf:1.2", help="how keys are asked for")
    parser.add_argument("--shard", action="append", default=[], metavar="PLACE=16", help="what sharding would change")
    parser.add_argument("--minutes", type=int, default=60, help="of simulated time (default: 60)")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw requests and partitions, minute by minute")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="default: table")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.advice.heat import simulate
    from sekkei.advice.load import BadLoad, streams
    from sekkei.design import Measurements, SekkeiError
    from sekkei.design.loading import find, measurements_beside

    try:
        design, home = find(arguments.design)
        users = count_of(arguments.users)
        if not 1 <= arguments.minutes <= 1_440:
            raise BadLoad("--minutes: give 1 to 1440.")
        if not arguments.rate:
            raise BadLoad("Say what one user does: --rate PATTERN=20/day.")
        found = streams(
            design,
            Measurements.load(measurements_beside(home)),
            users=users,
            rates=dict(pair_of(text, rate_of) for text in arguments.rate),
            hot=dict(pair_of(text, str) for text in arguments.hot),
            shards=dict(pair_of(text, count_of) for text in arguments.shard),
        )
    except (SekkeiError, ValueError) as error:
        raise CouldNotRun(str(error)) from error
    report = simulate(found, seconds=arguments.minutes * 60, seed=arguments.seed, progress=_progress)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    if arguments.svg is not None:
        _draw(report, arguments.svg)
    print(_as_json(report, found, users) if arguments.format == "json" else _as_table(report, found, users))
    return FINDINGS if any(outcome.refused for outcome in report.outcomes.values()) else OK


def _draw(report: Report, path: Path) -> None:
    from sekkei.advice import plot

    try:
        path.write_text(plot(report), "utf-8")
    except OSError as error:
        raise CouldNotRun(f"{path} cannot be written: {error.strerror}.") from error


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[Kminute {done // 60} of {of // 60}", end="", file=sys.stderr, flush=True)


def sparkline(shares: Sequence[float]) -> str:
    """One bar a minute; a full one is everything refused."""
    return "".join(BARS[min(len(BARS) - 1, round(share * (len(BARS) - 1)))] if share else "·" for share in shares)


def _as_table(report: Report, found: list[Stream], users: int) -> str:
    from sekkei.advice.load import walls

    lines: list[str] = []
    for name, outcome in report.outcomes.items():
        asked = outcome.asked / report.seconds
        lines.append(f"{name}: {asked:,.0f} units/s, {outcome.partitions:,} partitions, {outcome.share:.1%} refused")
        if outcome.refused:
            reason = "IndexWriteKeyRangeThroughputExceeded" if "." in name else "KeyRangeThroughputExceeded"
            helped = "no split helps" if outcome.stuck else f"after {outcome.splits:,} splits"
            lines.append(f"  {reason} from second {outcome.first_refused} to {outcome.last_refused}, {helped}")
            lines += [f"  {outcome.worst}"] if outcome.worst else []
            lines.append(f"  {sparkline(outcome.by_minute)}")
    lines += ["", "refused calls"]
    lines += [f"  {pattern}: {share:.1%}" for pattern, share in report.refused.items()]
    nearest = list(walls(found, users))[:5]
    lines += ["", "walls that no split moves" if nearest else "No wall: every key range can be split."]
    for bears, stream in nearest:
        lines.append(f"  {stream.place}, {stream.pattern}: {bears:,.0f} users ({stream.popularity.name})")
    return "\n".join(lines)


def _as_json(report: Report, found: list[Stream], users: int) -> str:
    from sekkei.advice.load import walls

    places = {
        name: {
            "units_per_second": outcome.asked / report.seconds,
            "partitions": outcome.partitions,
            "refused": outcome.share,
            "first_second": outcome.first_refused,
            "last_second": outcome.last_refused,
            "stuck": outcome.stuck,
            "worst": outcome.worst,
            "by_minute": outcome.by_minute,
        }
        for name, outcome in report.outcomes.items()
    }
    nearest = [{"users": bears, "place": each.place, "pattern": each.pattern} for bears, each in walls(found, users)]
    return json.dumps({"places": places, "patterns": report.refused, "walls": nearest}, indent=1)
