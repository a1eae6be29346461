"""The team's world: promises hold on these seeds, and a fault that is put in is found."""

from __future__ import annotations

import pytest

from sekkei.worlds import run
from tests.worlds.tasks import WORLD


@pytest.mark.parametrize("seed", [0, 1, 5, 7, 9, 17, 28])
def test_every_promise_holds(seed: int) -> None:
    """1: an invitation of who left stood without its lock. 9: views of a team that was gone. 17: the next of a task
    that comes again, in the name of who had left. 28: their views."""
    outcome = run(WORLD, seed)
    assert outcome.broken == ""
    assert len(outcome.operations) >= 20
