"""Sums that a card can offer, and whose words are said."""

from __future__ import annotations

import pytest

from sekkei_systems.chiipochi.design.models_appeals import Wording
from sekkei_systems.chiipochi.rules.conversation import AMOUNTS
from sekkei_systems.chiipochi.rules.wording import Words, are_sums


@pytest.mark.parametrize(("given", "can"), [([], True), ([100, 50_000], True), ([99], False), ([300, 100], False)])
def test_sums_go_from_small_to_large(given: list[int], can: bool) -> None:
    assert are_sums(given) is can


def test_ours_stand_where_nothing_was_changed() -> None:
    words = Words({"help": Wording(name="help", ja="x"), "amounts": Wording(name="amounts")})
    assert (words.of("help", "ja"), words.of("help", "en"), words.of("welcome", "ja")) == ("x", "", "")
    assert words.amounts == AMOUNTS
