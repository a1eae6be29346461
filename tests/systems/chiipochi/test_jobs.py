"""What takes longer than a request: being forgotten."""

from __future__ import annotations

import asyncio
from contextvars import Context
from typing import Any

import pytest

from sekkei.design import TransactionFailed
from sekkei.runtime.data_subjects import LATE, LEAVE
from sekkei.runtime.design import newest_messages
from sekkei.runtime.jobs import Job
from sekkei_systems.chiipochi import jobs
from sekkei_systems.chiipochi.design import (
    awards,
    chat_of,
    day_totals,
    local_payments,
    pledges,
    stamp_card,
    state,
    user_settings,
)
from sekkei_systems.chiipochi.design.models import DayTotal, Outcome, Status
from sekkei_systems.chiipochi.jobs import pseudonym
from sekkei_systems.chiipochi.ports.payments import PaymentEvent
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.service.refunds import key_of
from tests.systems.chiipochi.conftest import AOI, TODAY, Bot


async def test_whoever_asks_is_forgotten_and_the_books_stay_right(quick_bot: Bot) -> None:
    for _ in range(3):
        await quick_bot.donate()
    await quick_bot.say("毎月 ゴーヤ 300", "はい", "English")
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
    assert [one.id for one in await context.runtime.all(newest_messages()) if one.to == AOI] == []
    after = await quick_bot.service.reports.check(TODAY)
    assert after == before
    assert after.agrees
    assert len(await quick_bot.donations(pseudonym(context.settings, AOI))) == 3
    jobs: dict[str, Job] = dict(quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs)
    assert set(jobs) == {"forget", "reconcile", "rankings", "books", LEAVE, LATE}


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
    moved = pseudonym(context.settings, AOI)
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
    assert await quick_bot.sent("thanks/") == [], "the first went with them; nobody writes to the forgotten"
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
    moves = jobs._move

    async def late(*given: Any) -> None:
        monkeypatch.undo()
        await quick_bot.work()
        await moves(*given)

    monkeypatch.setattr(jobs, "_move", late)
    with pytest.raises(TransactionFailed):
        await step({"user_id": AOI}, None)
    await step({"user_id": AOI}, None)
    (moved,) = await quick_bot.donations(pseudonym(context.settings, AOI))
    assert moved.status is Status.SUCCEEDED


async def test_a_donor_who_is_forgotten_while_money_is_given_back_is_in_the_books(
    quick_bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    donation = await quick_bot.donate()
    settling = quick_bot.service.settling
    ((_, step), _) = quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs["forget"].steps
    gives = settling.provider.refund

    async def slow(tx_id: str, order_id: str, key: str) -> str:
        await step({"user_id": AOI}, None)
        return await gives(tx_id, order_id, key)

    refunds = quick_bot.service.refunds
    await refunds.refund(Operator("demo-ren"), AOI, donation.created_at)
    monkeypatch.setattr(settling.provider, "refund", slow)
    await quick_bot.work()
    quick_bot.clock.advance(3600)
    await quick_bot.work()
    assert await refunds.owed(Operator("demo-ren")) == []
    (found,) = await refunds.given_back(Operator("demo-ren"))
    assert found.refund_id == (donation.tx_id or "").replace("cs_", "re_")


async def test_every_night_the_totals_are_counted_again(quick_bot: Bot) -> None:
    """One that was counted wrongly, and one of which the stream never told."""
    await quick_bot.donate()
    await quick_bot.db.write(day_totals.update(TODAY).set(DayTotal.amount, 1))
    await quick_bot.say("ピーナッツ 300", "はい")
    await quick_bot.pay((await quick_bot.donations())[-1])
    while await quick_bot.client.shell.deployment.worker.deliver():
        quick_bot.clock.advance(2)
    quick_bot.clock.advance(86400)
    opened = quick_bot.client.shell.deployment.systems["chiipochi"]
    await opened.parts.scheduled["check-totals"]({})
    assert (await quick_bot.service.reports.check(TODAY)).agrees


async def test_a_donation_made_while_its_donor_is_forgotten_keeps_its_stamp(quick_bot: Bot) -> None:
    """A message was on its way. Its award must stay as well: without it the donation would be counted again."""
    await quick_bot.donate()
    await quick_bot.donate("ゴーヤ")
    (_, move), (_, rest) = quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs["forget"].steps
    await move({"user_id": AOI}, None)
    await quick_bot.donate()
    await rest({"user_id": AOI}, None)
    assert [(one.prefecture, one.count) for one in await quick_bot.db.all(stamp_card(AOI))] == [("CHIBA", 1)]
    (donation,) = await quick_bot.donations()
    assert await quick_bot.db.get(awards(AOI, donation.created_at)) is not None


async def test_a_refund_that_fails_while_its_donor_is_forgotten_can_be_asked_for_again(
    quick_bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    donation = await quick_bot.donate()
    refunds, operator = quick_bot.service.refunds, Operator("demo-ren")
    await refunds.refund(operator, AOI, donation.created_at)
    (asked,) = await quick_bot.donations()
    assert asked.refund_asked_at is not None
    key = key_of(asked.refund_asked_at)
    ((_, step), _) = quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs["forget"].steps
    moves = jobs._move

    async def late(*given: Any) -> None:
        monkeypatch.undo()
        await refunds.give_up(order_id_of(AOI, donation.created_at), donation.tx_id or "", key)
        await moves(*given)

    monkeypatch.setattr(jobs, "_move", late)
    with pytest.raises(TransactionFailed):
        await step({"user_id": AOI}, None)
    await step({"user_id": AOI}, None)
    (owed,) = await refunds.owed(operator)
    assert not owed.is_refund_running


async def test_money_that_comes_too_late_while_its_donor_is_forgotten_is_owed(
    quick_bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    await quick_bot.say("ピーナッツ", "はい")
    (donation,) = await quick_bot.donations()
    order = order_id_of(AOI, donation.created_at)
    settling = quick_bot.service.settling
    await settling.apply(PaymentEvent("e1", "tx_1", order, 100, Outcome.FAILED))
    ((_, step), _) = quick_bot.client.shell.deployment.systems["chiipochi"].parts.jobs["forget"].steps
    letters = settling.letters.to

    async def slow(*given: Any) -> Any:
        monkeypatch.undo()
        await asyncio.create_task(step({"user_id": AOI}, None), context=Context())
        return await letters(*given)

    monkeypatch.setattr(settling.letters, "to", slow)
    late = PaymentEvent("e2", "tx_1", order, 100, Outcome.PAID)
    assert await settling.apply(late) == "late"
    assert await settling.apply(late) == "known"
    assert [one.tx_id for one in await quick_bot.service.refunds.owed(Operator("demo-ren"))] == ["tx_1"]
