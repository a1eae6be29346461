"""traffic.toml: what one user does, and sentences for what makes no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei.advice.workload import BadTraffic, Change, beside, load


def written(folder: Path, text: str) -> Path:
    path = folder / "traffic.toml"
    path.write_text(text, "utf-8")
    return path


def test_all_of_it(tmp_path: Path) -> None:
    text = """
user = "somebody"
peak = 4
others = "even"
[journeys]
opens = 6
[keys]
"TEAM#{team_id}" = "zipf:0.5/8"
"t.index {state}" = "one"
[[changes]]
place = "t"
key = "X"
shards = 16
what = "Shard it."
"""
    found = load(written(tmp_path, text))
    assert (found.user, found.peak, found.journeys) == ("somebody", 4.0, {"opens": 6.0})
    assert found.changes == (Change("t", "X", "Shard it.", 16),)
    assert found.popularity("t", "TEAM#{team_id} / COUNTER", "zipf") == "zipf:0.5/8"
    assert found.popularity("t.index", "{state}", "few:3") == "one"
    assert found.popularity("t", "{state}", "few:3") == "few:3"  # the nature of the key, where nothing is said
    assert found.popularity("t", "USER#{id}", "zipf") == "even"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[journeys]\nopens = -1", "is no number of times"),
        ("[journeys]\nopens = true", "is no number of times"),
        ('[keys]\nx = "often"', "is no popularity"),
        ('[keys]\nx = "even/0"', "is no popularity"),
        ("peak = 0.1", "the busiest hour"),
        ("rates = 1", "there is no such thing"),
        ("journeys = 1", "is a table"),
        ('[[changes]]\nplace = "t"', "a change has a place"),
        ("changes = 5", "changes is a list"),
        ("changes = [1]", "is a table"),
        ("peak = nan", "is no number of times"),
        ("[", "traffic.toml"),
    ],
)
def test_what_makes_no_sense_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadTraffic, match=said):
        load(written(tmp_path, text))


def test_where_it_stands(tmp_path: Path) -> None:
    assert beside(tmp_path) == tmp_path / "traffic.toml"
    assert beside(tmp_path / "shop.py") == tmp_path / "shop.traffic.toml"
