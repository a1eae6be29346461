from __future__ import annotations

import pytest

from sekkei.web.testing import Client
from tests.systems.lessons.steps import act
from tests.systems.lessons.world import LESSON


@pytest.mark.parametrize(
    "path", ["/lessons/lessons/gnz/2025-07-30/9:5", "/lessons/lessons/g%23z/2025-07-30/19:30", "/lessons/lessons/x"]
)
async def test_bad_slots_get_a_clear_answer(client: Client, path: str) -> None:
    answer = await client.get(path)
    assert answer.status == 422
    assert "09:30" in answer.text


async def test_who_waits_chooses_to_be_booked_or_to_pause(client: Client) -> None:
    await act(client, "book")
    mei = client.another()
    await mei.sign_in("demo-mei")
    assert "待ち方" in await act(mei, "wait")
    wish = f"/lessons/waiting/{LESSON}"
    page = (await mei.post(wish, {"book_hours": "6", "paused_until": ""}, follow=True)).text
    assert "待ち方を保存しました。" in page
    assert "7/30 13:30 までに席が空いたら、自動で予約します。" in page
    paused = (await mei.post(wish, {"book_hours": "6", "paused_until": "2025-07-30"}, follow=True)).text
    assert "7/30 00:00 までお知らせを休んでいます。" in paused
    refused = (await mei.post(wish, {"paused_until": "2025-07-29"}, follow=True)).text
    assert "明日からレッスンの日までの日付を選んでください。" in refused
    assert "登録していません" in (await client.post(wish, {}, follow=True)).text
