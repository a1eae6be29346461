"""What a pattern costs and where it throttles first, on the map of its design."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from examples.online_shop import design
from sekkei.advice import heat
from sekkei.advice.costing import Prices
from sekkei.advice.sample_data import furnished
from sekkei.store.read_only import ReadOnly
from sekkei.web.console import simulations
from sekkei.web.console.target import Looked
from sekkei.web.testing import opened
from sekkei_systems.tasks.system import SYSTEM

MAP = "/console/designs/tasks/map"


async def test_a_pattern_has_its_price_and_its_first_wall() -> None:
    """`default_board` reads 3 units: 0.375 dollars a million in us-east-1; its key has no sort key that splits."""
    async with opened(SYSTEM) as client:
        found = (await client.get(f"{MAP}?pattern=default_board&rate=50/s&users=10k&spread=zipf&lang=en")).text
        assert "$0.38" in found
        assert "$49.28" in found, "50 calls a second are 131.4 million a month"
        assert "task-table-v3.GSI_Status_Start_Sort_Group2: at 9,790 calls a second the hottest key" in found
        assert "prices of 2026-11-01" in found
        tokyo = (await client.get(f"{MAP}?pattern=default_board&rate=50/s&region=ap-northeast-1&lang=en")).text
        assert "$0.43" in tokyo
        half = (await client.get(f"{MAP}?pattern=default_board&rate=0.5/s&lang=en")).text
        assert "$0.49" in half


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("rate=often", "“often” is no rate"),
        ("rate=-1/s", "“-1/s” is no rate"),
        ("rate=1e30/s", "“1e30/s” is no rate"),
        ("rate=nan/s", "“nan/s” is no rate"),
        ("rate=5/s&users=0", "“0” is no number of users"),
        ("rate=5/s&users=%3Cscript%3E", "“&lt;script&gt;” is no number of users"),
        ("rate=5/s&users=1e999", "“1e999” is no number of users"),
    ],
)
async def test_what_was_typed_stays_with_a_sentence(query: str, said: str) -> None:
    async with opened(SYSTEM) as client:
        answer = await client.get(f"{MAP}?pattern=default_board&lang=en&{query}")
        assert answer.status == 422
        assert said in answer.text
        assert "<script>" not in answer.text


async def test_an_unknown_price_and_an_unmeasured_pattern_are_said_to_be_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened(SYSTEM) as client:
        monkeypatch.setattr(Prices, "of", lambda region, path=None: Prices(region, "2026-11-01", "nobody"))
        found = (await client.get(f"{MAP}?pattern=default_board&lang=en")).text
        assert found.count("unknown") >= 3
        assert "$" not in found
    store = ReadOnly(await furnished(design, "dev"))
    looked = Looked(store, {"shop": design}, "dev", ":memory:", alone=True, sources={"shop": "examples/online_shop.py"})
    async with opened(looked=looked) as client:
        found = (await client.get("/console/designs/shop/map?pattern=whole_order&lang=en")).text
        assert "sekkei measure examples/online_shop.py" in found
    await store.close()


async def test_a_simulation_runs_beside_and_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    held, begun, real = threading.Event(), threading.Event(), heat.simulate

    def slow(*given: Any, progress: Any, **named: Any) -> heat.Report:
        progress(720, 3600)
        begun.set()
        assert held.wait(60)
        return real(*given, progress=progress, **named)

    asked = f"{MAP}?pattern=default_board&rate=5k/s&users=10k&spread=zipf&heat=1&lang=en"
    monkeypatch.setattr(simulations, "WAITED_SECONDS", None)
    async with opened(SYSTEM) as client:
        monkeypatch.setattr(heat, "simulate", slow)
        waiting = asyncio.create_task(client.get(asked))
        assert await asyncio.to_thread(begun.wait, 60)
        monkeypatch.setattr(simulations, "WAITED_SECONDS", 0)
        shown = await client.get(asked)
        assert "Minute 12 of 60" in shown.text, "others are answered meanwhile"
        assert dict(shown.headers)["refresh"] == f"3; url={asked}"
        held.set()
        done = await waiting
        assert "refresh" not in dict(done.headers)
        assert "requests a second are asked; at worst" in done.text, "the drawing is described"
        (running,) = client.shell.looked.simulations.found.values()
        assert running.report is not None
        for outcome in running.report.outcomes.values():
            assert outcome.share > 0
            assert f"<td>{outcome.share:.1%}</td>" in done.text


async def test_simulations_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulations, "CPU_SECONDS_MAX", -1.0)
    monkeypatch.setattr(simulations, "WAITED_SECONDS", None)
    async with opened(SYSTEM) as client:
        asked = f"{MAP}?pattern=default_board&heat=1&lang=en"
        assert "Stopped after 0 minutes" in (await client.get(f"{asked}&rate=1M/s")).text
        monkeypatch.setattr(simulations, "WAITING_MAX", 0)
        busy = await client.get(f"{asked}&rate=2M/s")
        assert "Other simulations are running" in busy.text
        assert "refresh" not in dict(busy.headers)
