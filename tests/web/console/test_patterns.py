"""Running a pattern in the console."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.design import Design, Measurements
from sekkei.design.measured import Units
from sekkei.store import Embedded
from sekkei.store.read_only import ReadOnly
from sekkei.web.console import target
from sekkei.web.testing import opened
from sekkei_systems.tasks.system import SYSTEM


async def test_a_pattern_is_run_with_what_was_typed() -> None:
    async with opened(SYSTEM, demo=True) as client:
        await client.sign_in("demo-aoi")
        listed = await client.get("/console/patterns")
        assert "members_of" in listed.text
        teams = (await client.json("GET", "/tasks/api/teams")).json()["items"]
        found = await client.get(f"/console/patterns/tasks/members_of?go=1&team_id={teams[0]['id']}")
        assert found.status == 200
        assert "demo-ren" in found.text
        assert "aws dynamodb query" in found.text
        assert "read units" in (await client.get("/console/patterns/tasks/members_of?go=1&team_id=x&lang=en")).text


async def test_what_does_not_fit_is_said_beside_its_field() -> None:
    async with opened(SYSTEM, demo=True) as client:
        await client.sign_in("demo-aoi")
        wrong = await client.get("/console/patterns/tasks/late_to_start?go=1&team_id=t&today=tomorrow")
        assert wrong.status == 422
        assert "「tomorrow」は日付ではありません" in wrong.text
        english = await client.get("/console/patterns/tasks/late_to_start?go=1&team_id=t&today=tomorrow&lang=en")
        assert "“tomorrow” is not a date" in english.text
        forged = await client.get("/console/patterns/tasks/members_of?go=1&team_id=t&after=forged&lang=ja")
        assert forged.status == 422
        assert "SK4" not in forged.text
        assert (await client.get("/console/patterns/tasks/nothing")).status == 404
        assert (await client.get("/console/patterns/nothing/members_of")).status == 404


async def test_patterns_that_write_are_shown_and_not_run() -> None:
    from sekkei_systems.chiipochi.system import SYSTEM as CHIIPOCHI

    async with opened(CHIIPOCHI) as client:
        await client.sign_in("demo-aoi")
        page = await client.get("/console/patterns/chiipochi/settle?go=1&lang=en")
        assert page.status == 200
        assert "is not run here" in page.text


def test_advice_is_asked_once_and_again_after_a_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    costs = {"reads": Units(1.0, 0.0, 1)}

    def check(design: Design, measured: Measurements) -> list[Any]:
        asked.append(measured.units["reads"].read)
        return []

    monkeypatch.setattr(target, "check", check)
    seen = target.Looked(ReadOnly(Embedded()), {"shop": Design("shop")}, "dev", ":memory:")
    for _ in range(2):
        assert seen.findings("shop", Measurements(costs)) == []
    assert asked == [1.0]
    costs["reads"] = Units(2.0, 0.0, 1)
    assert seen.findings("shop", Measurements(costs)) == []
    assert asked == [1.0, 2.0]
