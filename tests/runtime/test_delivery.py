"""The pool that sends: what hangs, fails or is refused holds nothing else back, and nothing is lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime.alarms import Alarms
from sekkei.runtime.dead_letters import DeadLetterKind, DeadLetters
from sekkei.runtime.delivery import FAILURES_MAX, REJECTED_SECONDS, Delivery
from sekkei.runtime.design import Message, State, design, messages
from sekkei.runtime.outbox import Outbox, Rejected, TryAgain
from tests.scripted_store import dying
from tests.virtual_time import database, running_clock

pytestmark = pytest.mark.virtual_time

Doing = Callable[[Message], Awaitable[str]]


@pytest.fixture
async def runtime(clock: ManualClock) -> AsyncIterator[Database]:
    async with database(design, clock) as db:
        yield db


class Way:
    """A way out that does what it is told for each address."""

    timeout_seconds = 1.0
    remembers_seconds: float | None = None

    def __init__(self, **doing: Doing) -> None:
        self.doing = doing
        self.sent: Counter[str] = Counter()
        self.order: list[str] = []

    async def send(self, message: Message) -> str:
        doing = self.doing.get(message.to)
        if doing is not None:
            await doing(message)
        self.sent[message.id] += 1
        self.order.append(message.id)
        return "sent"


async def hang(message: Message) -> str:
    await asyncio.sleep(3600)
    return ""


async def fail(message: Message) -> str:
    raise ConnectionError("broken")


async def refuse(message: Message) -> str:
    raise TryAgain(5, "429")


async def be_slow(message: Message) -> str:
    await asyncio.sleep(0.2)
    return ""


BAD = ("hangs", "fails", "slow")


async def test_one_hanging_one_failing_and_one_slow_destination_hold_nothing_back() -> None:
    """A thousand messages at once; those to good destinations are all out before the one that hangs is given up."""
    clock = running_clock()
    async with database(design, clock) as runtime:
        outbox = Outbox(runtime, clock, "tasks")
        way = Way(hangs=hang, fails=fail, slow=be_slow)
        way.timeout_seconds = 3600.0
        delivery = Delivery(runtime, clock, {"mail": way})
        for number in range(1_000):
            to = BAD[number % 50] if number % 50 < len(BAD) else f"a{number % 97}"
            await outbox.put("mail", to, {}, id=f"{number}")
        others = {f"tasks/{number}" for number in range(1_000) if number % 50 >= len(BAD)}
        async with asyncio.timeout(100):
            while not others <= way.sent.keys():
                await delivery.dispatch()
                await asyncio.sleep(0.1)
        await delivery.stop(0.1)
        assert set(way.sent.values()) == {1}, "nothing twice"
        waiting = [await outbox.get(f"{number}") for number in range(0, 1_000, 50)]
        assert all(one is not None and one.state is State.QUEUED for one in waiting), "what hangs is kept"


async def test_messages_to_one_person_go_out_in_their_order(runtime: Database, clock: ManualClock) -> None:
    way = Way()
    outbox = Outbox(runtime, clock, "tasks")
    for number in range(9):
        await outbox.put("line", f"u{number % 3}", {}, id=f"{number}")
        clock.advance(0.001)
    await Delivery(runtime, clock, {"line": way}).run_once()
    for person in range(3):
        of_them = [id for id in way.order if int(id.partition("/")[2]) % 3 == person]
        assert of_them == sorted(of_them)


async def test_a_call_that_hangs_is_cut_off_and_tried_again(runtime: Database, clock: ManualClock) -> None:
    outbox, way = Outbox(runtime, clock, "tasks"), Way(a=hang)
    way.timeout_seconds = 0.05
    await outbox.put("mail", "a", {}, id="1")
    assert await Delivery(runtime, clock, {"mail": way}).run_once() == 1
    kept = await outbox.get("1")
    assert kept is not None
    assert (kept.state, kept.lease_by) == (State.QUEUED, None)
    assert "no answer within 0.05 seconds" in str(kept.last_error)


async def test_what_may_have_arrived_is_not_sent_when_the_provider_has_forgotten_it(
    runtime: Database, clock: ManualClock
) -> None:
    """And somebody who has looked whether it arrived can still send it."""
    outbox, way = Outbox(runtime, clock, "tasks"), Way(a=fail)
    way.remembers_seconds = 3600.0
    await outbox.put("line", "a", {}, id="1")
    await Delivery(runtime, clock, {"line": way}).run_once()
    way.doing.clear()
    clock.advance(3700)
    await Delivery(runtime, clock, {"line": way}).run_once()
    kept = await outbox.get("1")
    assert kept is not None
    assert (kept.state, way.sent.total()) == (State.FAILED, 0)
    assert "It may have gone out on" in str(kept.last_error)
    assert [one.name for one in await Alarms(runtime, clock).all()] == ["dead-letters/message"]
    await DeadLetters(runtime, clock).retry(DeadLetterKind.MESSAGE, "tasks/1")
    await Delivery(runtime, clock, {"line": way}).run_once()
    kept = await outbox.get("1")
    assert kept is not None
    assert (kept.state, kept.unsure_since, way.sent.total()) == (State.SENT, None, 1)


@pytest.mark.parametrize(("seconds", "sent"), [(1_800, 1), (3_700, 0)])
async def test_whoever_died_over_a_message_may_have_sent_it(
    runtime: Database, clock: ManualClock, seconds: float, sent: int
) -> None:
    outbox, way = Outbox(runtime, clock, "tasks"), Way(a=hang)
    way.timeout_seconds = way.remembers_seconds = 3600.0
    await outbox.put("line", "a", {}, id="1")
    dying = Delivery(runtime, clock, {"line": way})
    await dying.dispatch()
    await asyncio.sleep(0.05)
    await dying.stop(0)
    way.doing.clear()
    clock.advance(seconds)
    await Delivery(runtime, clock, {"line": way}).run_once()
    assert way.sent.total() == sent


async def test_what_was_surely_refused_is_sent_however_late(runtime: Database, clock: ManualClock) -> None:
    outbox, way = Outbox(runtime, clock, "tasks"), Way(a=refuse)
    way.remembers_seconds = 3600.0
    await outbox.put("line", "a", {}, id="1")
    await Delivery(runtime, clock, {"line": way}).run_once()
    way.doing.clear()
    clock.advance(3700)
    await Delivery(runtime, clock, {"line": way}).run_once()
    assert way.sent.total() == 1


async def test_a_refusal_says_nothing_of_the_attempt_before_it(runtime: Database, clock: ManualClock) -> None:
    outbox, way = Outbox(runtime, clock, "tasks"), Way(a=fail)
    way.remembers_seconds = 3600.0
    await outbox.put("line", "a", {}, id="1")
    await Delivery(runtime, clock, {"line": way}).run_once()
    way.doing["a"] = refuse
    clock.advance(60)
    await Delivery(runtime, clock, {"line": way}).run_once()
    way.doing.clear()
    clock.advance(3600)
    await Delivery(runtime, clock, {"line": way}).run_once()
    assert way.sent.total() == 0


async def test_a_message_of_before_that_was_tried_may_have_arrived_since_it_was_written(
    runtime: Database, clock: ManualClock
) -> None:
    outbox, way = Outbox(runtime, clock, "tasks"), Way()
    way.remembers_seconds = 3600.0
    for name, attempts in (("tried", 1), ("new", 0)):
        await outbox.put("line", name, {}, id=name)
        await runtime.write(messages.update(f"tasks/{name}").set(Message.attempts, attempts))
    clock.advance(3700)
    await Delivery(runtime, clock, {"line": way}).run_once()
    assert way.order == ["tasks/new"]


async def test_a_destination_that_keeps_failing_is_left_alone(runtime: Database, clock: ManualClock) -> None:
    outbox, way = Outbox(runtime, clock, "tasks"), Way(bad=fail)
    delivery = Delivery(runtime, clock, {"mail": way})
    for number in range(10):
        await outbox.put("mail", "bad", {}, id=f"{number}")
    await outbox.put("mail", "good", {}, id="good")
    assert await delivery.run_once() == FAILURES_MAX + 1
    assert list(delivery.open_circuits) == [("mail", "bad")]
    assert way.sent == {"tasks/good": 1}
    way.doing.clear()
    assert await delivery.run_once() == 0, "not yet"
    clock.advance(20)
    await delivery.run_once()
    clock.advance(20)
    await delivery.run_once()
    assert way.sent.total() == 11
    assert not delivery.open_circuits


async def test_refused_credentials_keep_the_messages_and_ring(runtime: Database, clock: ManualClock) -> None:
    async def reject(message: Message) -> str:
        raise Rejected("LINE answered 401")

    outbox, way = Outbox(runtime, clock, "tasks"), Way(a=reject, b=reject)
    alarms = Alarms(runtime, clock, "https://ops.example.com/hook")
    delivery = Delivery(runtime, clock, {"line": way}, alarms=alarms)
    for number in range(30):
        await outbox.put("line", "ab"[number % 2], {}, id=f"{number}")
    for _ in range(20):
        await delivery.run_once()
        clock.advance(REJECTED_SECONDS + 3)
    (alarm,) = await alarms.all()
    assert (alarm.name, alarm.detail) == ("outbox/line", "Credentials are not accepted: LINE answered 401")
    assert alarm.count >= 20
    told = await runtime.get(messages(f"web/alarm/outbox/line/{alarm.first_at.date()}"))
    assert told is not None
    assert (told.kind, told.to) == ("webhook", "https://ops.example.com/hook")
    kept = await outbox.get("0")
    assert kept is not None
    assert (kept.state, kept.attempts) == (State.QUEUED, 0), "however often it was tried"
    way.doing.clear()
    for _ in range(3):
        await delivery.run_once()
        clock.advance(REJECTED_SECONDS + 3)
    assert way.sent.total() == 30
    assert await alarms.all() == []


async def test_when_to_come_back_is_obeyed_by_every_process(runtime: Database, clock: ManualClock) -> None:
    async def later(message: Message) -> str:
        raise TryAgain(30, "429")

    outbox, busy, calm = Outbox(runtime, clock, "tasks"), Way(a=later), Way()
    await outbox.put("line", "a", {}, id="1")
    await Delivery(runtime, clock, {"line": busy}, "w1").run_once()
    await outbox.put("line", "b", {}, id="2")
    other = Delivery(runtime, clock, {"line": calm}, "w2")
    assert await other.run_once() == 0
    assert other.when.seconds() == 30
    clock.advance(31)
    assert await other.run_once() == 2
    assert calm.sent == {"tasks/1": 1, "tasks/2": 1}


async def test_one_destination_that_asks_for_patience_holds_no_other(runtime: Database, clock: ManualClock) -> None:
    """Neither in this process nor in another one, and nobody bothers that one meanwhile."""

    async def slow_down(message: Message) -> str:
        raise TryAgain(30, "429 for this channel", everywhere=False)

    outbox, busy, calm = Outbox(runtime, clock, "eventbot"), Way(a=slow_down), Way()
    for number, to in enumerate("aab"):
        await outbox.put("discord", to, {}, id=str(number))
    here, there = (Delivery(runtime, clock, {"discord": way}, "w") for way in (busy, calm))
    await here.run_once()
    assert busy.sent == {"eventbot/2": 1}
    await outbox.put("discord", "a", {}, id="3")
    await outbox.put("discord", "c", {}, id="4")
    assert await there.run_once() == 1
    assert calm.sent == {"eventbot/4": 1}
    assert there.when.seconds() == 30
    clock.advance(31)
    assert await there.run_once() == 3
    assert set(calm.sent) == {"eventbot/0", "eventbot/1", "eventbot/3", "eventbot/4"}


@pytest.mark.parametrize("answered", [False, True])
@pytest.mark.parametrize("calls", [1, 2, 3, 5, 8, 12, 13, 14, 20, 27, 33, 40])
async def test_killed_at_any_call_nothing_is_lost_and_only_what_was_under_way_may_go_twice(
    runtime: Database, clock: ManualClock, calls: int, answered: bool
) -> None:
    outbox = Outbox(runtime, clock, "tasks")
    for number in range(20):
        await outbox.put("mail", f"a{number % 7}", {}, id=f"{number}")
    mortal = dying(runtime.store, calls, ConnectionError("killed"), done=answered)
    sent = Counter[str]()

    class Post:
        async def send(self, message: Message) -> str:
            sent[message.id] += 1
            return "sent"

    class OfTheDead(Post):
        async def send(self, message: Message) -> str:
            if mortal.dead:
                raise ConnectionError("killed")
            return await super().send(message)

    killed = Delivery(design.open(mortal, env="test", clock=clock), clock, {"mail": OfTheDead()}, "first")
    with contextlib.suppress(ConnectionError):
        await killed.run_once()
    await killed.stop(0)
    under_way = {id for id in sent if (await runtime.need(messages(id).consistent())).state is State.QUEUED}
    second = Delivery(runtime, clock, {"mail": Post()}, "second")
    for _ in range(5):
        clock.advance(600)
        await second.run_once()
    assert len(sent) == 20, "nothing is lost"
    assert {id for id, count in sent.items() if count > 1} <= under_way
    assert max(sent.values()) <= 2
    states = [(await runtime.need(messages(f"tasks/{number}").consistent())).state for number in range(20)]
    assert set(states) == {State.SENT}
