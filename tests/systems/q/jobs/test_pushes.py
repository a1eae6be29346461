"""Every device hears of the question once, and those that are gone are forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sekkei.runtime.delivery import Delivery
from sekkei.runtime.design import Message, schedules
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.transports.expo import DeviceGone
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import DeviceType
from sekkei_systems.q.design.tables import push_tokens
from tests.systems.q.conftest import World


class Provider:
    """Expo, which says of one device that it is gone: at once, or in the receipt."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    async def send(self, message: Message) -> str:
        if "[uninstalled]" in message.to:
            raise DeviceGone("DeviceNotRegistered: no such device")
        self.sent.append(message.to)
        return f"ticket-{message.to}"

    async def receipts(self, tickets: Sequence[str]) -> dict[str, dict[str, Any]]:
        gone = {"status": "error", "message": "…", "details": {"error": "DeviceNotRegistered"}}
        return {one: gone if "[later]" in one else {"status": "ok"} for one in tickets}


async def test_devices_that_are_gone_are_forgotten(fair: World) -> None:
    names = ("uninstalled", "later", "fine")
    await fair.join("a")
    for name in names:
        await fair.service.devices.register("a", f"ExponentPushToken[{name}]", DeviceType.IOS)
    await fair.ask()
    provider = Provider()
    jobs = fair.jobs(provider)
    day = days.today(fair.clock).isoformat()
    runs = Jobs(fair.deployment.runtime, fair.clock, "q")
    await runs.start("push", {"day": day}, id="push/test")
    await runs.run_to_end(jobs.definitions(), "push/test")
    fair.clock.advance(90)
    await Delivery(fair.deployment.runtime, fair.clock, {"push": provider}).run_once()
    assert len(provider.sent) == 2
    await runs.start("receipts", {"day": day, "time": 1}, id="receipts/test")
    await runs.run_to_end(jobs.definitions(), "receipts/test")
    left = await fair.db.all(design.tokens_of("a").consistent())
    assert [one.token for one in left] == ["ExponentPushToken[fine]"]
    assert await fair.db.get(push_tokens("a", "ExponentPushToken[later]").consistent()) is None


async def test_what_is_not_known_yet_is_asked_for_again(fair: World) -> None:
    class Slow(Provider):
        asked = 0

        async def receipts(self, tickets: Sequence[str]) -> dict[str, dict[str, Any]]:
            self.asked += 1
            return {} if self.asked == 1 else await super().receipts(tickets)

    await fair.join("a")
    await fair.service.devices.register("a", "ExponentPushToken[later]", DeviceType.IOS)
    day, provider = (await fair.ask()).day.isoformat(), Slow()
    jobs, runs = fair.jobs(provider), Jobs(fair.deployment.runtime, fair.clock, "q")
    for name, id in (("push", "push/test"), ("receipts", "receipts/test")):
        await runs.start(name, {"day": day, "time": 1}, id=id)
        await runs.run_to_end(jobs.definitions(), id)
        fair.clock.advance(90)
        await Delivery(fair.deployment.runtime, fair.clock, {"push": provider}).run_once()
    waiting = await fair.deployment.runtime.need(schedules(f"q/receipts/{day}/2").consistent())
    assert waiting.payload == {"day": day, "time": 2}
    await runs.start("receipts", waiting.payload, id="receipts/again")
    await runs.run_to_end(jobs.definitions(), "receipts/again")
    assert await fair.db.all(design.tokens_of("a").consistent()) == []


async def test_the_receipts_are_asked_for_a_quarter_of_an_hour_later(world: World) -> None:
    await world.join("a")
    await world.service.devices.register("a", "ExponentPushToken[a]", DeviceType.IOS)
    await world.ask()
    day = days.today(world.clock).isoformat()
    await world.opened.context.jobs.start("push", {"day": day}, id=f"push/{day}")
    await world.settle()
    assert await world.opened.context.jobs.get(f"receipts/{day}/1") is None
    world.clock.advance(16 * 60)
    await world.settle()
    run = await world.opened.context.jobs.get(f"receipts/{day}/1")
    assert run is not None
    assert run.finished
