"""Reports end with what was done about them."""

from __future__ import annotations

from sekkei.runtime import days
from sekkei_systems.q.design.models import ReportCategory, ReportStatus, TargetType
from sekkei_systems.q.design.tables import reports
from tests.systems.q.conftest import World


async def reported(world: World) -> dict[str, str]:
    """b reports the account of a and an answer of theirs."""
    day = (await world.ask()).day
    await world.follow(("b", "a"))
    await world.answer("a", "ひどい言葉")
    await world.answer("b")
    targets = ((TargetType.USER, "a"), (TargetType.ANSWER, f"{day}#a"))
    sent = [await world.service.reports.send("b", kind, target, ReportCategory.SPAM) for kind, target in targets]
    world.pass_time()
    return {one.target_type.value: one.report_id for one in sent}


async def statuses(world: World, sent: dict[str, str]) -> dict[str, str]:
    return {kind: (await world.db.need(reports(id).consistent())).status.value for kind, id in sent.items()}


async def test_a_ban_closes_all_reports_and_their_sender_hears_of_it(desk: World) -> None:
    sent = await reported(desk)
    await desk.ban("a", reason="荒らし")
    assert await statuses(desk, sent) == {"user": "resolved", "answer": "resolved"}
    assert [one.notice.said for one in await desk.service.inbox.page("b")] == ["notice.outcome.resolved"] * 2
    desk.pass_time()
    assert await desk.service.queue.show("boss") == []


async def test_a_ban_that_is_only_proposed_closes_none(desk: World) -> None:
    await desk.service.sanctions.verify("boss", "a", True, proved_at=days.now(desk.clock))
    sent = await reported(desk)
    await desk.ban("a", reason="荒らし")
    assert await statuses(desk, sent) == {"user": "pending", "answer": "pending"}
    await desk.join("second")
    await desk.make_admin("second")
    await desk.ban("a", by="second")
    assert await statuses(desk, sent) == {"user": "resolved", "answer": "resolved"}


async def test_a_suspension_leaves_answers_to_be_looked_at(desk: World) -> None:
    sent = await reported(desk)
    await desk.service.sanctions.suspend("boss", "a", 3, "休み", proved_at=days.now(desk.clock))
    assert await statuses(desk, sent) == {"user": "resolved", "answer": "pending"}


async def test_what_somebody_settled_stays_so(desk: World) -> None:
    sent = await reported(desk)
    await desk.service.moderation.settle("boss", sent["user"], ReportStatus.DISMISSED)
    await desk.ban("a", reason="荒らし")
    assert await statuses(desk, sent) == {"user": "dismissed", "answer": "resolved"}
