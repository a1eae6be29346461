"""All that waits: every kind, oldest first, reports about one person as one matter."""

from __future__ import annotations

from sekkei_systems.q.design.models import ReportCategory, TargetType
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World, counted, png


async def test_every_kind_oldest_first_in_few_calls(desk: World) -> None:
    await desk.join("c")
    day = (await desk.ask()).day
    await desk.service.moderation.add_word("boss", "バカ")
    await desk.follow(("b", "a"), ("c", "a"))
    await desk.answer("a", "バカ")
    for text in ("c", "b"):
        desk.clock.advance(60)
        await desk.service.reports.send(text, TargetType.USER, "a", ReportCategory.SPAM)
    await desk.answer("b", "秋")
    desk.clock.advance(60)
    await desk.follow(("c", "b"))
    await desk.service.reports.send("c", TargetType.ANSWER, f"{day}#b", ReportCategory.SPAM)
    desk.clock.advance(60)
    await desk.service.people.change("c", Profile(bio="バカ"))
    desk.clock.advance(60)
    await desk.service.people.set_picture("c", png())
    await desk.service.sanctions.warn("boss", "b", "x")
    (made,) = await desk.service.decisions.mine("b")
    desk.clock.advance(60)
    await desk.service.decisions.appeal("b", made.decision_id, "ちがう")
    desk.pass_time()
    by = await desk.proven.access.admin("boss")
    with counted(desk) as calls:
        found = await desk.proven.queue.show(by)
    assert [(one.kind, one.user_id, one.count) for one in found] == [
        ("answer", "a", 1),
        ("reports", "a", 2),
        ("reports", "b", 1),
        ("bio", "c", 1),
        ("picture", "c", 1),
        ("appeal", "b", 1),
    ]
    assert [one.text for one in found] == ["バカ", "A", "秋", "バカ", "", "ちがう"]
    assert len(calls) <= 8, calls  # in bad weather some are asked again
