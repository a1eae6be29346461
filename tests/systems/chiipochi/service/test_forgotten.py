"""The name of somebody who was forgotten leads to their donations, and nobody to them."""

from __future__ import annotations

from sekkei.design import replace
from sekkei_systems.chiipochi.design.models import is_forgotten
from sekkei_systems.chiipochi.service.forgotten import pseudonym
from sekkei_systems.chiipochi.service.links import order_id_of
from tests.systems.chiipochi.conftest import AOI, REN, Bot


async def test_whoever_knows_the_order_finds_the_donation(quick_bot: Bot) -> None:
    donation = await quick_bot.donate()
    context = quick_bot.client.shell.deployment.systems["chiipochi"].context
    name = pseudonym(context.settings, AOI)
    assert is_forgotten(name)
    assert AOI not in name
    assert pseudonym(context.settings, REN) != name == pseudonym(context.settings, AOI)
    await quick_bot.forget()
    orders = quick_bot.service.orders
    moved = replace(donation, user_id=name, idempotency_key=None)
    assert await orders.ordered(order_id_of(AOI, donation.created_at), None) == moved
    assert await orders.ordered(order_id_of(name, donation.created_at), None) == moved
    assert await orders.ordered(order_id_of(REN, donation.created_at), None) is None
