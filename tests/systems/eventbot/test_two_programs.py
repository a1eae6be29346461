"""Two programs on one store, and one Discord: they count as one, and only one of them draws a message at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

from sekkei.clock import ManualClock
from sekkei.store import Store
from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import GUILD_ID
from sekkei_systems.eventbot.ports.discord.rest import Rest, RestAnswer
from tests.systems.eventbot.conftest import AOI, REN, Bot, bot_on, somebody

PLACES, PEOPLE = 20, 50


class Watch:
    """Every request of both programs, and how many of one edit were under way together."""

    def __init__(self) -> None:
        self.under_way: Counter[str] = Counter()
        self.most = 0
        self.posts = 0

    def over(self, bot: Bot) -> None:
        rest: Rest = bot.client.shell.deployment.systems["eventbot"].parts.transports["discord"].rest  # type: ignore[attr-defined]
        send = rest._send

        async def watched(method: str, path: str, headers: Mapping[str, str], body: bytes) -> RestAnswer:
            self.under_way[path] += 1
            self.most = max(self.most, self.under_way[path] if method == "PATCH" else 0)
            for _ in range(20):
                await asyncio.sleep(0)  # others have every chance to come in between
            answer = await send(method, path, headers, body)
            self.under_way[path] -= 1
            self.posts += method == "POST" and b'"embeds"' in body and answer.status == 200
            return answer

        rest._send = watched


async def test_they_count_and_draw_as_one(plain: Store, clock: ManualClock) -> None:
    async with bot_on(plain, clock) as first, bot_on(plain, clock) as second:
        watch = Watch()
        for bot in (first, second):
            watch.over(bot)
        event = await first.event(capacity=PLACES)
        both: tuple[Any, ...] = (first, second)

        async def join(number: int) -> None:
            bot = both[number % 2]
            await bot.service.joining.join(somebody(number).actor, event.event_id)

        payload = {"guild_id": GUILD_ID, "event_id": event.event_id}
        await asyncio.gather(
            *(join(number) for number in range(PEOPLE)),
            *(bot.client.shell.deployment.systems["eventbot"].parts.scheduled["settle-event"](payload) for bot in both),
        )
        for _ in range(6):
            clock.advance(6)
            await asyncio.gather(first.client.work(), second.client.work())
        views = [await bot.service.events.view(GUILD_ID, event.event_id) for bot in both]
        for view in views:
            assert (view.event.member_count, len(view.members)) == (PLACES, PLACES)
            assert (view.event.waiting_count, len(view.waiting)) == (PEOPLE - PLACES, PEOPLE - PLACES)
        assert (watch.posts, watch.most) == (1, 1)
        [shown] = [body for _, body in await first.posts() if body.get("embeds")]
        assert f"参加 {PLACES}/{PLACES}" in str(shown)
        assert f"補欠 {PEOPLE - PLACES}" in str(shown)


async def told(bot: Bot) -> list[str]:
    return [body["content"].partition("\n")[2].partition("\n")[0] for one, body in await bot.posts() if one.pinged]


async def test_what_discord_says_to_one_holds_for_the_other(plain: Store, clock: ManualClock) -> None:
    """A limit is a row in the store: functions that share nothing else obey it together."""
    async with bot_on(plain, clock) as first, bot_on(plain, clock) as second:
        event = await first.event()
        await first.service.joining.join(REN.actor, event.event_id)
        await first.work()
        host = await first.host(AOI, event.event_id)
        first.local.faults.append(Fault("global", 9, 30.0, on="POST .*/messages"))
        await first.service.hands.tell(host, "一つ目")
        await first.client.work()
        first.local.faults.clear()
        await second.service.hands.tell(host, "二つ目")
        await second.work(20)
        assert await told(first) == [], "the other one waits too"
        await second.work(11)
        await second.work(6)
        assert sorted(await told(first)) == ["一つ目", "二つ目"]
