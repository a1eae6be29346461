"""Ten published designs and five of our own: all that is found is in docs/published.md, judged, and nearly all true."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from sekkei.advice.checking import check
from sekkei.advice.findings import Finding
from sekkei.advice.measuring import measure
from sekkei.design import Measurements
from sekkei.design.loading import find, measurements_beside
from tests.advice.test_home import SYSTEMS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "published.md"
PUBLISHED = sorted(path.stem for path in (ROOT / "examples").glob("[!_]*.py"))
FALSE_MAX = 0.05


class Judged(NamedTuple):
    design: str
    rule: str
    place: str
    verdict: str
    why: str


@cache
def listed() -> list[Judged]:
    rows = [line.strip("|\n").split("|") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in row] for row in rows if row[0].strip() in (*PUBLISHED, *SYSTEMS)]
    return [Judged(of, rule, place, *rest) for of, rule, places, *rest in cells for place in places.split("; ")]


async def found_in(name: str) -> list[Finding]:
    if name in SYSTEMS:
        design, home = find(name)
        return check(design, Measurements.load(measurements_beside(home)))
    design = import_module(f"examples.{name}").design
    return check(design, await measure(design))


def test_there_are_ten() -> None:
    assert len(PUBLISHED) == 10
    assert {row.design for row in listed()} == {*PUBLISHED, *SYSTEMS}


@pytest.mark.parametrize("name", [*PUBLISHED, *SYSTEMS])
async def test_every_finding_is_judged(name: str) -> None:
    found = {(each.rule.id, each.place) for each in await found_in(name)}
    said = {(row.rule, row.place) for row in listed() if row.design == name}
    assert found == said, f"docs/published.md: judge {sorted(found - said)}, take {sorted(said - found)} away"


@pytest.mark.parametrize("name", SYSTEMS)
async def test_what_is_accepted_is_said_in_the_same_words(name: str) -> None:
    for each in await found_in(name):
        rows = [row for row in listed() if (row.design, row.rule, row.place) == (name, each.rule.id, each.place)]
        if each.accepted:
            assert f"accepted: {each.accepted.rstrip('.')}".lower() in [row.why.lower() for row in rows]


def test_at_most_one_in_twenty_is_false() -> None:
    assert {row.verdict for row in listed()} <= {"true", "false"}
    assert all(row.why for row in listed())
    for judged in (listed(), [row for row in listed() if row.design in PUBLISHED]):
        assert sum(row.verdict == "false" for row in judged) <= FALSE_MAX * len(judged)


async def test_the_numbers_of_the_page() -> None:
    numbers = re.search(
        r"Of (\d+) findings in published designs (\d+) is false, of (\d+) in our own (\d+): ([\d.]+) % of all\. "
        r"Of the (\d+) that are errors or warnings (\d+) is false",
        PAGE.read_text("utf-8"),
    )
    assert numbers is not None
    published, own = ([row for row in listed() if (row.design in SYSTEMS) is ours] for ours in (False, True))
    false = {(row.design, row.rule, row.place) for row in listed() if row.verdict == "false"}
    grave = {
        (name, each.rule.id, each.place)
        for name in (*PUBLISHED, *SYSTEMS)
        for each in await found_in(name)
        if each.severity != "info"
    }
    counts = [
        len(published),
        sum(row.verdict == "false" for row in published),
        len(own),
        sum(row.verdict == "false" for row in own),
    ]
    assert [int(number) for number in numbers.groups()[:4]] == counts
    assert float(numbers[5]) == round(100 * len(false) / len(listed()), 1)
    assert (int(numbers[6]), int(numbers[7])) == (len(grave), len(grave & false))
