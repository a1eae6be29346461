"""A store of an earlier version: bans, reports and deleted answers, brought under the rules of today."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Answer, Report, ReportCategory, TargetType, User
from sekkei_systems.q.design.tables import answers, reports, users
from sekkei_systems.q.design.tables_added import decisions, reports_concerning
from sekkei_systems.q.jobs.earlier import EARLIER, USERS_PER_STEP
from tests.systems.q.conftest import World


async def earlier(world: World) -> None:
    """As it was stored then: a ban without a decision and without marks, reports by nothing but their target, words
    that were only hidden."""
    await world.join("boss", "a", "b", "c")
    await world.make_admin("boss")
    await world.follow(("a", "b"), ("b", "a"))
    day = (await world.ask()).day
    for name in ("a", "b", "c"):
        await world.answer(name, f"words of {name}")
    now = days.now(world.clock)
    gone = answers.update(day, "b").set(Answer.is_deleted, True).set(Answer.deleted_at, now - timedelta(days=1))
    await world.db.write(gone)
    taken = answers.update(day, "c").set(Answer.is_deleted, True).set(Answer.deleted_by_admin, True)
    await world.db.write(taken.set(Answer.deleted_at, now - timedelta(days=1)))
    await world.db.write(users.update("a").set(User.is_banned, True).set(User.updated_at, now))
    for number, target in enumerate(("a", f"{day}#a", "withdrawn-x")):
        kind = TargetType.ANSWER if "#" in target else TargetType.USER
        made = Report(
            report_id=f"report-{number}",
            reporter_id="b",
            target_type=kind,
            target_id=target,
            category=ReportCategory.SPAM,
            created_at=now,
        )
        await world.db.write(reports.create(made))
    world.pass_time()


async def is_up_to_date(world: World) -> None:
    world.pass_time()
    (ban,) = await world.db.all(decisions.scan().consistent())
    assert (ban.user_id, ban.kind.value, ban.state.value) == ("a", "ban", "in-force")
    b = await world.user("b")
    assert (b.following_count, b.follower_count) == (0, 0)  # who is banned stands in no counter
    about = await world.db.all(reports_concerning.scan().consistent())
    assert sorted((one.user_id, one.report_id) for one in about) == [("a", "report-0"), ("a", "report-1")]
    texts = {one.user_id: one.text for one in await world.db.all(answers.scan().consistent())}
    assert texts == {"a": "words of a", "b": "", "c": "words of c"}


async def test_an_old_store_is_brought_up_to_date_once(world: World) -> None:
    await earlier(world)
    await world.opened.context.jobs.start(EARLIER, {}, id="q/test")
    await world.settle()
    await is_up_to_date(world)
    world.clock.advance(31 * 24 * 3600)  # nobody can appeal any more
    await world.settle()
    assert {one.text for one in await world.db.all(answers.scan().consistent())} == {"words of a", ""}
    assert EARLIER in world.opened.parts.once


async def test_cut_off_anywhere_it_goes_on(fair: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step is done twice, as after a worker that died before it wrote down how far it was."""
    await earlier(fair)
    monkeypatch.setattr("sekkei_systems.q.jobs.earlier.USERS_PER_STEP", 1)
    monkeypatch.setattr("sekkei_systems.q.jobs.earlier.REPORTS_PER_STEP", 1)
    for _, step in fair.opened.parts.jobs[EARLIER].steps:
        cursor: str | None = None
        while True:
            first: Any = await step({}, cursor)
            assert (await step({}, cursor)).done == first.done
            cursor = first.cursor
            if cursor is None:
                break
    await is_up_to_date(fair)
    assert USERS_PER_STEP > 1


async def test_whoever_was_let_in_again_is_not_banned_anew(fair: World) -> None:
    await earlier(fair)
    steps = dict(fair.opened.parts.jobs[EARLIER].steps)
    await steps["people"]({}, None)
    await fair.unban("a")
    await steps["people"]({}, None)
    (ban,) = await fair.db.all(design.decisions_about("a").consistent())
    assert ban.state.value == "ended"
