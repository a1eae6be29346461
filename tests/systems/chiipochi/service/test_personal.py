"""Leaving with the account: whoever ran the bot is named nowhere, and in the simulator the donor is forgotten too."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.design import replace
from sekkei.runtime import days
from sekkei.runtime.data_subjects import Person
from sekkei.runtime.sweeping import NOBODY
from sekkei.runtime.wakeups import watched
from sekkei_systems.chiipochi.design import appeal_changes, book_months, donations, surpluses
from sekkei_systems.chiipochi.design.models import FORGOTTEN, AppealChange, BookMonth, Donation, Surplus
from sekkei_systems.chiipochi.local import line_id
from sekkei_systems.chiipochi.service import personal
from tests.systems.chiipochi.conftest import AOI as AOI_ON_LINE
from tests.systems.chiipochi.conftest import REN, Bot
from tests.systems.leaving import exported, leave, look_again

AOI = Person("demo-aoi", "aoi@demo.example", "葵")


async def _signed_everywhere(bot: Bot) -> None:
    """Everything that an operator's name can stand under: refunds that wait, failed and were done, a second payment, a
    change of an appeal and of a text, and closed months."""
    me, now = AOI.user_id, days.now(bot.clock)
    for number in range(4):
        donation = await bot.donate()
        asked = donations.update(donation.user_id, donation.created_at)
        asked = asked.set(Donation.refund_asked_by, me).set(Donation.refund_asked_at, now)
        if number % 2:
            asked = asked.set(Donation.refunded_at, now).set(Donation.refund_id, f"by hand: {me}")
        if number == 2:
            asked = asked.set(Donation.refund_failed_at, now)
        await bot.db.write(asked)
    who = {"user_id": REN, "created_at": now, "prefecture": "CHIBA", "amount": 100, "paid_at": now}
    for number in range(3):
        at = now + timedelta(seconds=number)
        await bot.db.write(surpluses.put(Surplus(tx_id=f"cs_{number}", refund_asked_by=me, **who)))
        await bot.db.write(appeal_changes.put(AppealChange(at=at, code="NOTO", by=me, changes=["goal"])))
        month = BookMonth(month=f"2025-0{number + 1}", closed_at=now, closed_by=me)
        await bot.db.write(book_months.put(month))


async def _rows(bot: Bot) -> list[str]:
    store, names = bot.db.store, (await bot.db.store.call("ListTables", {}))["TableNames"]
    return [f"{row}" for name in names for row in (await store.call("Scan", {"TableName": name}))["Items"]]


async def test_an_operator_is_named_nowhere(quick_bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(personal, "PAGE", 2)
    opened = quick_bot.client.shell.deployment.systems["chiipochi"]
    await _signed_everywhere(quick_bot)
    other = donations.update(AOI_ON_LINE, (await quick_bot.donations())[0].created_at)
    await quick_bot.db.write(other.set(Donation.refund_asked_by, "demo-ren"))
    assert sum(AOI.user_id in row for row in await _rows(quick_bot)) == 3 + 9
    store = watched(quick_bot.db.store)
    store.calls.clear()
    await leave(opened.parts.personal, AOI)
    assert store.calls["Scan"] == 0
    rows = await _rows(quick_bot)
    assert [row for row in rows if AOI.user_id in row] == []
    assert sum("demo-ren" in row for row in rows) == 1
    assert sum(NOBODY in row for row in rows) == 3 + 9


async def test_nor_by_what_a_forgotten_donor_took_along(quick_bot: Bot) -> None:
    """A donation that moves to a forgotten donor's name while its operator leaves is nowhere for a moment."""
    taking = quick_bot.client.shell.deployment.systems["chiipochi"].parts.personal
    await _signed_everywhere(quick_bot)
    on_its_way = [one for one in await quick_bot.donations() if one.refund_asked_by == AOI.user_id]
    for one in on_its_way:
        await quick_bot.db.write(donations.delete(one.user_id, one.created_at))
    await leave(taking, AOI)
    for one in on_its_way:
        await quick_bot.db.write(donations.put(replace(one, user_id=f"{FORGOTTEN}1")))
    await look_again(taking, AOI)
    assert on_its_way
    assert [row for row in await _rows(quick_bot) if AOI.user_id in row] == []


async def test_who_wrote_in_the_simulator_is_forgotten(quick_bot: Bot) -> None:
    taking = quick_bot.client.shell.deployment.systems["chiipochi"].parts.personal
    me = line_id(AOI.user_id)
    await quick_bot.donate(user=me)
    assert len((await exported(taking, AOI))["donations.json"]) == 1
    await leave(taking, AOI)
    assert await quick_bot.donations(user=me) == []
    assert await exported(taking, AOI) == {}
