"""Pages, who may see them, and what happens by the clock."""

from __future__ import annotations

import csv
import io
import re
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.design import TransactionFailed
from sekkei.runtime.jobs import Job
from sekkei.web import missing_texts
from sekkei.web.testing import opened, test_settings
from sekkei_systems import chiipochi
from sekkei_systems.chiipochi import SYSTEM
from sekkei_systems.chiipochi.chat import line_id
from sekkei_systems.chiipochi.design import (
    chat_of,
    design,
    history_of_user,
    local_payments,
    pledges,
    stamp_card,
    state,
    user_settings,
    user_states,
)
from sekkei_systems.chiipochi.exports import as_csv
from sekkei_systems.chiipochi.jobs import pseudonym
from sekkei_systems.chiipochi.links import order_id_of
from sekkei_systems.chiipochi.models import Donation, Outcome, Status
from sekkei_systems.chiipochi.payments.port import PaymentEvent
from sekkei_systems.chiipochi.texts import TEXTS
from tests.systems.chiipochi.conftest import AOI, NOW, REN, Bot, utc
from tests.web.authorisation import Rule, deviations, uncovered

TODAY = date(2025, 8, 20)
ANYBODY = {"anonymous": 200, "user": 200, "operator": 200}
SIGNED_IN = {"anonymous": 303, "user": 200, "operator": 200}
OPERATOR = {"anonymous": 403, "user": 403, "operator": 200}
OPERATOR_FORM = {"anonymous": 403, "user": 403, "operator": 303}


async def test_every_route_by_everybody(clock: ManualClock, tmp_path: Path) -> None:
    settings = test_settings(demo=False, data=tmp_path, values={"operators": "aoi@demo.example"})
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        donation = await bot.donate()
        await bot.say("ゴーヤ", "はい", user=REN)
        (waiting,) = await bot.donations(REN)
        actors = {"anonymous": client, "user": client.another(), "operator": client.another()}
        await actors["user"].sign_in("demo-ren")
        await actors["operator"].sign_in("demo-aoi")
        links = bot.service.links
        url = await bot.service.settling.start(links.order_token(order_id_of(REN, waiting.created_at)))
        order = {"order": order_id_of(REN, waiting.created_at)}
        day = {"day": f"{TODAY}"}
        matrix = {
            "GET /chiipochi/": Rule(ANYBODY),
            "GET /chiipochi/day": Rule(ANYBODY),
            "GET /chiipochi/chat": Rule(SIGNED_IN),
            "GET /chiipochi/chat/messages": Rule(SIGNED_IN),
            "POST /chiipochi/chat/sign": Rule(
                {"anonymous": 401, "user": 200, "operator": 200}, json={"text": "りんご"}
            ),
            "GET /chiipochi/chat/menu-{language}.png": Rule(ANYBODY),
            "GET /chiipochi/me": Rule({"anonymous": 303, "user": 303, "operator": 303}),
            "GET /chiipochi/local-pay/{tx_id}": Rule(ANYBODY),
            "POST /chiipochi/local-pay/{tx_id}": Rule(
                {"anonymous": 303, "user": 303, "operator": 303}, form={"decision": "approve"}
            ),
            "GET /chiipochi/pay/{order}": Rule({"anonymous": 303, "user": 303, "operator": 303}),
            "GET /chiipochi/pay/{order}/done": Rule(ANYBODY),
            "GET /chiipochi/u/{token}": Rule(ANYBODY),
            "GET /chiipochi/u/{token}/donations.csv": Rule(ANYBODY),
            "GET /chiipochi/u/{token}/year/{year}": Rule(ANYBODY),
            "GET /chiipochi/u/{token}/receipt/{created_at}": Rule(ANYBODY),
            "GET /chiipochi/operator": Rule(OPERATOR),
            "GET /chiipochi/operator/donations.csv": Rule(OPERATOR),
            "GET /chiipochi/operator/donations.ndjson": Rule(OPERATOR),
            "POST /chiipochi/operator/ask": Rule(OPERATOR_FORM, form=order),
            "POST /chiipochi/operator/reconcile": Rule(OPERATOR_FORM, form={}),
            "POST /chiipochi/operator/repair": Rule(OPERATOR_FORM, form=day),
            "POST /chiipochi/operator/export": Rule(OPERATOR_FORM, form=day),
            "POST /chiipochi/operator/refund": Rule(OPERATOR_FORM, form=order),
            "POST /chiipochi/operator/refunded": Rule(OPERATOR_FORM, form=order),
            "POST /chiipochi/webhook": Rule({"anonymous": 401, "user": 401, "operator": 401}, json={"events": []}),
            "POST /chiipochi/payments/{provider}": Rule({"anonymous": 400, "user": 400, "operator": 400}, json={}),
            "GET /chiipochi/api/days/{day}": Rule(ANYBODY),
            "GET /chiipochi/api/prefectures": Rule(ANYBODY),
            "GET /chiipochi/openapi.json": Rule(ANYBODY),
            "GET /chiipochi/docs": Rule(ANYBODY),
            "POST /chiipochi/u/{token}/forget": Rule({"anonymous": 303, "user": 303, "operator": 303}, form={}),
        }
        live = {"GET /chiipochi/live": Rule(ANYBODY), "GET /chiipochi/chat/live": Rule(SIGNED_IN)}
        named = {name.replace("{order}", "{token}"): rule for name, rule in {**matrix, **live}.items()}
        assert uncovered(client.app, "chiipochi", named) == []
        parameters = {
            "order": links.order_token(order_id_of(REN, waiting.created_at)),
            "token": links.my_token(AOI),
            "tx_id": url.rpartition("/")[2],
            "created_at": order_id_of(AOI, donation.created_at).partition("|")[2],
            "provider": "local",
            "language": "ja",
            "year": "2025",
            **day,
        }
        assert await deviations(matrix, actors, parameters) == []
        client.shell.connections.stopping.set()
        assert await deviations(live, actors, parameters) == []


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


