"""Proofs: only whoever holds one gets through."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.refusals import NotThere
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.donations import donation_key, order_id_of
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


# Links open only what they were made for.


async def test_links_open_only_what_they_were_made_for(quick_bot: Bot) -> None:
    donation = await quick_bot.donate()
    links, client = quick_bot.service.links, quick_bot.client
    mine, order = links.my_token(AOI), links.order_token(order_id_of(AOI, donation.created_at))
    for path in (f"u/{order}", f"pay/{mine}", f"u/{mine}x", f"u/x{mine}", "u/x.y", "u/あ", "pay/", f"u/{'a' * 600}"):
        assert (await client.get(f"/chiipochi/{path}")).status == 404, path
    assert (await client.get(f"/chiipochi/u/{mine}/receipt/2025-08-20T05:10:09.000Z")).status == 404
    assert (await client.get(f"/chiipochi/u/{mine}/receipt/yesterday")).status == 404
    quick_bot.clock.advance(31 * 24 * 3600)
    assert (await client.get(f"/chiipochi/u/{mine}")).status == 410


@pytest.mark.parametrize(
    "order",
    ["", "U1", "|2025-08-20T05:10:00Z", "U1|", "U1|x", "U1|2025-08-20T05:10:00", "U1|0001-01-01T00:00:00+14:00"],
)
def test_what_is_no_order_of_ours(order: str) -> None:
    assert donation_key(order) is None


def test_an_order_names_its_donation() -> None:
    at = datetime(2025, 8, 20, 5, 10, 0, 123_000, tzinfo=UTC)
    assert donation_key(order_id_of("U1", at)) == ("U1", at)
