"""Ten published designs: everything that is found is in docs/published.md, judged, and nearly all of it is true."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from sekkei.advice.checking import check
from sekkei.advice.measuring import measure

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "published.md"
DESIGNS = sorted(path.stem for path in (ROOT / "examples").glob("[!_]*.py"))
FALSE_MAX = 0.05


def listed() -> list[list[str]]:
    rows = [line.strip("|\n").split("|") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows if row[0].strip() in DESIGNS]


def test_there_are_ten() -> None:
    assert len(DESIGNS) == 10
    assert {row[0] for row in listed()} == set(DESIGNS)


@pytest.mark.parametrize("name", DESIGNS)
async def test_every_finding_is_judged(name: str) -> None:
    design = import_module(f"examples.{name}").design
    found = {(each.rule.id, each.place) for each in check(design, await measure(design))}
    assert found == {(rule, place) for of, rule, place, *_ in listed() if of == name}


def test_at_most_one_in_twenty_is_false() -> None:
    judged = [(row[3], row[4]) for row in listed()]
    assert {verdict for verdict, _ in judged} <= {"true", "false"}
    assert all(why for _, why in judged)
    assert sum(verdict == "false" for verdict, _ in judged) <= FALSE_MAX * len(judged)
