"""The world of chiipochi: seeds that found something once."""

from __future__ import annotations

import pytest

from sekkei.worlds import run
from tests.worlds.chiipochi import WORLD


@pytest.mark.parametrize("seed", [15, 22, 27, 31, 41])
def test_what_was_found_once_stays_mended(seed: int) -> None:
    """15: a repair counted what the stream had yet to tell of. 22: a process whose clock was behind took a yes for one
    from before its question. 27: a payment was settled while its donor was being forgotten. 31: a stream forgot a
    donation while everything was down for more than a day, 41: a refund, and its receipt stayed."""
    outcome = run(WORLD, seed)
    assert outcome.broken == ""
    assert len(outcome.operations) > 20
