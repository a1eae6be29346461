"""The map of prefectures."""

from __future__ import annotations

from sekkei_systems.chiipochi.pages.view import tiles
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES
from sekkei_systems.chiipochi.service.reports import Sum


def test_the_more_a_prefecture_was_given_the_warmer_it_is() -> None:
    found = {tile.prefecture.code: tile for tile in tiles({"CHIBA": Sum(400, 2), "OSAKA": Sum(100, 1)})}
    assert len(found) == 47
    assert (found["CHIBA"].heat, found["OSAKA"].heat, found["NARA"].heat) == (1.0, 0.5, 0.0)
    assert found["CHIBA"].words == "¥400 ×2"


def test_no_two_labels_on_the_map_are_the_same() -> None:
    for language in ("ja", "en"):
        labels = [tile.label(language) for tile in tiles({})]
        assert len(set(labels)) == len(PREFECTURES)
