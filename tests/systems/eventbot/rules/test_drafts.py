"""Sign-up options as people write them."""

from __future__ import annotations

import pytest

from sekkei_systems.eventbot.design import SignUpOption
from sekkei_systems.eventbot.refusals import BadOption, SameOption, TooManyOptions
from sekkei_systems.eventbot.rules import drafts
from sekkei_systems.eventbot.rules.drafts import Written


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("🛡️ Tank 2", Written("Tank", "🛡️", 2)),
        ("初心者 １０人", Written("初心者", None, 10)),
        ("初心者10名", Written("初心者", None, 10)),
        ("DPS", Written("DPS")),
        ("Tank2", Written("Tank2")),
        ("Player 1 : 4", Written("Player 1", None, 4)),
    ],
)
def test_lines(line: str, found: Written) -> None:
    assert drafts.read_options(line) == [found]
    assert drafts.read_options(drafts.option_line(found)) == [found]


@pytest.mark.parametrize("bad", ["🛡️", "3 人", "x" * 31, "Tank 0", "Tank 1001"])
def test_bad_lines(bad: str) -> None:
    with pytest.raises(BadOption):
        drafts.read_options(f"Healer 2\n{bad}")


def test_names_are_told_apart_and_ten_are_enough() -> None:
    with pytest.raises(SameOption):
        drafts.read_options("Tank\ntank 2")
    with pytest.raises(TooManyOptions):
        drafts.read_options("\n".join(f"区分{chr(65 + at)}" for at in range(11)))
    assert drafts.read_options(" \n\n") == []


def test_a_revision_keeps_people_where_they_are() -> None:
    before = drafts.new_options(drafts.read_options("Tank 2\nHealer 2\nDPS"))
    found = drafts.revised_options(before, drafts.read_options("DPS 6\nTank 1\nBard"))
    assert found.kept == {
        "03": (1, Written("DPS", None, 6)),
        "01": (2, Written("Tank", None, 1)),
        "02": (3, Written("Bard")),
    }
    assert (found.new, found.gone) == ({}, [])
    found = drafts.revised_options(before, drafts.read_options("Tank 2"))
    assert found.gone == ["02", "03"]
    found = drafts.revised_options(before, drafts.read_options("Tank 2\nHealer 2\nDPS\nBard 1"))
    assert found.new == {"04": SignUpOption(name="Bard", capacity=1, position=4)}


def test_the_next_of_a_series_starts_empty() -> None:
    taken = {"01": SignUpOption(name="Tank", capacity=2, position=1, member_count=2, waiting_count=3)}
    assert drafts.emptied_options(taken) == {"01": SignUpOption(name="Tank", capacity=2, position=1)}
    assert drafts.option_lines(taken) == ["Tank 2"]
