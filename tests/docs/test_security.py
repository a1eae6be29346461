"""docs/security.md goes through every line of ASVS level 2, and the tests that it names are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Chapter.section: how many lines, and those of them that level 2 leaves out.
SECTIONS = {
    "1.1": (7, ()), "1.2": (4, ()), "1.4": (5, (2, 3)), "1.5": (4, ()), "1.6": (4, ()), "1.7": (2, ()),
    "1.8": (2, ()), "1.9": (2, ()), "1.10": (1, ()), "1.11": (2, ()), "1.12": (2, (1,)), "1.14": (6, ()),
    "2.1": (12, ()), "2.2": (3, ()), "2.3": (3, ()), "2.4": (6, ()), "2.5": (7, ()), "2.6": (3, ()), "2.7": (6, ()),
    "2.8": (7, ()), "2.9": (3, ()), "2.10": (4, ()),
    "3.1": (1, ()), "3.2": (4, ()), "3.3": (4, ()), "3.4": (5, ()), "3.5": (3, ()), "3.7": (1, ()),
    "4.1": (5, (4,)), "4.2": (2, ()), "4.3": (3, ()),
    "5.1": (5, ()), "5.2": (8, ()), "5.3": (10, ()), "5.4": (3, ()), "5.5": (4, ()),
    "6.1": (3, ()), "6.2": (6, ()), "6.3": (2, ()), "6.4": (2, ()),
    "7.1": (4, ()), "7.2": (2, ()), "7.3": (4, (2,)), "7.4": (3, ()),
    "8.1": (4, ()), "8.2": (3, ()), "8.3": (8, ()), "9.1": (3, ()), "9.2": (4, ()), "10.2": (2, ()), "10.3": (3, ()),
    "11.1": (8, ()), "12.1": (3, ()), "12.2": (1, ()), "12.3": (6, ()), "12.4": (2, ()), "12.5": (2, ()),
    "12.6": (1, ()),
    "13.1": (5, (2,)), "13.2": (6, (4,)), "13.3": (2, ()), "13.4": (2, ()),
    "14.1": (4, ()), "14.2": (6, ()), "14.3": (3, (1,)), "14.4": (7, ()), "14.5": (4, ()),
}  # fmt: skip


def rows() -> list[list[str]]:
    text = (ROOT / "docs" / "security.md").read_text()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return [row for row in cells if re.match(r"\d", row[0])]


def test_every_line_of_level_2_is_there_once() -> None:
    wanted = [
        f"{section}.{number}"
        for section, (count, without) in SECTIONS.items()
        for number in range(1, count + 1)
        if number not in without
    ]
    found = [line for row in rows() for line in row[0].split(", ")]
    assert sorted(found) == sorted(wanted)


def test_every_line_has_a_test_or_a_reason() -> None:
    for ids, state, what, tests in rows():
        assert state in "✓≠○–", ids
        assert what, ids
        assert tests or state != "✓", f"{ids}: what holds has a test"


def test_the_tests_are_there() -> None:
    named = {name for row in rows() for name in re.findall(r"`(tests/[^`]+)`", row[3])}
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []
