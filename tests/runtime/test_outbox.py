from __future__ import annotations

import asyncio
import contextlib

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database, TransactionFailed
from sekkei.runtime.delivery import ATTEMPTS_MAX, Delivery
from sekkei.runtime.design import Message, State
from sekkei.runtime.outbox import CLOSED, SHELL, Outbox, Undeliverable


class Recorder:
    """A way out that remembers, and fails as often as told."""

    def __init__(self, failures: int = 0, error: type[Exception] = ConnectionError) -> None:
        self.sent: list[str] = []
        self.failures = failures
        self.error = error

    async def send(self, message: Message) -> str:
        if self.failures:
            self.failures -= 1
            raise self.error("not now")
        self.sent.append(message.id)
        return f"receipt-{len(self.sent)}"


async def test_a_message_is_sent_once_and_can_be_read(runtime: Database, clock: ManualClock) -> None:
    outbox, mail = Outbox(runtime, clock, "tasks"), Recorder()
    delivery = Delivery(runtime, clock, {"mail": mail})
    assert await outbox.put("mail", "a@example.com", {"subject": "招待"}, id="invite/1")
    assert not await outbox.put("mail", "a@example.com", {"subject": "招待"}, id="invite/1")
    assert await delivery.run_once() == 1
    assert await delivery.run_once() == 0
    assert mail.sent == ["tasks/invite/1"]
    kept = await outbox.get("invite/1")
    assert kept is not None
    assert (kept.state, kept.receipt, kept.body) == (State.SENT, "receipt-1", {"subject": "招待"})


async def test_a_failure_is_tried_again_later(runtime: Database, clock: ManualClock) -> None:
    outbox, mail = Outbox(runtime, clock, "tasks"), Recorder(failures=2)
    delivery = Delivery(runtime, clock, {"mail": mail})
    await outbox.put("mail", "a@example.com", {}, id="1")
    await delivery.run_once()
    assert await delivery.run_once() == 0, "not at once"
    clock.advance(10)
    await delivery.run_once()
    clock.advance(10)
    await delivery.run_once()
    assert mail.sent == ["tasks/1"]


class Following(Recorder):
    """Something follows when it gives a message up, and the first time that goes wrong."""

    def __init__(self, error: type[Exception]) -> None:
        super().__init__(failures=100, error=error)
        self.tried: list[str] = []

    async def given_up(self, message: Message) -> None:
        self.tried.append(message.id)
        if len(self.tried) == 1:
            raise ConnectionError("not now")


@pytest.mark.parametrize(("error", "attempts"), [(Undeliverable, 2), (ConnectionError, ATTEMPTS_MAX + 1)])
async def test_what_follows_from_giving_up_is_done_before_it_is_given_up(
    runtime: Database, clock: ManualClock, error: type[Exception], attempts: int
) -> None:
    outbox, mail = Outbox(runtime, clock, "tasks"), Following(error)
    await outbox.put("mail", "nobody", {}, id="1")
    delivery = Delivery(runtime, clock, {"mail": mail})
    for _ in range(30):
        await delivery.run_once()
        clock.advance(3600)
    kept = await outbox.get("1")
    assert kept is not None
    assert (kept.state, kept.attempts, mail.tried) == (State.FAILED, attempts, ["tasks/1"] * 2)


async def test_nothing_follows_from_a_text_that_cannot_be_read(runtime: Database, clock: ManualClock) -> None:
    """Whoever is to do something about it would fail for ever."""
    outbox, mail = Outbox(runtime, clock, "tasks"), Following(ConnectionError)
    await outbox.put("mail", "nobody", CLOSED, id="1")
    await Delivery(runtime, clock, {"mail": mail}).run_once()
    kept = await outbox.get("1")
    assert kept is not None
    assert (kept.state, mail.tried) == (State.FAILED, [])


async def test_what_can_never_be_sent_is_given_up(runtime: Database, clock: ManualClock) -> None:
    outbox, mail = Outbox(runtime, clock, "tasks"), Recorder(failures=1, error=Undeliverable)
    await outbox.put("mail", "nobody", {}, id="1")
    await Delivery(runtime, clock, {"mail": mail}).run_once()
    clock.advance(100_000)
    assert await Delivery(runtime, clock, {"mail": mail}).run_once() == 0
    kept = await outbox.get("1")
    assert kept is not None
    assert kept.state is State.FAILED
    assert "not now" in str(kept.last_error)


