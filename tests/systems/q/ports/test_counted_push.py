"""What becomes of pushes is counted, each once."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from sekkei.design import replace
from sekkei.runtime.delivery import ATTEMPTS_MAX
from sekkei.runtime.design import Message
from sekkei.runtime.outbox import TryAgain, Undeliverable
from sekkei.runtime.transports.expo import DeviceGone
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.ports.counted_push import CountedPush
from sekkei_systems.q.rules.notices import GONE, NOT_THEIRS
from tests.systems.q.conftest import World


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
