"""Seeds that nobody has run yet; 20,000 of them for a release, in parts (`tests/torture/amounts.py`)."""

from __future__ import annotations

import pytest

from sekkei.worlds import many
from tests.torture.amounts import WORLD_SEEDS, seed
from tests.worlds.test_seeds import FIXED, world

FIRST = seed(10_000)


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", sorted(FIXED))
def test_every_promise_holds_on_many_seeds(name: str) -> None:
    broken = {each.seed: each.broken for each in many(world(name), FIRST, WORLD_SEEDS) if each.broken}
    assert broken == {}, f"told by: sekkei world {name} --seed {min(broken, default=0)} --trace"
