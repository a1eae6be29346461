"""The books on a page and in a file."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import AOI, Bot, utc


async def test_the_operator_looks_downloads_and_closes(clock: ManualClock) -> None:
    settings = test_settings(demo=False, values={"operators": "aoi@demo.example"})
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        await bot.donate("ピーナッツ 500")
        await client.sign_in("demo-aoi")
        await client.post("/chiipochi/operator/books/sync", {})
        await bot.work()
        page = (await client.get("/chiipochi/operator/books")).text
        assert "千葉県" in page
        assert "¥482" in page
        assert "books/close" not in page, "the month is not over"
        assert (await client.get("/chiipochi/operator/books?month=2025-13")).status == 422
        assert (await client.post("/chiipochi/operator/books/close", {"month": "2025-08"})).status == 409
        lines = (await client.get("/chiipochi/operator/books.csv?month=2025-08")).text.splitlines()
        assert lines[1].startswith("2025-08-20 14:10:02,寄付,千葉県,500,18,482," + AOI)
        clock.set(utc("2025-09-03T12:00:00+09:00").timestamp())
        await client.post("/chiipochi/operator/books/close", {"month": "2025-08"})
        assert "締め済み" in (await client.get("/chiipochi/operator/books?month=2025-08")).text
