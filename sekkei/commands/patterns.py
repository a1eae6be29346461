"""`sekkei patterns`: what a design can be asked."""

from __future__ import annotations

import argparse
import json

from sekkei.commands import OK, CouldNotRun

EXAMPLES = """\
examples:
  sekkei patterns tasks                  every pattern, a line each
  sekkei patterns tasks default_board    one of them: parameters, plan, measured units
  sekkei patterns tasks --json           for programs
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", help="a system, a module, or module:attribute")
    parser.add_argument("pattern", nargs="?", help="only this one, in full")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.design import Measurements, SekkeiError
    from sekkei.design.loading import find, measurements_beside

    try:
        design, home = find(arguments.design)
        measured = Measurements.load(measurements_beside(home))
    except SekkeiError as error:
        raise CouldNotRun(str(error)) from error
    if arguments.pattern is not None and arguments.pattern not in design.patterns:
        raise CouldNotRun(
            f"{design.name} has no pattern {arguments.pattern}. See `sekkei patterns {arguments.design}`."
        )
    chosen = [one for name, one in design.patterns.items() if arguments.pattern in (None, name)]
    if arguments.json:
        print(
            json.dumps([{"name": p.name, "about": p.en, "plan": [str(s) for s in p.plans]} for p in chosen], indent=1)
        )
    elif arguments.pattern is not None:
        print(chosen[0].describe(measured.units.get(chosen[0].name)))
    else:
        width = max((len(one.name) for one in chosen), default=0)
        for one in chosen:
            print(f"{one.name:<{width}}  {one.plans[0].operation:<14} {one.en.splitlines()[0]}")
    return OK
