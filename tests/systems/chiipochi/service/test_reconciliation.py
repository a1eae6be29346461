"""Asking about payments that have been silent."""

from __future__ import annotations

from sekkei_systems.chiipochi.design.models import Outcome, Status
from sekkei_systems.chiipochi.local.payments import LocalProvider
from sekkei_systems.chiipochi.service.links import order_id_of
from tests.systems.chiipochi.conftest import AOI, REN, Bot


async def test_silent_payments_are_asked_for_and_forgotten_ones_given_up(bot: Bot) -> None:
    await bot.say("ピーナッツ", "はい")
    await bot.say("ゴーヤ", "はい", user=REN)
    (paid,), (forgotten,) = await bot.donations(AOI), await bot.donations(REN)
    token = bot.service.links.order_token(order_id_of(AOI, paid.created_at))
    tx_id = (await bot.service.settling.start(token)).rpartition("/")[2]
    provider = bot.service.settling.provider
    assert isinstance(provider, LocalProvider)
    await provider.decide(tx_id, Outcome.PAID)  # and its notice is lost
    bot.clock.advance(31 * 60)
    done = await bot.service.reconciliation.run()
    assert (done.settled, done.open, done.given_up) == (1, 1, 0)
    bot.clock.advance(24 * 3600)
    done = await bot.service.reconciliation.run()
    assert (done.settled, done.open, done.given_up) == (0, 0, 1)
    assert (await bot.donations(AOI))[0].status is Status.SUCCEEDED
    assert (await bot.donations(REN))[0].status is Status.FAILED
    assert forgotten.status is Status.PENDING
