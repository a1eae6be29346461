"""Whoever leaves takes their messages along, wherever those stand."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei.runtime.dead_letters import DeadLetterKind, DeadLetters
from sekkei.runtime.delivery import Delivery
from sekkei.runtime.design import (
    Message,
    SetAside,
    State,
    design,
    messages,
    newest_messages,
    newest_set_aside,
    set_aside,
)
from sekkei.runtime.outbox import Outbox, Undeliverable
from sekkei.runtime.receipts import forget
from sekkei.store import Weather

HANA, TARO = "hana@example.com", "taro@example.com"


class Post:
    """Refuses what is marked so."""

    async def send(self, message: Message) -> str:
        if message.body.get("bad"):
            raise Undeliverable("no")
        return "r-1"


async def ids(runtime: Database) -> set[str]:
    return {one.id for one in await runtime.all(newest_messages())}


async def test_what_waits_was_sent_failed_or_was_dropped_goes(runtime: Database, clock: ManualClock) -> None:
    outbox, delivery = Outbox(runtime, clock, "q"), Delivery(runtime, clock, {"mail": Post()})
    for to in (HANA, TARO):
        await outbox.put("mail", to, {"text": "私信"}, id=f"sent/{to}")
        await outbox.put("mail", to, {"bad": True}, id=f"failed/{to}")
        await outbox.put("mail", to, {"bad": True}, id=f"dropped/{to}")
    await delivery.run_once()
    for to in (HANA, TARO):
        await outbox.put("mail", to, {"text": "later"}, id=f"queued/{to}")
        await DeadLetters(runtime, clock).drop(DeadLetterKind.MESSAGE, f"q/dropped/{to}")
    await outbox.put("mail", TARO, {"text": "花さんがフォローしました"}, id="about", people=["u-hana", "u-taro"])
    assert await outbox.forget(HANA, "u-hana", "") == 5
    assert await ids(runtime) == {f"q/{state}/{TARO}" for state in ("sent", "failed", "dropped", "queued")}
    assert await outbox.forget(HANA, "u-hana") == 0


async def test_another_systems_messages_stay_unless_all_are_meant(runtime: Database, clock: ManualClock) -> None:
    for system in ("q", "tasks"):
        await Outbox(runtime, clock, system).put("mail", HANA, {}, id="1")
    assert await Outbox(runtime, clock, "q").forget(HANA) == 1
    assert await ids(runtime) == {"tasks/1"}
    assert await forget(runtime, [HANA]) == 1
    assert await ids(runtime) == set()


async def test_records_that_were_set_aside_go_when_they_name_somebody(runtime: Database, clock: ManualClock) -> None:
    for number, key in enumerate(("USER#u1", "USER#u10", "u1")):
        record = {"dynamodb": {"Keys": {"PK": {"S": key}}, "NewImage": {"tags": {"SS": ["a"]}, "n": {"N": "1"}}}}
        row = SetAside(
            consumer="q/Users", sequence=str(number), record=record, error="x", attempts=1, listed_at=days.now(clock)
        )
        await runtime.write(set_aside.put(row))
    by_id = SetAside(
        consumer="q/Answers",
        sequence="3",
        record={"dynamodb": {"OldImage": {"reactors": {"M": {"u1": {"S": "❤️"}}}}}},
        error="x",
        attempts=1,
        listed_at=days.now(clock),
    )
    await runtime.write(set_aside.put(by_id))
    assert await forget(runtime, ["u1"], "tasks") == 0
    assert await forget(runtime, ["u1"], "q") == 3
    assert [one.sequence for one in await runtime.all(newest_set_aside())] == ["1"]


async def test_one_that_leaves_while_it_is_sent_does_not_come_back(runtime: Database, clock: ManualClock) -> None:
    outbox = Outbox(runtime, clock, "q")

    class Leaving:
        async def send(self, message: Message) -> str:
            await outbox.forget(message.to)
            return "gone out all the same"

    await outbox.put("mail", HANA, {}, id="1")
    assert await Delivery(runtime, clock, {"mail": Leaving()}).run_once() == 1
    assert await ids(runtime) == set()


async def test_a_message_that_was_sent_says_until_when_it_is_kept(runtime: Database, clock: ManualClock) -> None:
    await Outbox(runtime, clock, "web").put("mail", HANA, {"text": "482913"}, id="code/1")
    await Delivery(runtime, clock, {"mail": Post()}).run_once()
    row = await runtime.need(messages("web/code/1").consistent())
    assert (row.state, row.due_pk) == (State.SENT, "SENT")
    assert row.due_at is not None
    assert row.sent_at is not None
    assert (row.due_at - row.sent_at).days == 1


async def test_what_an_index_still_shows_is_forgotten_once(runtime: Database, clock: ManualClock) -> None:
    """A job that goes on until nothing is left would go on until the index has heard of it."""
    late = Weather(runtime.store, index_lag=600.0, clock=clock)
    behind = Database(design, late, env=runtime.env, clock=clock)
    outbox = Outbox(behind, clock, "q")
    await outbox.put("mail", HANA, {}, id="1")
    record = {"dynamodb": {"Keys": {"PK": {"S": "u-hana"}}}}
    row = SetAside(consumer="q/Users", sequence="1", record=record, error="x", attempts=1, listed_at=days.now(clock))
    await behind.write(set_aside.create(row))
    clock.advance(1000)
    assert await outbox.forget(HANA, "u-hana") == 2
    assert await ids(behind) == {"q/1"}, "the index is behind"
    assert await outbox.forget(HANA, "u-hana") == 0
