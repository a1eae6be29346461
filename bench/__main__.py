"""python -m bench [NAME ...]: measure, and print Markdown. Without names, everything (about ten minutes)."""

from __future__ import annotations

import argparse
import platform
import time
from importlib import import_module

import apsw

from bench.scale import count

PARTS = {
    "http": ("Requests a second over HTTP, same client, same run", "side_by_side"),
    "floors": ("Beside the floors", "floors"),
    "pages": ("A page of 20 items", "pages"),
    "design": ("Typed objects", "design"),
    "waiting": ("How long others wait beside a long request", "waiting"),
    "streams": ("Cost of a stream and of point-in-time recovery", "streams"),
    "tasks": ("Tasks: board and change of status, small and large team", "tasks"),
    "chiipochi": ("ちいポチ: a burst of donations over HTTP", "chiipochi"),
    "eventbot": ("Event bot: interactions, signed and durable", "eventbot"),
    "q": ("Q.: the timeline, and the minute of publishing", "q"),
    "scale": ("One large table with two indexes (--items 10M)", "scale"),
    "console": ("The console on a table of a million items", "console"),
    "outbox": ("Messages: one destination hangs, one fails, one is slow", "outbox"),
    "idle": ("Nobody there: what all systems cost when nothing happens", "idle"),
    "worlds": ("Worlds: seeds a minute, and hours in which nobody does anything", "worlds"),
    "ship": ("Packages for Lambda: size, and what the first request costs", "ship"),
    "lessons": ("Lessons: a race for places, the monitor, the migration", "lessons"),
}
"""What can be measured: a title, and the module of `bench` whose `run` does it."""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measure, side by side with every peer that can be installed here."
    )
    parser.add_argument("parts", nargs="*", metavar="NAME", help=f"what to measure: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--items", type=count, help="how many items `scale` has, such as 1M (default: 100k)")
    given = parser.parse_args()
    names = given.parts or list(PARTS)
    for name in names:
        if name not in PARTS:
            parser.error(f"there is no {name}; there are {', '.join(PARTS)}")
    print(f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}, {platform.machine()}")
    for name in names:
        title, module = PARTS[name]
        print(f"\n## {title}\n", flush=True)
        started = time.monotonic()
        more = {"items": given.items} if name == "scale" and given.items else {}
        import_module(f"bench.{module}").run(**more)
        print(f"\n({time.monotonic() - started:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
