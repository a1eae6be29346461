"""The world of chiipochi: its promises hold on these seeds."""

from __future__ import annotations

import pytest

from sekkei.worlds import run
from sekkei_systems.chiipochi.world import WORLD


@pytest.mark.parametrize("seed", [2, 15])
def test_every_promise_holds(seed: int) -> None:
    outcome = run(WORLD, seed)
    assert outcome.broken == ""
    assert len(outcome.operations) > 20
