"""A donor's own page."""

from __future__ import annotations

import pytest

from sekkei_systems.chiipochi.design import donations
from sekkei_systems.chiipochi.design.models import Donation, Outcome, Status
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.donations import order_id_of
from tests.systems.chiipochi.conftest import AOI, REN, Bot, StripeBot, utc


async def test_ones_own_donations_and_nobody_elses(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.donate("ゴーヤ 300", REN)
    page = (await quick_bot.client.get(f"/chiipochi/u/{quick_bot.service.links.my_token(AOI)}")).text
    assert "¥500" in page
    assert "¥300" not in page
    sheet = (await quick_bot.client.get(f"/chiipochi/u/{quick_bot.service.links.my_token(REN)}/donations.csv")).text
    assert "沖縄県" in sheet
    assert "千葉県" not in sheet


async def test_what_waits_can_be_paid_from_here(quick_bot: Bot) -> None:
    await quick_bot.say("ピーナッツ", "はい")
    page = (await quick_bot.client.get(f"/chiipochi/u/{quick_bot.service.links.my_token(AOI)}")).text
    assert "/chiipochi/pay/" in page


# The way to the provider, and the way back.


async def _link(bot: Bot) -> str:
    await bot.say("ピーナッツ", "はい")
    (donation,) = await bot.donations()
    return f"/chiipochi/pay/{bot.service.links.order_token(order_id_of(AOI, donation.created_at))}"


async def test_the_link_leads_to_the_provider_and_after_that_to_the_thanks(quick_bot: Bot) -> None:
    link = await _link(quick_bot)
    reply = await quick_bot.client.get(link)
    assert (reply.status, reply.header("cache-control")) == (303, "no-store")
    tx_id = reply.location.rpartition("/")[2]
    assert "お支払いを確認しています" in (await quick_bot.client.get(f"{link}/done")).text
    await quick_bot.decide(tx_id, Outcome.PAID)
    await quick_bot.work()
    assert "ありがとうございます" in (await quick_bot.client.get(f"{link}/done")).text
    assert (await quick_bot.client.get(link)).location.endswith("/done")


async def test_whoever_cancels_at_the_provider_can_go_on_paying_or_back_to_line(stripe_bot: StripeBot) -> None:
    donation, session = await stripe_bot.checkout()
    path = session["cancel_url"].partition("8000")[2]
    page = (await stripe_bot.client.get(path)).text
    assert "お支払いはまだ済んでいません" in page
    assert 'http-equiv="refresh"' not in page
    assert f'href="{path.removesuffix("/back")}"' in page
    stripe_bot.ledger.pay_by_card(session)
    await stripe_bot.tell()
    assert (await stripe_bot.client.get(path)).location.endswith("/done")
    assert (await stripe_bot.now(donation)).counts


async def test_the_page_that_waits_stops_waiting(quick_bot: Bot) -> None:
    link = await _link(quick_bot)
    await quick_bot.client.get(link)
    first = (await quick_bot.client.get(f"{link}/done")).text
    assert "looks=1" in first
    last = (await quick_bot.client.get(f"{link}/done?looks=30")).text
    assert 'http-equiv="refresh"' not in last
    assert f'href="{link}"' in last, "and leads to paying instead"
    assert "自動で更新" in first
    assert "自動で更新" not in last, "and does not say that it renews itself"


@pytest.mark.parametrize("fault", ["down", "lost"])
async def test_while_stripe_is_down_the_donor_reads_a_sentence(stripe_bot: StripeBot, fault: str) -> None:
    bot = stripe_bot
    await bot.say("ピーナッツ", "はい")
    (donation,) = await bot.donations()
    link = bot.done(donation).removesuffix("/done")
    bot.stripe.faults.down, bot.stripe.faults.lose_answers = fault == "down", 9 * (fault == "lost")
    reply = await bot.client.get(link)
    assert reply.status == 503
    assert "決済会社につながりません" in reply.text
    bot.stripe.faults.down, bot.stripe.faults.lose_answers = False, 0
    assert (await bot.client.get(link)).status == 303
    assert len(bot.ledger.sessions) == 1, "one donation, one checkout, however often it was tried"


async def test_whoever_paid_too_late_is_not_told_that_nothing_was_taken(stripe_bot: StripeBot) -> None:
    bot = stripe_bot
    donation, session = await bot.checkout()
    bot.ledger.choose_konbini(session)
    await bot.tell()
    await bot.db.write(donations.update(AOI, donation.created_at).set(Donation.status, Status.FAILED))
    assert "お金はいただいていません" in (await bot.client.get(bot.done(donation))).text
    charge = bot.ledger.pay_later(session)
    await bot.tell()
    page = (await bot.client.get(bot.done(donation))).text
    assert "お金はいただいていません" not in page
    assert "全額を返金しますので" in page
    bot.ledger.refund(charge)
    await bot.tell()
    assert "全額を返金しました" in (await bot.client.get(bot.done(donation))).text


async def test_the_page_says_what_became_of_the_money_since(stripe_bot: StripeBot) -> None:
    bot = stripe_bot
    donation, session = await bot.checkout()
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    assert "500 円の寄付が届きました" in (await bot.client.get(bot.done(donation))).text
    bot.ledger.refund(charge, 200)
    await bot.tell()
    assert "500 円のうち 200 円を返金しました" in (await bot.client.get(bot.done(donation))).text
    dispute = bot.ledger.dispute(charge)
    await bot.tell()
    assert "異議申し立てがありました" in (await bot.client.get(bot.done(donation))).text
    bot.ledger.close_dispute(dispute, won=False)
    await bot.tell()
    token, made = bot.service.links.my_token(AOI), order_id_of(AOI, donation.created_at).partition("|")[2]
    receipt = (await bot.client.get(f"/chiipochi/u/{token}/receipt/{made}")).text
    assert "異議申し立て" in receipt
    assert "返金されたため" not in receipt, "it was not we who gave it back"


# Receipts and years.


async def test_months_in_a_row_and_the_sheet_of_a_year(quick_bot: Bot) -> None:
    for day in ("2025-11-30", "2025-12-01", "2026-01-31"):
        quick_bot.clock.set(utc(f"{day}T12:00:00+09:00").timestamp())
        await quick_bot.donate("ピーナッツ 500")
    mine = quick_bot.service.mine
    assert await mine.streak(Donor(AOI)) == 3
    quick_bot.clock.set(utc("2026-02-28T12:00:00+09:00").timestamp())
    assert await mine.streak(Donor(AOI)) == 3, "February may still come"
    quick_bot.clock.set(utc("2026-03-01T00:00:00+09:00").timestamp())
    assert await mine.streak(Donor(AOI)) == 0
    assert await mine.streak(Donor(REN)) == 0
    token = quick_bot.service.links.my_token(AOI)
    sheet = (await quick_bot.client.get(f"/chiipochi/u/{token}/year/2025")).text
    assert "¥1,000" in sheet
    assert "1の都道府県へ、2件" in sheet
    for year in ("2024", "2027", "0", "99999", "x"):
        assert (await quick_bot.client.get(f"/chiipochi/u/{token}/year/{year}")).status == 404, year
