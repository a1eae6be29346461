"""Files for people and for analysis."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import duckdb
import orjson

from sekkei.clock import ManualClock
from sekkei.design import replace
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.design.models import Donation
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.exports import as_csv
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import AOI, NOW, REN, TODAY, Bot, utc


async def test_spreadsheets(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    token = quick_bot.service.links.my_token(AOI)
    reply = await quick_bot.client.get(f"/chiipochi/u/{token}/donations.csv")
    rows = list(csv.reader(io.StringIO(reply.text.removeprefix("\ufeff"))))
    assert rows[1][1:4] == ["千葉県", "500", "SUCCEEDED"]
    formula = Donation(
        user_id=AOI, created_at=utc("2025-08-20T00:00:00Z"), amount=1, prefecture="CHIBA", tx_id="=cmd()"
    )
    assert ",'=cmd()" in as_csv([formula], "en").decode()
    named = replace(formula, prefecture="APPEAL-noto", recipient_ja="＝能登", recipient_en="+Noto")
    assert ",'＝能登," in as_csv([named], "ja").decode()
    assert ",'+Noto," in as_csv([named], "en").decode()


async def test_exports_are_by_day_and_name_nobody(clock: ManualClock, tmp_path: Path) -> None:
    async with opened(SYSTEM, clock=clock, settings=test_settings(data=tmp_path)) as client:
        bot = Bot(client, clock)
        await bot.donate("ピーナッツ 500")
        clock.set(utc("2025-08-21T00:30:00+09:00").timestamp())
        await client.shell.deployment.systems["chiipochi"].parts.scheduled["export"]({})
        folder = tmp_path / "exports" / "chiipochi"
        file = folder / "ndjson" / "dt=2025-08-20" / "donations.ndjson"
        (row,) = [orjson.loads(line) for line in file.read_bytes().splitlines()]
        assert (row["prefecture_iso"], row["amount"], row["status"]) == ("JP-12", 500, "SUCCEEDED")
        assert AOI not in file.read_text()
        clock.set(NOW)
        await bot.donate("ゴーヤ", REN)
        clock.advance(60)
        await bot.donate("ピーナッツ", REN)
        await bot.say("ピーナッツ", "はい")
        clock.set(utc("2025-08-21T00:30:00+09:00").timestamp())
        await client.shell.deployment.systems["chiipochi"].parts.scheduled["export"]({})
        given_back = (await bot.donations(REN))[1]
        await bot.service.refunds.refund(Operator("demo-aoi"), REN, given_back.created_at)
        await bot.work()
        clock.set(utc("2025-08-27T00:30:00+09:00").timestamp())
        await bot.service.refunds.refund(Operator("demo-aoi"), REN, (await bot.donations(REN))[0].created_at)
        await bot.work()
        await client.shell.deployment.systems["chiipochi"].parts.scheduled["export"]({})
        counted = await bot.service.reports.recount(TODAY)
        assert (counted.amount, counted.count) == (500, 1)
        source = f"read_json_auto('{folder}/ndjson/*/*.ndjson', hive_partitioning=true)"
        wanted = "status = 'SUCCEEDED' AND refunded_at IS NULL AND CAST(dt AS VARCHAR) = '2025-08-20'"
        query = f"SELECT prefecture, sum(amount), count(*) FROM {source} WHERE {wanted} GROUP BY ALL"
        sums = {code: (amount, count) for code, amount, count in duckdb.sql(query).fetchall()}
        assert sums == {code: (total.amount, total.count) for code, total in counted.prefectures.items()}
        assert duckdb.sql(f"SELECT count(*) FROM {source}").fetchall() == [(4,)]
