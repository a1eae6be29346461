"""Proofs: only whoever holds one gets through."""

from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.refusals import NotThere
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import AOI, Bot


async def test_a_donor_is_whoever_holds_their_link(quick_bot: Bot) -> None:
    links = quick_bot.service.links
    assert quick_bot.service.access.donor_of(links.my_token(AOI)) == Donor(AOI)
    for wrong in (f"{links.my_token(AOI)}x", links.order_token(f"{AOI}|2025-08-20T05:10:00.000Z")):
        with pytest.raises(NotThere):
            quick_bot.service.access.donor_of(wrong)


async def test_signed_out_operators_are_led_to_the_sign_in_and_change_nothing(clock: ManualClock) -> None:
    settings = test_settings(demo=False, values={"operators": "aoi@demo.example"})
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        donation = await bot.donate()
        page = await client.get("/chiipochi/operator")
        assert (page.status, page.location.partition("?")[0]) == (303, "/sign-in")
        order = {"order": order_id_of(AOI, donation.created_at)}
        reply = await client.post("/chiipochi/operator/refund", form=order)
        assert (reply.status, reply.location.partition("?")[0]) == (303, "/sign-in")
        assert (await bot.donations())[0].refund_asked_at is None
        await client.sign_in("demo-ren")
        assert (await client.get("/chiipochi/operator")).status == 403
