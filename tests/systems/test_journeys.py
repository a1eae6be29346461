"""What users do costs what docs/scale.md says it costs."""

from __future__ import annotations

from importlib import import_module

import pytest

from sekkei.advice import metering
from sekkei.design.loading import find
from sekkei_fakes.discord import client
from sekkei_systems.chiipochi import webhooks
from sekkei_systems.eventbot.service import desk
from sekkei_systems.eventbot.webhooks import desk as interaction_desk

SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")
TOLERANCE = 0.1
"""What a page says in two digits, about assumptions, need not be renewed for every unit."""
UNITS = 1.0


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine answers late; what is measured is not that."""
    monkeypatch.setattr(webhooks, "ANSWER_SECONDS", 300.0)
    monkeypatch.setattr(client, "DEADLINE_SECONDS", 300.0)
    monkeypatch.setattr(interaction_desk, "ANSWER_SECONDS", 300.0)
    monkeypatch.setattr(desk, "PATIENCE_SECONDS", 300.0)


@pytest.mark.parametrize("system", SYSTEMS)
async def test_journeys_cost_what_is_written_down(system: str) -> None:
    written = metering.load(metering.beside(find(system)[1]))
    found = await import_module(f"sekkei_systems.{system}.journeys").JOURNEYS.run()
    assert list(found) == list(written)
    others = {
        name: f"{before.read:g} + {before.write:g} units before, {now.read:g} + {now.write:g} now"
        for name, before in written.items()
        if not _alike(before.read, (now := found[name]).read) or not _alike(before.write, now.write)
    }
    assert others == {}, "Run `make renew WHAT='journeys docs'`; say why in the commit if it grew."


def _alike(before: float, now: float) -> bool:
    return abs(now - before) <= max(UNITS, before * TOLERANCE)
