"""Donations as a provider speaks of them."""

from __future__ import annotations

from sekkei_systems.chiipochi.design.models import Outcome
from sekkei_systems.chiipochi.ports.payments.port import PaymentEvent
from sekkei_systems.chiipochi.refusals import UnknownOrder
from tests.systems.chiipochi.conftest import AOI, TODAY, Bot


async def test_an_unknown_order_changes_nothing(bot: Bot) -> None:
    try:
        await bot.service.settling.apply(PaymentEvent("evt", "tx", f"{AOI}|2025-08-20T00:00:00.000Z", 1, Outcome.PAID))
        raise AssertionError("it was taken")
    except UnknownOrder:
        pass
    assert await bot.donations() == []
    assert [one async for one in bot.service.reports.paid_on(TODAY)] == []
