"""Pushes to browsers, end to end: through the outbox, to a strict push service, to whoever the browser is now with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import time
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.counterparts.served import serve
from sekkei.runtime.counterparts.web_push import PushService, Subscription
from sekkei.runtime.transports.web_push import make_key
from sekkei.store import Store
from sekkei_systems.q import design
from sekkei_systems.q.design.models import DeviceType
from sekkei_systems.q.refusals import BadToken, NoWebPush
from sekkei_systems.q.rules.notices import Wishes
from sekkei_systems.q.service.devices import Browser
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World, open_world

NOON_QUIET = Wishes(question=True, reaction=True, follow=True, digest=True, quiet_from=time(11), quiet_until=time(14))
SETTINGS = {"vapid_private_key": make_key(), "vapid_subject": "mailto:push@example.com"}


@dataclass(frozen=True, slots=True)
class Town:
    world: World
    push: PushService

    async def browser(self, who: str, session: str | None = None, on: Subscription | None = None) -> Subscription:
        devices = self.world.service.devices
        made = on or self.push.subscribe(devices.server_key)
        await devices.register_browser(who, Browser(made.endpoint, made.p256dh, made.auth), session)
        return made

    async def tokens(self) -> list[str]:
        return [one.token for one in await self.world.db.all(design.all_tokens().consistent())]


@pytest.fixture
async def town(plain: Store, clock: ManualClock) -> AsyncIterator[Town]:
    service = PushService(clock)
    async with serve(service) as served:
        service.url = served.url
        yield Town(await open_world(plain, clock, **SETTINGS, push_hosts=served.url.removeprefix("http://")), service)


async def test_a_follow_and_a_question_arrive_and_lead_to_their_page(town: Town) -> None:
    world = town.world
    await world.join("a", "b")
    phone = await town.browser("b")
    await world.follow(("a", "b"))
    await world.settle()
    (told,) = phone.received
    assert told == {
        "for": "b", "title": "Q.", "body": "Aさんにフォローされました", "url": "/q/#/people", "tag": "followers"
    }  # fmt: skip
    day = (await world.ask("好きな季節は？")).day.isoformat()
    await world.opened.context.jobs.start("push", {"day": day}, id=f"push/{day}")
    await world.settle()
    assert [(one["body"], one["url"]) for one in phone.received[1:]] == [("好きな季節は？", "/q/")]


async def test_toggles_and_quiet_hours_do_what_they_say(town: Town) -> None:
    world = town.world
    await world.join("a", "b", "c")
    quiet, deaf = await town.browser("b"), await town.browser("c")
    await world.service.notices.wish("b", NOON_QUIET)
    await world.service.notices.wish("c", Wishes(False, False, False, False, None, None))
    await world.follow(("a", "b"), ("a", "c"))
    await world.settle()
    assert (quiet.received, deaf.received) == ([], [])
    world.clock.advance(3 * 3600)
    await world.settle()
    assert ([one["for"] for one in quiet.received], deaf.received) == (["b"], [])


async def test_a_browser_that_is_gone_is_forgotten_without_an_alarm(town: Town) -> None:
    world = town.world
    await world.join("a", "b")
    phone = await town.browser("b")
    town.push.unsubscribe(phone)
    await world.follow(("a", "b"))
    await world.settle()
    assert await town.tokens() == []


async def test_a_device_that_changed_hands_gets_nothing_of_the_last_one(town: Town) -> None:
    world = town.world
    await world.join("a", "b", "c")
    phone = await town.browser("b")
    await world.service.notices.wish("b", NOON_QUIET)
    await world.follow(("a", "b"))
    await world.settle()  # it waits for the end of the quiet hours
    await town.browser("c", on=phone)
    world.clock.advance(3 * 3600)
    await world.settle()
    assert phone.received == []
    await world.follow(("a", "c"))
    await world.settle()
    assert [one["for"] for one in phone.received] == ["c"]


@pytest.mark.parametrize("how", ["everywhere", "ban"])
async def test_after_signing_out_nothing_arrives_there(town: Town, how: str) -> None:
    world = town.world
    await world.join("a", "b", "boss")
    await world.make_admin("boss")
    accounts = world.service.accounts
    account = await accounts.create("b@example.com", "B", id="b")
    await accounts.begin_session(account, "browser")
    (session,) = await accounts.sessions("b")
    phone = await town.browser("b", session.hash)
    await world.follow(("a", "b"))
    await world.settle()
    assert len(phone.received) == 1
    if how == "everywhere":
        await accounts.end_all_sessions("b")
        await world.service.graph.unfollow("a", "b")
        await world.follow(("a", "b"), ("boss", "b"))
    else:
        await world.ban("b")
    await world.settle()
    assert len(phone.received) == 1
    assert await town.tokens() == []


async def test_subscriptions_of_another_key_are_dropped(town: Town, plain: Store, clock: ManualClock) -> None:
    await town.world.join("a", "b")
    phone = await town.browser("b")
    renewed = await open_world(plain, clock, **{**SETTINGS, "vapid_private_key": make_key()})
    await renewed.follow(("a", "b"))
    await renewed.settle()
    assert (phone.received, await town.tokens()) == ([], [])


@pytest.mark.parametrize(
    "wrong", [{"endpoint": "https://169.254.169.254/x"}, {"endpoint": "ftp://x"}, {"p256dh": "AAAA"}, {"auth": "AAAA"}]
)
async def test_only_subscriptions_of_push_services_are_taken(town: Town, wrong: dict[str, Any]) -> None:
    await town.world.join("a")
    made = town.push.subscribe(town.world.service.devices.server_key)
    given = {"endpoint": made.endpoint, "p256dh": made.p256dh, "auth": made.auth, **wrong}
    with pytest.raises(BadToken):
        await town.world.service.devices.register_browser("a", Browser(**given), None)
    with pytest.raises(BadToken):
        await town.world.service.devices.register("a", made.endpoint, DeviceType.WEB)


async def test_without_a_key_there_is_none_and_half_of_it_does_not_start(plain: Store, clock: ManualClock) -> None:
    world = await open_world(plain, clock)
    await world.join("a")
    assert world.service.devices.server_key is None
    with pytest.raises(NoWebPush):
        await world.service.devices.register_browser("a", Browser("https://fcm.googleapis.com/x", "x", "y"), None)
    for missing in ("vapid_private_key", "vapid_subject"):
        with pytest.raises(ValueError, match=f"SEKKEI_{missing.upper()} is missing"):
            await open_world(plain, clock, **{**SETTINGS, missing: ""})
    with pytest.raises(ValueError, match="not a key"):
        await open_world(plain, clock, **{**SETTINGS, "vapid_private_key": "abc"})


async def test_the_text_is_in_the_readers_language(town: Town) -> None:
    await town.world.join("a", "b")
    await town.world.service.people.change("b", Profile(language="en"))
    phone = await town.browser("b")
    await town.world.follow(("a", "b"))
    await town.world.settle()
    assert [one["body"] for one in phone.received] == ["A followed you"]
