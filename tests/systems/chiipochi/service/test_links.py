"""Links open only what they were made for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sekkei_systems.chiipochi.service.links import donation_key, order_id_of
from tests.systems.chiipochi.conftest import AOI, Bot


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
