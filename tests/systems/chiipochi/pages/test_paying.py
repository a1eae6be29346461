"""The way to the provider, and the way back."""

from __future__ import annotations

from sekkei_systems.chiipochi.design.models import Outcome
from sekkei_systems.chiipochi.service.links import order_id_of
from tests.systems.chiipochi.conftest import AOI, Bot


async def _link(bot: Bot) -> str:
    await bot.say("ピーナッツ", "はい")
    (donation,) = await bot.donations()
    return f"/chiipochi/pay/{bot.service.links.order_token(order_id_of(AOI, donation.created_at))}"


async def test_the_link_leads_to_the_provider_and_after_that_to_the_thanks(quick_bot: Bot) -> None:
    link = await _link(quick_bot)
    reply = await quick_bot.client.get(link)
    assert (reply.status, reply.header("cache-control")) == (303, "no-store")
    tx_id = reply.location.rpartition("/")[2]
    assert "お支払いを確認しています" in (await quick_bot.client.get(f"{link}/done")).text
    await quick_bot.decide(tx_id, Outcome.PAID)
    await quick_bot.work()
    assert "ありがとうございます" in (await quick_bot.client.get(f"{link}/done")).text
    assert (await quick_bot.client.get(link)).location.endswith("/done")
