"""Our own designs: nothing that `sekkei check` finds is without a reason."""

from __future__ import annotations

import pytest

from sekkei.advice.checking import check, is_clean
from sekkei.design import Measurements
from sekkei.design.loading import find, measurements_beside

SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_finding_has_a_reason(system: str) -> None:
    design, home = find(system)
    found = check(design, Measurements.load(measurements_beside(home)))
    assert is_clean(found), [(each.rule.id, each.place, each.text) for each in found if not each.accepted]