async def test_the_dashboard_shows_the_ranking_and_takes_no_nonsense(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.donate("ゴーヤ", REN)
    page = (await quick_bot.client.get("/chiipochi/")).text
    assert page.index("千葉県") < page.index("¥500") < page.rindex("沖縄県")
    assert "¥600" in page
    english = await quick_bot.client.get("/chiipochi/?lang=en")
    assert "Okinawa" in english.text
    for day in ("yesterday", "2025-02-30", "%00"):
        assert (await quick_bot.client.get(f"/chiipochi/?day={day}")).status == 422
    api = (await quick_bot.client.get(f"/chiipochi/api/days/{TODAY}")).json()
    assert [row["prefecture"] for row in api["ranking"]] == ["CHIBA", "OKINAWA"]
    assert (api["amount"], api["count"]) == (600, 2)


async def test_the_bot_tells_totals_rankings_history_and_stamps(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.say("ゴーヤ", "はい")
    expected = {
        "今日の合計": ["1件・500円", "お支払い待ち 100円"],
        "みんなの合計": ["1件・500円"],
        "ランキング": ["千葉県　500円"],
        "履歴": ["✅ 08/20 千葉県 500円", "⏳ 08/20 沖縄県 100円"],
        "スタンプ": ["1 / 47", "千葉×1"],
        "年間まとめ": ["2025年", "1件・500円", "1の都道府県"],
        "友だちに教える": ["/chiipochi/"],
        "ヘルプ": ["使い方"],
    }
    for words, answers in expected.items():
        await quick_bot.say(words)
        told = await quick_bot.last_words()
        assert all(answer in told for answer in answers), (words, told)


async def test_months_in_a_row_and_the_sheet_of_a_year(quick_bot: Bot) -> None:
    for day in ("2025-11-30", "2025-12-01", "2026-01-31"):
        quick_bot.clock.set(utc(f"{day}T12:00:00+09:00").timestamp())
        await quick_bot.donate("ピーナッツ 500")
    reports = quick_bot.service.reports
    assert await reports.streak(AOI) == 3
    quick_bot.clock.set(utc("2026-02-28T12:00:00+09:00").timestamp())
    assert await reports.streak(AOI) == 3, "February may still come"
    quick_bot.clock.set(utc("2026-03-01T00:00:00+09:00").timestamp())
    assert await reports.streak(AOI) == 0
    assert await reports.streak(REN) == 0
    token = quick_bot.service.links.my_token(AOI)
    sheet = (await quick_bot.client.get(f"/chiipochi/u/{token}/year/2025")).text
    assert "¥1,000" in sheet
    assert "1の都道府県へ、2件" in sheet
    for year in ("2024", "2027", "0", "99999", "x"):
        assert (await quick_bot.client.get(f"/chiipochi/u/{token}/year/{year}")).status == 404, year


async def test_spreadsheets(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    token = quick_bot.service.links.my_token(AOI)
    reply = await quick_bot.client.get(f"/chiipochi/u/{token}/donations.csv")
    rows = list(csv.reader(io.StringIO(reply.text.removeprefix("\ufeff"))))
    assert rows[1][1:4] == ["千葉県", "500", "SUCCEEDED"]
    formula = Donation(
        user_id=AOI, created_at=utc("2025-08-20T00:00:00Z"), amount=1, prefecture="CHIBA", tx_id="=cmd()"
    )
    assert ",'=cmd()" in as_csv([formula], "en")


async def test_a_pledge_asks_once_a_month_and_can_be_stopped(quick_bot: Bot) -> None:
    await quick_bot.say("毎月 ピーナッツ 300")
    assert "毎月20日" in await quick_bot.last_words()
    job = quick_bot.client.shell.deployment.systems["chiipochi"].parts.scheduled["ask-for-pledges"]
    await job({})
    assert await quick_bot.donations() == [], "not in the month it was made"
    quick_bot.clock.set(utc("2025-09-20T09:00:00+09:00").timestamp())
    for _ in range(2):
        await job({})
    (donation,) = await quick_bot.donations()
    assert (donation.prefecture, donation.amount, donation.status) == ("CHIBA", 300, Status.PENDING)
    assert len(await quick_bot.sent("pledge/")) == 1
    await quick_bot.say("毎月をやめる")
    assert await quick_bot.db.get(pledges(AOI)) is None
    quick_bot.clock.set(utc("2025-10-20T09:00:00+09:00").timestamp())
    await job({})
    assert len(await quick_bot.donations()) == 1


async def test_whoever_asks_is_forgotten_and_the_books_stay_right(quick_bot: Bot) -> None:
    for _ in range(3):
        await quick_bot.donate()
    await quick_bot.say("毎月 ゴーヤ 300", "English")
    context = quick_bot.client.shell.deployment.systems["chiipochi"].context
    before = await quick_bot.service.reports.check(TODAY)
    token = quick_bot.service.links.my_token(AOI)
    assert (await quick_bot.client.post(f"/chiipochi/u/{token}/forget")).status == 303
    await quick_bot.work()
    assert await quick_bot.donations(AOI) == []
    assert await quick_bot.db.all(stamp_card(AOI)) == []
    assert await quick_bot.db.all(chat_of(AOI)) == []
    assert await quick_bot.db.get(pledges(AOI)) is None
    assert await quick_bot.db.get(state(AOI)) is None
    assert await quick_bot.db.get(user_settings(AOI)) is None
    after = await quick_bot.service.reports.check(TODAY)
    assert after == before
    assert after.agrees
    assert len(await quick_bot.donations(pseudonym(context, AOI))) == 3
    jobs: dict[str, Job] = dict(quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs)
    assert set(jobs) == {"forget"}


async def test_whoever_is_forgotten_between_paying_and_counting_is_counted_once(quick_bot: Bot) -> None:
    """One donation is counted, one is paid but not counted, one is paid only after its donor is forgotten."""
    await quick_bot.donate()
    await quick_bot.say("ゴーヤ", "はい")
    await quick_bot.say("りんご", "青森", "はい")
    _, paid, waiting = await quick_bot.donations()
    tokens = [quick_bot.service.links.order_token(order_id_of(AOI, one.created_at)) for one in (paid, waiting)]
    payments = [(await quick_bot.service.settling.start(token)).rpartition("/")[2] for token in tokens]
    order = order_id_of(AOI, paid.created_at)
    await quick_bot.service.settling.apply(PaymentEvent("e1", payments[0], order, 100, Outcome.PAID))
    context = quick_bot.client.shell.deployment.systems["chiipochi"].context
    moved = pseudonym(context, AOI)
    job = quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs["forget"]
    for _, step in job.steps:
        await step({"user_id": AOI}, None)
    late = PaymentEvent("e2", payments[1], order_id_of(AOI, waiting.created_at), 100, Outcome.PAID)
    assert await quick_bot.service.settling.apply(late) == "settled", "found by its payment"
    await quick_bot.work()
    assert await quick_bot.donations(AOI) == []
    assert [one.status for one in await quick_bot.donations(moved)] == [Status.SUCCEEDED] * 3
    check = await quick_bot.service.reports.check(TODAY)
    assert check.agrees
    assert check.stored.count == 3
    assert await quick_bot.db.all(stamp_card(AOI)) == await quick_bot.db.all(stamp_card(moved)) == []
    assert len(await quick_bot.sent("thanks/")) == 1, "the first; nobody writes to the forgotten"
    rows = [await quick_bot.db.need(local_payments(payment)) for payment in payments]
    assert not any(AOI in row.order_id for row in rows)


async def test_what_happens_to_a_donation_while_its_donor_is_forgotten_is_kept(
    quick_bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read, it is paid, and only then it is moved: under its new name it must be paid as well."""
    await quick_bot.say("ピーナッツ", "はい")
    (waiting,) = await quick_bot.donations()
    await quick_bot.pay(waiting)
    context = quick_bot.client.shell.deployment.systems["chiipochi"].context
    ((_, step), _) = quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs["forget"].steps
    moves = chiipochi.jobs._move

    async def late(*given: Any) -> None:
        monkeypatch.undo()
        await quick_bot.work()
        await moves(*given)

    monkeypatch.setattr(chiipochi.jobs, "_move", late)
    with pytest.raises(TransactionFailed):
        await step({"user_id": AOI}, None)
    await step({"user_id": AOI}, None)
    (moved,) = await quick_bot.donations(pseudonym(context, AOI))
    assert moved.status is Status.SUCCEEDED


async def test_a_donor_who_is_forgotten_while_money_is_given_back_is_in_the_books(
    quick_bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    donation = await quick_bot.donate()
    settling = quick_bot.service.settling
    ((_, step), _) = quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs["forget"].steps
    gives = settling.provider.refund

    async def slow(tx_id: str, order_id: str) -> str:
        await step({"user_id": AOI}, None)
        return await gives(tx_id, order_id)

    await settling.refund(AOI, donation.created_at, by="demo-ren")
    monkeypatch.setattr(settling.provider, "refund", slow)
    await quick_bot.work()
    quick_bot.clock.advance(3600)
    await quick_bot.work()
    assert await settling.owed() == []
    (found,) = await settling.given_back()
    assert found.refund_id == f"re_{donation.tx_id}"


async def test_the_operator_gives_money_back(clock: ManualClock) -> None:
    settings = test_settings(demo=False, values={"operators": "aoi@demo.example"})
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        donation = await bot.donate("ピーナッツ 500")
        await client.sign_in("demo-aoi")
        for wanted in (donation.tx_id, AOI, order_id_of(AOI, donation.created_at)):
            page = (await client.get(f"/chiipochi/operator?find={wanted}")).text
            assert "/chiipochi/operator/refund" in page
            assert "data-confirm" in page
        assert "見つかりませんでした" in (await client.get("/chiipochi/operator?find=nobody")).text
        order = {"order": order_id_of(AOI, donation.created_at)}
        assert (await client.post("/chiipochi/operator/refund", form=order)).status == 303
        await bot.work()
        page = (await client.get(f"/chiipochi/operator?find={AOI}")).text
        assert "返金済み" in page
        assert f"re_{donation.tx_id}" in page
        token = bot.service.links.my_token(AOI)
        assert "返金済み" in (await client.get(f"/chiipochi/u/{token}")).text
        created_at = order["order"].partition("|")[2]
        assert "返金されたため" in (await client.get(f"/chiipochi/u/{token}/receipt/{created_at}")).text
        assert "返金しました" in str((await bot.sent("refunded/"))[0].body)


async def test_the_bot_speaks_english_to_whoever_asks(quick_bot: Bot) -> None:
    await quick_bot.say("English")
    assert "I will speak English" in await quick_bot.last_words()
    await quick_bot.say("peanuts")
    assert "Donate ¥100 to Chiba?" in await quick_bot.last_words()
    # The state is forgotten when its time is over; the language is not.
    quick_bot.clock.advance(3 * 24 * 3600)
    await quick_bot.db.write(user_states.delete(AOI))
    donation = await quick_bot.donate("peanuts 300")
    thanks = (await quick_bot.sent("thanks/"))[0]
    assert "Your ¥300 have arrived" in str(thanks.body)
    payment = await quick_bot.db.need(local_payments(donation.tx_id or ""))
    assert payment.description == "ちいポチ 千葉県への寄付 / Chiipochi: donation to Chiba"
    expected = {
        "today": "You have donated ¥300 today",
        "total": "Everybody together",
        "ranking": "Chiba",
        "history": "Your last donations",
        "stamps": "Chiba ×1",
        "year": "Your 2025",
        "share": "a LINE bot",
        "help": "How to use",
        "monthly peanuts 300": "every month",
        "stop monthly": "has ended",
        "yes": "Nothing is waiting",
        "what?": "do not know that word",
    }
    for words, answer in expected.items():
        quick_bot.clock.advance(1)
        await quick_bot.say(words)
        assert answer in await quick_bot.last_words(), words
    await quick_bot.say("日本語", "ピーナッツ")
    assert "千葉県に100円を寄付しますか" in await quick_bot.last_words()


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
        await bot.service.settling.refund(REN, given_back.created_at, by="demo-aoi")
        await bot.work()
        clock.set(utc("2025-08-27T00:30:00+09:00").timestamp())
        await bot.service.settling.refund(REN, (await bot.donations(REN))[0].created_at, by="demo-aoi")
        await bot.work()
        await client.shell.deployment.systems["chiipochi"].parts.scheduled["export"]({})
        counted = await bot.service.reports.recount(TODAY)
        assert (counted.amount, counted.count) == (500, 1)
        for form in ("ndjson", "parquet"):
            reader = "read_json_auto" if form == "ndjson" else "read_parquet"
            source = f"{reader}('{folder}/{form}/*/*.{form}', hive_partitioning=true)"
            wanted = "status = 'SUCCEEDED' AND refunded_at IS NULL AND CAST(dt AS VARCHAR) = '2025-08-20'"
            query = f"SELECT prefecture, sum(amount), count(*) FROM {source} WHERE {wanted} GROUP BY ALL"
            sums = {code: (amount, count) for code, amount, count in duckdb.sql(query).fetchall()}
            assert sums == {code: (total.amount, total.count) for code, total in counted.prefectures.items()}
            assert duckdb.sql(f"SELECT count(*) FROM {source}").fetchall() == [(4,)]
        columnar = folder / "parquet" / "dt=2025-08-20" / "donations.parquet"
        assert columnar.read_bytes()[:4] == columnar.read_bytes()[-4:] == b"PAR1"
        assert AOI.encode() not in columnar.read_bytes()


async def test_many_donations_of_one_batch_some_of_them_told_before(quick_bot: Bot) -> None:
    people = [f"U{number:032x}" for number in range(20)]
    for person in people:
        for word in ("ピーナッツ", "ゴーヤ 300"):
            await quick_bot.say(word, "はい", user=person)
    found = [donation for person in people for donation in await quick_bot.donations(person)]
    for donation in found[::3]:
        await quick_bot.pay(donation)
    await quick_bot.work()
    for place, donation in enumerate(found):
        if place % 3:
            await quick_bot.pay(donation)
    await quick_bot.work()
    check = await quick_bot.service.reports.check(TODAY)
    assert check.agrees
    assert (check.stored.count, check.stored.amount) == (40, 8_000)
    assert len(await quick_bot.sent("thanks/")) == 40
    for person in people:
        assert await quick_bot.service.reports.stamps(person) == {"CHIBA": 1, "OKINAWA": 1}


async def test_a_day_spread_over_shards_adds_up_too(clock: ManualClock) -> None:
    settings = test_settings(values={"chiipochi_day_shards": "4"})
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        people = [f"U{number:032x}" for number in range(8)]
        for person in people:
            await bot.donate(user=person)
        partitions = {(await bot.donations(person))[0].gsi1_pk for person in people}
        assert len(partitions) > 1
        assert partitions <= {f"DATE#2025-08-20#{shard}" for shard in range(4)}
        check = await bot.service.reports.check(TODAY)
        assert check.agrees
        assert check.counted.count == 8
        assert await bot.service.reports.donors_on(TODAY) == sorted(people)


async def test_the_demo_fills_every_table_and_its_totals_are_right(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock, demo=True) as client:
        bot = Bot(client, clock)
        await client.work()
        for table in design.tables.values():
            scanned = await bot.db.store.call("Scan", {"TableName": bot.db.table_name(table), "Limit": 1})
            assert scanned["Items"], table.name
        assert (await bot.service.reports.check(TODAY)).agrees
        assert await bot.sent("thanks/") == []
        assert len(await bot.service.settling.pending()) == 2
        assert len(await bot.service.settling.owed()) == 1
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


def test_every_text_is_there_in_both_languages() -> None:
    assert missing_texts(TEXTS, Path(chiipochi.__file__).parent) == []
