"""The world of eventbot: seeds that found something once."""

from __future__ import annotations

import pytest

from sekkei.worlds import run
from tests.worlds.eventbot import WORLD


@pytest.mark.parametrize("seed", [22, 156])
def test_what_was_found_once_stays_mended(seed: int) -> None:
    """22: an event of Discord's own, made without an answer, outlived the one that it shows. 156: a
    message outlived what was deleted while Discord was out of order."""
    outcome = run(WORLD, seed)
    assert outcome.broken == ""
    assert len(outcome.operations) > 20
