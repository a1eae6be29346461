"""What the law wants shown, the way in, and the organisation on receipts."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import AOI, Bot

VALUES = {
    "line_basic_id": "@123abcde",
    "chiipochi_organisation": "特定非営利活動法人ふるさとの会",
    "chiipochi_representative": "青井 花",
    "chiipochi_address": "千葉県千葉市中央区1-2-3",
    "chiipochi_email": "hello@example.org",
    "chiipochi_number": "1234567890123",
}


async def test_the_organisation_stands_on_its_pages_and_on_receipts(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock, settings=test_settings(values=VALUES)) as client:
        bot = Bot(client, clock)
        await bot.donate()
        about = (await client.get("/chiipochi/about")).text
        for text in ("特定商取引法に基づく表記", *list(VALUES.values())[1:], "100 円〜50,000 円"):
            assert text in about, text
        assert "カード番号" in (await client.get("/chiipochi/privacy")).text
        assert "Card numbers" in (await client.get("/chiipochi/privacy?lang=en")).text
        token = bot.service.links.my_token(AOI)
        for path in (f"u/{token}/receipt/2025-08-20T05:10:01.000Z", f"u/{token}/year/2025"):
            assert "ふるさとの会" in (await client.get(f"/chiipochi/{path}?lang=ja")).text
        front = (await client.get("/chiipochi/")).text
        assert "https://line.me/R/ti/p/%40123abcde" in front
        assert "data:image/svg+xml" in front
        await bot.say("友だちに教える")
        assert "https://line.me/R/ti/p/%40123abcde" in str((await bot.sent("reply/"))[-1].body)


async def test_without_an_organisation_the_pages_say_so(quick_bot: Bot) -> None:
    assert "まだ登録されていません" in (await quick_bot.client.get("/chiipochi/about")).text
