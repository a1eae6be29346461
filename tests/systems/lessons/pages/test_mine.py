"""My list and my history."""

from __future__ import annotations

from datetime import timedelta

from sekkei.clock import ManualClock
from sekkei.web.testing import Client
from sekkei_systems.lessons.design import lessons
from tests.systems.lessons.steps import act
from tests.systems.lessons.world import LESSON


async def test_my_list_by_kind_with_my_place_in_the_queue(client: Client) -> None:
    await act(client, "book")
    mei = client.another()
    await mei.sign_in("demo-mei")
    await act(mei, "wait")
    await act(mei, "favorite")
    everything = (await mei.get("/lessons/mine")).text
    assert everything.count("BSL House 1") == 2
    assert "1 番目" in everything
    assert (await mei.get("/lessons/mine?type=favorite")).text.count("BSL House 1") == 1
    assert "まだ何もありません" in (await mei.get("/lessons/mine?type=booking")).text
    assert (await mei.get("/lessons/mine?type=nonsense")).status == 200


async def test_what_was_booked_is_history_after_the_lesson(client: Client, clock: ManualClock) -> None:
    await act(client, "book")
    assert "まだ履歴がありません" in (await client.get("/lessons/history")).text
    clock.set((LESSON.starts_at + timedelta(hours=1)).timestamp())
    await client.shell.deployment.systems["lessons"].parts.scheduled["expire"]({})
    assert "BSL House 1" in (await client.get("/lessons/history")).text
    assert "BSL House 1" not in (await client.get("/lessons/mine")).text


async def test_a_lesson_that_is_gone_from_the_timetable_can_be_left(client: Client) -> None:
    await act(client, "book")
    mei = client.another()
    await mei.sign_in("demo-mei")
    await act(mei, "wait")
    db = client.shell.deployment.systems["lessons"].context.db
    await db.write(lessons.delete(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time))
    assert "時間割にありません" in (await mei.get("/lessons/mine")).text
    left = await mei.post(f"/lessons/act/leave/{LESSON}?back=mine", {}, follow=True)
    assert "キャンセル待ちをやめました" in left.text
    assert "まだ何もありません" in left.text
