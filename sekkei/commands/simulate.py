"""`sekkei simulate`: at how many users a design throttles, and where."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sekkei.advice.quantities import count_of, rate_of
from sekkei.commands import FINDINGS, OK, CouldNotRun
from sekkei.commands.cost import pair_of, users_of

if TYPE_CHECKING:
    from sekkei.advice.heat import Outcome, Report, Stream
    from sekkei.design import Design


EXAMPLES = """\
examples:
  sekkei simulate q --users 500k --svg heat.svg      what traffic.toml says its users do, in the busiest hour
  sekkei simulate tasks --users 1M --rate default_board=20/day --rate one_task=50/day
  sekkei simulate q --users 10M --rate post_answer=1/day --hot post_answer=today    everybody answers today's question
  sekkei simulate q --users 10M --rate post_answer=1/day --shard Answers=16     the same with sixteen shards
  sekkei simulate shop.py:design --users 5k --rate order=3/min --minutes 120 --seed 7 --format json
  sekkei simulate q --users 10M --rate post_answer=1/day --hot post_answer=today --svg heat.svg     as a drawing too
  sekkei simulate tasks --users 1M --rate one_task=50/day --ramp 30 --items task-table-v3=500M --quota 200k

--rate is what one user does, on average; without it, what traffic.toml beside the design declares. --hot says how a
pattern's keys are asked for: one, today, even, few:5, zipf, zipf:1.2, celebrity:0.1 (one key draws a tenth). Where
nothing is said, the keys of the design tell. With --rate tables are new unless --items says what they hold; all users
come at once unless --ramp says in how many minutes.
The same seed gives the same hour. Exit code: 0 nothing was refused, 1 something was, 2 could not run.
"""

_QUOTA_MAX = 10**9
MINUTES_MAX = 1_440
_BARS = "▁▂▃▄▅▆▇█"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", help="a system, a module, or module:attribute")
    parser.add_argument("--users", required=True, metavar="1M", help="how many people use it")
    parser.add_argument("--rate", action="append", default=[], metavar="PATTERN=20/day", help="what one of them does")
    parser.add_argument("--hot", action="append", default=[], metavar="PATTERN=zipf:1.2", help="how keys are asked for")
    parser.add_argument("--shard", action="append", default=[], metavar="PLACE=16", help="what sharding would change")
    parser.add_argument("--items", action="append", default=[], metavar="TABLE=10M", help="what is stored already")
    parser.add_argument(
        "--quota", default="40k", metavar="40k", help="units/s of a table or index (default: AWS's 40k)"
    )
    parser.add_argument("--ramp", type=int, default=0, metavar="MINUTES", help="until all users are there (default: 0)")
    parser.add_argument("--minutes", type=int, default=60, help="of simulated time (default: 60)")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw requests and partitions, minute by minute")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="default: table")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.advice.heat import ramp, simulate
    from sekkei.design import SekkeiError

    try:
        users = users_of(arguments.users)
        found, options = _asked(arguments, users)
    except (SekkeiError, ValueError) as error:
        raise CouldNotRun(str(error)) from error
    report = simulate(
        found,
        seconds=arguments.minutes * 60,
        seed=arguments.seed,
        busy=ramp(arguments.ramp),
        progress=_progress,
        **options,
    )
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    if arguments.svg is not None:
        _draw(report, arguments.svg)
    print(_as_json(report, found, users) if arguments.format == "json" else _as_table(report, found, users))
    return FINDINGS if any(outcome.refused for outcome in report.outcomes.values()) else OK


def _asked(arguments: argparse.Namespace, users: int) -> tuple[list[Stream], dict[str, Any]]:
    """The load, and what the tables are like."""
    from sekkei.advice.load_model import streams
    from sekkei.advice.workload import beside
    from sekkei.design import Measurements
    from sekkei.design.loading import find, measurements_beside

    design, home = find(arguments.design)
    quota = _quota(arguments)
    items = dict(pair_of(text, count_of) for text in arguments.items)
    if not arguments.rate:
        found, stored = _declared(arguments, users, beside(home))
        return found, {"quota": quota, "stored": {**stored, **_stored(design, items)}}
    found = streams(
        design,
        Measurements.load(measurements_beside(home)),
        users=users,
        rates=dict(pair_of(text, rate_of) for text in arguments.rate),
        hot=dict(pair_of(text, str) for text in arguments.hot),
        shards=dict(pair_of(text, count_of) for text in arguments.shard),
    )
    return found, {"quota": quota, "stored": _stored(design, items)}


def _quota(arguments: argparse.Namespace) -> float:
    from sekkei.advice.load_model import BadLoad

    for name, least in (("minutes", 1), ("ramp", 0)):
        if not least <= getattr(arguments, name) <= MINUTES_MAX:
            raise BadLoad(f"--{name}: give {least} to {MINUTES_MAX}.")
    quota = count_of(arguments.quota)
    if not 1 <= quota <= _QUOTA_MAX:
        raise BadLoad(f"--quota {arguments.quota}: give 1 to 1G units a second.")
    return float(quota)


def _declared(arguments: argparse.Namespace, users: int, path: Path) -> tuple[list[Stream], dict[str, float]]:
    """What is said beside the design, in the busiest hour."""
    from sekkei.advice.load_model import BadLoad
    from sekkei.advice.scale import declared, stored_by, streams_of

    if not path.exists():
        raise BadLoad(f"Say what one user does: --rate PATTERN=20/day, or declare it in {path}. See docs/advice.md.")
    if arguments.hot or arguments.shard:
        raise BadLoad(
            f"--hot and --shard go with --rate; without it {path} says what users do and how keys are asked for."
        )
    scale = declared(arguments.design)
    return streams_of(scale, users), stored_by(scale, users)


def _stored(design: Design, items: Mapping[str, int]) -> dict[str, float]:
    """Bytes by place."""
    from sekkei.advice.costing import check_names, stored_bytes

    check_names(design, {}, items)
    return {
        place: count * size
        for table, count in items.items()
        for place, size in stored_bytes(design.tables[table]).items()
    }


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
    return "".join(_BARS[min(len(_BARS) - 1, round(share * (len(_BARS) - 1)))] if share else "·" for share in shares)


def _as_table(report: Report, found: list[Stream], users: int) -> str:
    from sekkei.advice.load_model import walls

    lines: list[str] = []
    for name, outcome in sorted(report.outcomes.items(), key=lambda each: not each[1].refused):
        asked = outcome.asked / report.seconds
        lines.append(f"{name}: {asked:,.0f} units/s, {outcome.partitions:,} partitions, {outcome.share:.1%} refused")
        if outcome.refused:
            reasons = ", ".join(sorted(outcome.reasons, key=lambda reason: -outcome.reasons[reason]))
            lines.append(
                f"  {reasons} from second {outcome.first_refused} to {outcome.last_refused}, {_helped(outcome)}"
            )
            lines += [f"  {outcome.worst}"] if outcome.worst else []
            lines.append(f"  {sparkline(outcome.by_minute)}")
    lines += ["", "refused calls"]
    lines += [f"  {pattern}: {share:.1%}" for pattern, share in report.refused.items()]
    nearest = walls(found, users)[:5]
    lines += ["", "walls that no split moves" if nearest else "No wall: every key range can be split."]
    for bound in nearest:
        key = f", key {bound.key}" if bound.key != bound.pattern else ""
        lines.append(f"  {bound.place}{key}: {bound.users:,.0f} users ({bound.popularity}; mostly {bound.pattern})")
    return "\n".join(lines)


def _helped(outcome: Outcome) -> str:
    if outcome.reason.endswith("AccountLimitExceeded"):
        return "until AWS raises the quota"
    return "no split helps" if outcome.stuck else f"after {outcome.splits:,} splits"


def _as_json(report: Report, found: list[Stream], users: int) -> str:
    from sekkei.advice.load_model import walls

    places = {
        name: {
            "units_per_second": outcome.asked / report.seconds,
            "partitions": outcome.partitions,
            "refused": outcome.share,
            "first_second": outcome.first_refused,
            "last_second": outcome.last_refused,
            "stuck": outcome.stuck,
            "reasons": outcome.reasons,
            "worst": outcome.worst,
            "by_minute": outcome.by_minute,
            "partitions_by_minute": outcome.partitions_by_minute,
        }
        for name, outcome in report.outcomes.items()
    }
    nearest = [bound._asdict() for bound in walls(found, users)]
    minutes = [{"asked": each.asked, "served": each.served} for each in report.minutes]
    said = {"places": places, "patterns": report.refused, "minutes": minutes, "walls": nearest}
    return json.dumps(said, indent=1)