async def test_trying_ends(runtime: Database, clock: ManualClock) -> None:
    outbox, mail = Outbox(runtime, clock, "tasks"), Recorder(failures=1_000)
    delivery = Delivery(runtime, clock, {"mail": mail})
    await outbox.put("mail", "a@example.com", {}, id="1")
    tries = 0
    for _ in range(ATTEMPTS_MAX + 5):
        tries += await delivery.run_once()
        clock.advance(4_000)
    assert tries == ATTEMPTS_MAX


async def test_two_workers_send_one_message_once(runtime: Database, clock: ManualClock) -> None:
    outbox, mail = Outbox(runtime, clock, "tasks"), Recorder()
    for number in range(20):
        await outbox.put("mail", "a@example.com", {}, id=str(number))
    workers = [Delivery(runtime, clock, {"mail": mail}, f"w{number}") for number in range(2)]
    await asyncio.gather(*(worker.run_once() for worker in workers))
    assert sorted(mail.sent) == sorted(f"tasks/{number}" for number in range(20))


async def test_a_worker_that_died_is_replaced(runtime: Database, clock: ManualClock) -> None:
    outbox, mail = Outbox(runtime, clock, "tasks"), Recorder()

    class Dies:
        async def send(self, message: Message) -> str:
            raise asyncio.CancelledError

    await outbox.put("mail", "a@example.com", {}, id="1")
    with contextlib.suppress(asyncio.CancelledError):
        await Delivery(runtime, clock, {"mail": Dies()}).run_once()
    delivery = Delivery(runtime, clock, {"mail": mail})
    assert await delivery.run_once() == 0, "the lease still holds"
    clock.advance(61)
    assert await delivery.run_once() == 1
    assert mail.sent == ["tasks/1"]


async def test_a_message_joins_a_transaction(runtime: Database, clock: ManualClock) -> None:
    outbox = Outbox(runtime, clock, "tasks")
    first = outbox.message("mail", "a", {}, id="1")
    await runtime.transact(first, outbox.message("mail", "b", {}, id="2"))
    again, other = outbox.message("mail", "a", {}, id="1"), outbox.message("mail", "c", {}, id="3")
    with pytest.raises(TransactionFailed) as refused:
        await runtime.transact(other, again)
    assert refused.value.failed(again)
    assert await outbox.get("3") is None


async def test_a_slow_worker_does_not_undo_what_another_one_does(runtime: Database, clock: ManualClock) -> None:
    """Its lease runs out while it sends; when it fails at last, another one is sending."""
    outbox = Outbox(runtime, clock, "tasks")

    class Overtaken:
        async def send(self, message: Message) -> str:
            clock.advance(61)
            await Delivery(runtime, clock, {"mail": Second()}, "w2").run_once()
            raise ConnectionError("at last")

    class Second:
        async def send(self, message: Message) -> str:
            return "second"

    await outbox.put("mail", "a@example.com", {}, id="1")
    await Delivery(runtime, clock, {"mail": Overtaken()}, "w1").run_once()
    kept = await outbox.get("1")
    assert kept is not None
    assert (kept.state, kept.receipt, kept.last_error) == (State.SENT, "second", None)


async def test_what_another_process_must_send_is_left_to_it(runtime: Database, clock: ManualClock) -> None:
    """However much of it waits, it does not stand in the way."""
    for number in range(60):
        await Outbox(runtime, clock, "bot").put("discord", "1", {}, id=str(number))
    clock.advance(1)
    await Outbox(runtime, clock, "tasks").put("note", "a", {}, id="ours")
    await Outbox(runtime, clock, SHELL).put("note", "a", {}, id="everybody's")
    here = Delivery(runtime, clock, {}, "w1", systems=["tasks"])
    assert await here.run_once() == 2
    left = await Outbox(runtime, clock, "bot").get("0")
    assert left is not None
    assert left.state is State.QUEUED
    discord = Recorder()
    there = Delivery(runtime, clock, {"discord": discord}, "w2", systems=["bot"])
    assert await there.run_once(100) == 60
    assert len(discord.sent) == 60
