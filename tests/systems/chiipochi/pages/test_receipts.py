"""From the chat to a numbered sheet."""

from __future__ import annotations

import re

from sekkei.clock import ManualClock
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import AOI, Bot
from tests.systems.chiipochi.rules.test_receipts import _words

FACTS = {
    "chiipochi_organisation": "NPO法人ちい",
    "chiipochi_address": "千葉県千葉市中央区1-1",
    "chiipochi_registration": "認定 第123号",
    "operators": "aoi@demo.example",
}


async def test_from_the_chat_to_the_sheet(clock: ManualClock) -> None:
    settings = test_settings(demo=False, values=FACTS)
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        donation = await bot.donate("ピーナッツ 500")
        await bot.say("領収書")
        said = str((await bot.sent("reply/"))[-1].body)
        found = re.search(r"http://127.0.0.1:8000(/chiipochi/u/[^/]+/receipts)", said)
        assert found is not None
        page = found[1]
        assert "まだ発行していません" in (await client.get(page)).text
        assert (await client.post(page, {"year": "2025"})).location.endswith("/receipts")
        assert (await client.get(f"{page}/2025-000001.pdf")).status == 404, "nobody knows yet whom it is for"
        details = page.replace("/receipts", "/details")
        assert (await client.post(details, {"name": "", "address": ""})).status == 422
        await client.post(details, {"name": "青木 葵", "address": "千葉市"})
        assert (await client.post(page, {"year": "2031"})).status == 404
        assert (await client.post(page, {"donation": "2031-01-01T00:00:00.000Z"})).status == 404
        await client.post(page, {"year": "2025"})
        sheet = await client.get(f"{page}/2025-000001.pdf")
        assert (sheet.status, sheet.header("content-type")) == (200, "application/pdf")
        words = _words(sheet.body)
        for word in ("寄付金受領書", "青木 葵 様", "千葉市", "500円", "NPO法人ちい", "認定・登録番号: 認定 第123号"):
            assert any(word in one for one in words), word
        assert not any("取り消" in one for one in words)
        await client.sign_in("demo-aoi")
        await client.post("/chiipochi/operator/refund", {"order": f"{AOI}|2025-08-20T05:10:01.000Z"})
        await bot.work()
        words = _words((await client.get(f"{page}/2025-000001.pdf")).body)
        assert any("取り消されました" in one for one in words), donation
        csv = (await client.get("/chiipochi/operator/receipts.csv?year=2025")).text
        assert "2025-000001,2025-08-20,500,YEAR-2025,青木 葵,2025-08-20," in csv
        await client.post(details, {"what": "forget"})
        assert "青木" not in (await client.get(page)).text


async def test_nobody_issues_receipts_without_a_name(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock, settings=test_settings(demo=False)) as client:
        bot = Bot(client, clock)
        await bot.donate()
        token = bot.service.links.my_token(AOI)
        await client.post(f"/chiipochi/u/{token}/details", {"name": "青木 葵", "address": "千葉市"})
        reply = await client.post(f"/chiipochi/u/{token}/receipts", {"year": "2025"})
        assert reply.status == 409
        assert "発行者の情報" in reply.text
