"""python -m bench [NAME ...]: measure, and print Markdown. Without names, everything (about ten minutes)."""

from __future__ import annotations

import argparse
import platform
import time

import apsw

from bench import chiipochi, design, floors, pages, side_by_side, streams

PARTS = {
    "http": ("Requests a second over HTTP, same client, same run", side_by_side.run),
    "floors": ("Beside the floors", floors.run),
    "pages": ("A page of 20 items", pages.run),
    "design": ("Typed objects", design.run),
    "chiipochi": ("ちいポチ: a burst of donations over HTTP", chiipochi.run),
    "streams": ("Cost of a stream and of point-in-time recovery", streams.run),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measure, side by side with every peer that can be installed here."
    )
    parser.add_argument("parts", nargs="*", metavar="NAME", help=f"what to measure: {', '.join(PARTS)} (default: all)")
    names = parser.parse_args().parts or list(PARTS)
    for name in names:
        if name not in PARTS:
            parser.error(f"there is no {name}; there are {', '.join(PARTS)}")
    print(f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}, {platform.machine()}")
    for name in names:
        title, run = PARTS[name]
        print(f"\n## {title}\n", flush=True)
        started = time.monotonic()
        run()
        print(f"\n({time.monotonic() - started:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
