"""Half set up does not start, and a public address gives nothing away."""

from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.ports.payments import HalfSetUp, check
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import AOI, Bot

LINE = {"line_channel_secret": "s", "line_channel_token": "t"}
STRIPE = {"stripe_secret_key": "sk", "stripe_webhook_secret": "whsec"}


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        (LINE, "SEKKEI_STRIPE_SECRET_KEY"),
        ({"line_channel_secret": "s", **STRIPE}, "SEKKEI_LINE_CHANNEL_TOKEN"),
        ({"line_channel_token": "t", **STRIPE}, "SEKKEI_LINE_CHANNEL_SECRET"),
        ({"stripe_secret_key": "sk"}, "SEKKEI_STRIPE_WEBHOOK_SECRET"),
        ({**STRIPE, "stripe_payment_methods": "cash"}, "SEKKEI_STRIPE_PAYMENT_METHODS"),
        ({**STRIPE, "stripe_payment_methods": "konbini"}, "SEKKEI_STRIPE_PAYMENT_METHODS"),
        ({**STRIPE, "stripe_konbini_days": "61"}, "SEKKEI_STRIPE_KONBINI_DAYS"),
    ],
)
async def test_half_set_up_refuses_to_start(clock: ManualClock, values: dict[str, str], missing: str) -> None:
    with pytest.raises(ValueError, match=missing):
        async with opened(SYSTEM, clock=clock, settings=test_settings(demo=False, values=values)):
            pass


def test_whole_or_nothing_starts() -> None:
    for values in ({}, {**LINE, **STRIPE}, STRIPE):
        check(test_settings(demo=False, values=values))
    check(test_settings(demo=True, values=LINE))
    with pytest.raises(HalfSetUp):
        check(test_settings(demo=False, values=LINE))


async def test_at_a_public_address_the_local_ends_are_not_there(clock: ManualClock) -> None:
    settings = test_settings(demo=False, public_url="https://donate.example.org")
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        await bot.say("ピーナッツ", "はい")
        (donation,) = await bot.donations()
        token = bot.service.links.order_token(order_id_of(AOI, donation.created_at))
        assert (await client.get(f"/chiipochi/pay/{token}")).status == 503
        assert (await client.get("/chiipochi/local-pay/lp_x")).status == 404
        await client.sign_in("demo-aoi")
        for path in ("chat", "chat/messages", "me"):
            assert (await client.get(f"/chiipochi/{path}")).status == 404
        assert (await client.json("POST", "/chiipochi/chat/sign", {"text": "はい"})).status == 404
        assert "/chiipochi/chat" not in (await client.get("/chiipochi/")).text
        assert (await client.request("POST", "/chiipochi/payments/local", b"{}", {})).status == 404
