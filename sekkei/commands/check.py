"""`sekkei check`: what a design will run into."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sekkei.commands import FINDINGS, OK, CouldNotRun

if TYPE_CHECKING:
    from sekkei.advice.findings import Checked
    from sekkei.design import Design


EXAMPLES = """\
examples:
  sekkei check tasks                      findings, what lies behind them and what to do
  sekkei check tasks q --format md        several designs, for a pull request
  sekkei check shop.py:design --format sarif > shop.sarif
  sekkei check tasks --users 10M          also hot keys and quotas, from what one user does (traffic.toml)
  sekkei check --explain R24              one rule: the fact behind it and what to do
  sekkei check --explain all              all of them, also those that the library keeps by itself

`sekkei measure DESIGN` first gives the rules figures to speak of. What is meant to be so is said in the design:
  design.accept("R21", "orders.by_status", "open orders only, a few hundred at any time")

Exit code: 0 nothing but what is accepted or only worth knowing, 1 findings, 2 could not run.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("designs", nargs="*", metavar="DESIGN", help="a system, a module, or module:attribute")
    parser.add_argument("--format", choices=("table", "json", "md", "sarif"), default="table", help="default: table")
    parser.add_argument("--users", metavar="1M", help="how many people use it; what one does is in traffic.toml")
    parser.add_argument("--explain", metavar="RULE", help="say what a rule means, such as R24; `all` for every rule")


def run(arguments: argparse.Namespace) -> int:
    if arguments.explain:
        return _explain(arguments.explain)
    if not arguments.designs:
        raise CouldNotRun("Name a design to check: a system such as tasks, or module:attribute.")
    from sekkei.advice.checking import is_clean
    from sekkei.advice.findings import FORMATS

    checked = [_checked(name, arguments.users) for name in arguments.designs]
    print(FORMATS[arguments.format](checked))
    return OK if all(is_clean(list(each.found)) for each in checked) else FINDINGS


def _checked(name: str, users: str | None) -> Checked:
    from sekkei.advice.checking import check
    from sekkei.advice.findings import Checked
    from sekkei.commands.cost import scale_named, users_of
    from sekkei.design import Measurements, SekkeiError
    from sekkei.design.loading import find, measurements_beside

    try:
        design, home = find(name)
        design.check()
        scale, many = (None, 0) if users is None else (scale_named(name, None), users_of(users))
        found = check(design, Measurements.load(measurements_beside(home)), scale=scale, users=many)
    except (SekkeiError, ImportError, SyntaxError, ValueError) as error:
        raise CouldNotRun(f"{name}: {error}") from error
    return Checked(design.name, found, lambda place: _source_of(design, home, place))


def _source_of(design: Design, home: Path, place: str) -> tuple[str, int]:
    """Where a pattern stands; for all else, the first line of the design."""
    from inspect import unwrap

    file, line = (home / "__init__.py" if home.is_dir() else home), 1
    if place in design.patterns:
        code = unwrap(design.patterns[place].function).__code__
        file, line = Path(code.co_filename), code.co_firstlineno
    path = file.resolve()
    inside = path.is_relative_to(Path.cwd())
    return (quote(path.relative_to(Path.cwd()).as_posix()) if inside else path.as_uri()), line


def _explain(id: str) -> int:
    from sekkei.advice.findings import rules

    known = rules()
    chosen = list(known) if id == "all" else [id.upper()]
    if chosen[0] not in known:
        raise CouldNotRun(f"There is no rule {id}. They are R1 to R{len(known)}; `--explain all` lists them.")
    for each in chosen:
        rule = known[each]
        print(f"{rule.id} {rule.title}")
        if rule.kept:
            print(f"  kept by the library: {rule.kept}")
        else:
            print(f"  {rule.severity}: {rule.fact}\n  → {rule.remedy}")
    return OK
