"""What was decided: words for the person, and nothing for others."""

from __future__ import annotations

import pytest

from sekkei_systems.q.refusals import BadText, NoSuchThing, WrongState
from tests.systems.q.conftest import World


async def test_everybody_sees_their_own_decisions_alone(desk: World) -> None:
    await desk.service.sanctions.warn("boss", "a", "やめましょう")
    (made,) = await desk.service.decisions.mine("a")
    assert await desk.service.decisions.mine("b") == []
    with pytest.raises(NoSuchThing):
        await desk.service.decisions.appeal("b", made.decision_id, "ちがう")
    with pytest.raises(BadText):
        await desk.service.decisions.appeal("a", made.decision_id, "あ" * 501)


async def test_what_is_over_cannot_be_appealed(desk: World) -> None:
    await desk.ban("a", reason="x")
    (made,) = await desk.service.decisions.mine("a")
    await desk.unban("a")
    with pytest.raises(WrongState):
        await desk.service.decisions.appeal("a", made.decision_id, "ちがう")
