"""Modules, public names and lines of each package stay within `sizes.toml`: they may fall, and rise only on purpose.

A package that outgrows its row fails here. Make something smaller, or raise the row in the commit that needs it and
give the reason there. `python -m tests.test_sizes` writes the present sizes.
"""

from __future__ import annotations

import ast
import functools
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
FILE = Path(__file__).with_name("sizes.toml")
DISTRIBUTIONS = {"sekkei": ROOT / "sekkei", "sekkei_systems": ROOT / "systems" / "sekkei_systems"}
LINES_STEP = 100
"""Lines are rounded up to this: a correction of three lines is no growth."""


class Size(NamedTuple):
    modules: int
    names: int
    lines: int


@functools.cache
def sizes() -> dict[str, Size]:
    """Measure each package below a distribution; modules of the distribution itself count under its name."""
    found: dict[str, Size] = {}
    for distribution, folder in DISTRIBUTIONS.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).parts
            package = distribution if len(parts) == 1 else f"{distribution}.{parts[0]}"
            text = path.read_text("utf-8")
            modules, names, lines = found.get(package, (0, 0, 0))
            public = sum(not name.startswith("_") for name in module_names(ast.parse(text)))
            found[package] = Size(modules + 1, names + public, lines + text.count("\n"))
    return {package: size._replace(lines=-(-size.lines // LINES_STEP) * LINES_STEP) for package, size in found.items()}


def module_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module defines: functions, classes, assigned constants. Imports do not count."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def allowed() -> dict[str, Size]:
    return {package: Size(**row) for package, row in tomllib.loads(FILE.read_text("utf-8")).items()}


@pytest.mark.parametrize("package", sizes())
def test_a_package_grows_on_purpose_only(package: str) -> None:
    size, most = sizes()[package], allowed().get(package, Size(0, 0, 0))
    grown = [
        f"{kind} {now} (at most {limit})"
        for kind, now, limit in zip(Size._fields, size, most, strict=True)
        if now > limit
    ]
    assert not grown, (
        f"{package}: {', '.join(grown)}. Make it smaller, or raise its row in tests/sizes.toml with a reason."
    )


def test_rows_belong_to_packages_that_exist() -> None:
    assert allowed().keys() == sizes().keys()


def test_names_are_counted_as_a_reader_would() -> None:
    text = "import os\nA: int = 1\nB = C = 2\n_D = 3\ndef f(): g = 1\nclass K:\n    x = 1\nasync def _h(): ..."
    assert list(module_names(ast.parse(text))) == ["A", "B", "C", "_D", "f", "K", "_h"]


def write() -> None:
    """Write the present sizes, and their sums as a comment."""
    rows = sizes()
    total = Size(*(sum(column) for column in zip(*rows.values(), strict=True)))
    together = f"Together: {total.modules} modules, {total.names} names."
    head = f"# The largest sizes that packages may have (tests/test_sizes.py). {together}\n"
    body = "".join(
        f'"{package}" = {{ modules = {size.modules}, names = {size.names}, lines = {size.lines} }}\n'
        for package, size in rows.items()
    )
    FILE.write_text(head + body, "utf-8")


if __name__ == "__main__":
    write()
