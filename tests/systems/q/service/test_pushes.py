"""Pushes to browsers and phones: by the outbox, to the person who has the device; each is counted once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import time
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import replace
from sekkei.runtime.delivery import ATTEMPTS_MAX
from sekkei.runtime.design import Message, State, messages
from sekkei.runtime.outbox import Outbox, TryAgain, Undeliverable
from sekkei.runtime.transports.expo import DeviceGone
from sekkei.runtime.transports.web_push import make_key
from sekkei.store import Store
from sekkei.web.identity.app_sessions import AppSessions, BadRefresh
from sekkei.web.identity.design import design as web_design
from sekkei_fakes.expo import PATH, ExpoCounterpart, Phone
from sekkei_fakes.served import serve
from sekkei_fakes.web_push import PushService, Subscription
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import DeviceType
from sekkei_systems.q.refusals import BadToken, NoWebPush
from sekkei_systems.q.rules.notices import GONE, NOT_THEIRS, Wishes
from sekkei_systems.q.service.notices import Browser
from sekkei_systems.q.service.people import Profile
from sekkei_systems.q.service.pushes import CountedPush
from tests.systems.q.conftest import World, open_world

NOON_QUIET = Wishes(question=True, reaction=True, follow=True, digest=True, quiet_from=time(11), quiet_until=time(14))
PHONE = "ExponentPushToken[phone]"
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
        await world.service.following.unfollow("a", "b")
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


# Phones


@dataclass(frozen=True, slots=True)
class Phones:
    world: World
    expo: ExpoCounterpart
    phone: Phone

    async def register(self, who: str, sign_in: str | None = None) -> None:
        await self.world.service.devices.register(who, PHONE, DeviceType.IOS, sign_in)

    @property
    def apps(self) -> AppSessions:
        context = self.world.opened.context
        web = web_design.open(context.store, env=context.settings.env, clock=context.clock)
        return AppSessions(web, context.clock, context.settings, self.world.proven.accounts)

    async def sign_in(self, who: str) -> str:
        """An app on the phone; gives its access token."""
        account = await self.world.service.accounts.create(f"{who}@example.com", who.upper(), id=who)
        access = (await self.apps.begin(account, "q")).access
        await self.register(who, (await self.apps.user(access)).sign_in)
        return access

    async def after_the_quiet_hours(self) -> list[str]:
        await self.world.settle()
        self.world.clock.advance(3 * 3600)
        await self.world.settle()
        return [one["body"] for one in self.phone.shown]

    async def tokens(self) -> list[str]:
        return [one.user_id for one in await self.world.db.all(design.all_tokens().consistent())]


@pytest.fixture
async def phones(plain: Store, clock: ManualClock) -> AsyncIterator[Phones]:
    """Whoever is told something waits for it until two."""
    expo = ExpoCounterpart(clock)
    async with serve(expo) as served:
        world = await open_world(plain, clock, expo_url=served.url + PATH)
        await world.join("a", "b", "c", "boss")
        await world.make_admin("boss")
        for who in ("b", "c"):
            await world.service.notices.wish(who, NOON_QUIET)
        yield Phones(world, expo, expo.install(PHONE))


async def test_a_phone_is_told_while_its_sign_in_lasts(phones: Phones) -> None:
    await phones.sign_in("b")
    await phones.world.follow(("a", "b"))
    assert await phones.after_the_quiet_hours() == ["Aさんにフォローされました"]
    assert await phones.tokens() == ["b"]


async def test_a_phone_that_was_registered_before_sign_ins_were_kept_is_told(phones: Phones) -> None:
    await phones.register("b")
    await phones.world.follow(("a", "b"))
    assert len(await phones.after_the_quiet_hours()) == 1


@pytest.mark.parametrize("how", ["out", "everywhere", "ban", "refresh", "expired", "token"])
async def test_a_phone_whose_sign_in_is_over_is_told_nothing(phones: Phones, how: str) -> None:
    """Signed out there or from afar, banned, the refresh token copied, or not opened for two months."""
    world, accounts = phones.world, phones.world.service.accounts
    access = await phones.sign_in("b")
    await world.follow(("a", "b"))
    await world.settle()
    if how == "out":
        await phones.apps.end_of(access)
    elif how == "everywhere":
        await accounts.end_all_sessions("b")
    elif how == "ban":
        await world.ban("b")
    elif how == "refresh":
        with pytest.raises(BadRefresh):
            await phones.apps.refresh(f"b.{(await phones.apps.of('b'))[0].id}.{'x' * 43}")
    elif how == "expired":
        world.clock.advance(61 * 24 * 3600)
    else:
        user = await accounts.by_token(await accounts.make_token("b", "script"))
        await phones.register("b", user.sign_in)
        (held,) = await accounts.tokens("b")
        await accounts.delete_token("b", held.hash)
    assert await phones.after_the_quiet_hours() == []
    assert await phones.tokens() == []


async def test_a_phone_that_changed_hands_is_told_nothing_of_the_last_one(phones: Phones) -> None:
    """What was on its way when the other one signed in goes nowhere either."""
    world = phones.world
    await phones.sign_in("b")
    await world.follow(("c", "b"))
    await world.settle()
    (waiting,) = await world.push_messages()
    await phones.sign_in("c")
    await world.deployment.runtime.write(messages.put(waiting))
    assert await phones.after_the_quiet_hours() == []
    assert await phones.tokens() == ["c"]


@pytest.mark.parametrize("how", ["block", "blocked", "mute", "ban", "leave", "leaves", "unwanted"])
async def test_what_waited_is_not_told_when_they_have_parted(phones: Phones, how: str) -> None:
    world, following = phones.world, phones.world.service.following
    await phones.sign_in("b")
    await world.follow(("a", "b"))
    await world.settle()
    if how == "block":
        await following.block("b", "a")
    elif how == "blocked":
        await following.block("a", "b")
    elif how == "mute":
        await following.mute("b", "a")
    elif how == "ban":
        await world.ban("a")
    elif how == "unwanted":
        await world.service.notices.wish("b", Wishes(True, True, False, True, time(11), time(14)))
    else:
        await world.service.leaving.ask("b" if how == "leave" else "a")
    assert await phones.after_the_quiet_hours() == []


async def test_a_phone_without_the_app_is_forgotten_without_an_alarm(phones: Phones) -> None:
    await phones.sign_in("b")
    phones.phone.has_app, phones.phone.known_gone = False, True
    await phones.world.follow(("a", "b"))
    assert await phones.after_the_quiet_hours() == []
    assert await phones.tokens() == []
    (gone,) = await phones.world.push_messages()
    assert (gone.state, gone.receipt) == (State.SENT, GONE)


async def test_what_other_systems_push_passes(phones: Phones) -> None:
    outbox = Outbox(phones.world.deployment.runtime, phones.world.clock, "lessons")
    await outbox.put("push", PHONE, {"body": "レッスン"}, id="x")
    assert await phones.after_the_quiet_hours() == ["レッスン"]


# Counting


class Out:
    at_once = 7
    gives: str | Exception = "ticket"

    async def send(self, message: Message) -> str:
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives


async def sent(world: World, out: Out, gives: str | Exception, id: str, system: str = "q", attempts: int = 1) -> None:
    message = world.opened.context.outbox.message("push", "ExponentPushToken[x]", {}, id=id).instance
    out.gives = gives
    counting = CountedPush(out, world.proven.numbers)
    assert counting.at_once == 7
    with nullcontext() if isinstance(gives, str) else pytest.raises(type(gives)):
        await counting.send(replace(message, system=system, attempts=attempts))


async def outcomes(world: World) -> tuple[int, int, int]:
    today = days.today(world.clock)
    (found,) = await world.db.all(design.numbers_of_days(today, today)) or [design.DayNumbers(day=today)]
    return found.sent, found.failed, found.gone


async def test_sent_failed_and_gone(fair: World) -> None:
    out = Out()
    await sent(fair, out, "ticket", "1")
    await sent(fair, out, "ticket", "1")  # the word of it was lost, and it went out again
    await sent(fair, out, Undeliverable("MessageTooBig"), "2")
    await sent(fair, out, DeviceGone("DeviceNotRegistered"), "3")
    await sent(fair, out, GONE, "4")
    await sent(fair, out, NOT_THEIRS, "5")
    await sent(fair, out, TryAgain(1, "later"), "6")
    await sent(fair, out, ConnectionError("no answer"), "7")
    await sent(fair, out, ConnectionError("no answer"), "8", attempts=ATTEMPTS_MAX)
    await sent(fair, out, "ticket", "9", system="lessons")
    assert await outcomes(fair) == (1, 2, 2)


async def test_what_cannot_be_counted_is_sent_all_the_same(fair: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*given: object) -> bool:
        raise ConnectionError("no store")

    monkeypatch.setattr(fair.proven.numbers, "push", broken)
    await sent(fair, Out(), "ticket", "1")
    assert await outcomes(fair) == (0, 0, 0)
