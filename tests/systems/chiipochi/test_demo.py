"""The demo."""

from __future__ import annotations

import re
from datetime import datetime

from sekkei.clock import ManualClock
from sekkei.web.testing import opened
from sekkei_systems.chiipochi.design import (
    design,
    history_of_user,
)
from sekkei_systems.chiipochi.design.models import Outcome, Status
from sekkei_systems.chiipochi.design.tables import book_entries, receipts
from sekkei_systems.chiipochi.local import line_id
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.system import SYSTEM
from sekkei_systems.days import JST
from tests.systems.chiipochi.conftest import TODAY, Bot


async def test_the_demo_fills_every_table_and_its_totals_are_right(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock, demo=True) as client:
        bot = Bot(client, clock)
        await client.work()
        for table in design.tables.values():
            scanned = await bot.db.store.call("Scan", {"TableName": bot.db.table_name(table), "Limit": 1})
            assert scanned["Items"], table.name
        assert (await bot.service.reports.check(TODAY)).agrees
        assert await bot.sent("thanks/") == []
        assert len(await bot.service.reconciliation.pending()) == 2
        assert len(await bot.service.refunds.owed(Operator("demo-ren"))) == 1
        await client.sign_in("demo-aoi")
        for path in ("", "chat", "operator", "me", "docs"):
            reply = await client.get(f"/chiipochi/{path}", follow=True)
            assert reply.status == 200, path
        links = set(re.findall(r'href="[^"]*(/chiipochi/(?:pay|u)/[^"]+)"', (await client.get("/chiipochi/chat")).text))
        assert {link.split("/")[2] for link in links} == {"pay", "u"}
        for link in links:
            assert (await client.get(link)).status in (200, 303), link
        assert await bot.db.all(history_of_user(line_id("demo-aoi")))
        await bot.say("はい", user=line_id("demo-aoi"))
        newest = (await bot.donations(line_id("demo-aoi")))[-1]
        assert (newest.prefecture, newest.status) == ("AOMORI", Status.PENDING)


async def test_the_demo_can_begin_with_the_year() -> None:
    new_year = datetime(2027, 1, 1, 0, 3, tzinfo=JST)
    async with opened(SYSTEM, clock=ManualClock(new_year.timestamp()), demo=True) as client:
        issued = await client.shell.deployment.systems["chiipochi"].context.db.all(receipts.scan())
        assert [(receipt.year, receipt.what) for receipt in issued] == [(2027, "YEAR-2026")]


async def test_payments_of_the_demo_stand_at_the_fake_stripe(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock, demo=True) as client:
        bot, operator = Bot(client, clock), Operator("demo-ren")
        (owed,) = await bot.service.refunds.owed(operator)
        assert owed.tx_id is not None
        found = await bot.service.settling.provider.fetch(owed.tx_id)
        assert found is not None
        assert (found.outcome, found.amount) == (Outcome.PAID, owed.amount)
        await bot.service.refunds.refund(operator, owed.user_id, owed.created_at)
        await bot.work()
        assert await bot.service.refunds.owed(operator) == []
        booked = await bot.db.all(book_entries.scan())
        assert sum(entry.kind == "charge" and entry.recipient in PREFECTURES for entry in booked) > 100
