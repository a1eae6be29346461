"""Links out of notices after what they were made for has ended."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.design import newest_messages
from sekkei.web.testing import Client, opened
from sekkei_systems.lessons import SYSTEM
from tests.systems.lessons.conftest import LESSON
from tests.systems.lessons.test_pages import act, add_lesson


@pytest.fixture
async def client(clock: ManualClock) -> AsyncIterator[Client]:
    async with opened(SYSTEM, clock=clock) as found:
        await found.sign_in("demo-aoi")
        await add_lesson(found)
        yield found


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
