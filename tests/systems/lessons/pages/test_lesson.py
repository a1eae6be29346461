from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.design import newest_messages
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


async def test_full_lesson_waitlist_opening_notice_one_tap_booked(client: Client) -> None:
    assert "BSL House 1" in (await client.get("/lessons/?studio=gnz&date=2025-07-30")).text
    assert "予約しました" in await act(client, "book")
    mei = client.another()
    await mei.sign_in("demo-mei")
    assert "満席です" in await act(mei, "book")
    assert "待ち順 1 番目" in await act(mei, "wait")
    assert "予約を取り消しました" in await act(client, "cancel")
    await client.work()
    (message,) = await client.shell.deployment.runtime.all(newest_messages())
    assert message.to == "mei@demo.example"
    link = urlsplit(re.search(r"https?://\S+/lessons/offers/\S+", message.body["text"])[0]).path  # type: ignore[index]
    stranger = client.another()
    offer = await stranger.get(link)
    assert "下のボタン" in offer.text, "looking books nothing"
    assert "予約が確定しました" in (await stranger.post(link, {}, follow=True)).text
    assert "BSL House 1" in (await mei.get("/lessons/mine")).text
    given_back = await stranger.post(f"{link}/cancel", {}, follow=True)
    assert "予約を取り消しました" in given_back.text
    assert "登録は終わっています" in given_back.text
    assert "下のボタン" not in given_back.text
    assert (await stranger.post(link, {})).status == 410, "what was ended is not begun again by an old link"


async def test_links_in_notices_end_and_can_be_made_void(client: Client, clock: ManualClock) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    await act(client, "book")
    await act(mei, "wait")
    await act(client, "cancel")
    await client.work()
    (message,) = await client.shell.deployment.runtime.all(newest_messages())
    link = urlsplit(re.search(r"https?://\S+/lessons/offers/\S+", message.body["text"])[0]).path  # type: ignore[index]
    assert (await client.another().get(link)).status == 200
    clock.advance(2)
    await mei.post("/lessons/settings/links")
    assert (await client.another().get(link)).status == 410
    assert (await client.another().post(link, {})).status == 410
    clock.set(LESSON.starts_at.timestamp())
    assert (await client.another().get(link)).status == 410


@pytest.mark.parametrize(
    "path", ["/lessons/offers/x", "/lessons/offers/" + "A" * 60, "/lessons/api/me/calendar.ics?token=AAAA"]
)
async def test_forged_links_open_nothing(client: Client, path: str) -> None:
    assert (await client.another().get(path)).status == 404


async def test_the_link_of_a_waitlist_that_was_left_gives_no_later_booking_back(client: Client) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    await act(client, "book")
    await act(mei, "wait")
    await act(client, "cancel")
    await client.work()
    (message,) = await client.shell.deployment.runtime.all(newest_messages())
    address = next(word for word in message.body["text"].split() if "/lessons/offers/" in word)
    link = urlsplit(address).path
    assert "予約しました" in await act(mei, "book")
    assert "予約を取り消しました" in await act(mei, "cancel"), "with it the waitlist entry has ended, and its link"
    assert "予約しました" in await act(mei, "book"), "a booking of its own, which the link knows nothing of"
    stranger = client.another()
    assert (await stranger.post(f"{link}/cancel", {})).status == 410
    assert "予約が確定しました" not in (await stranger.get(link)).text
    assert "予約を取り消す" in (await mei.get(f"/lessons/lessons/{LESSON}")).text, "it is still booked"
