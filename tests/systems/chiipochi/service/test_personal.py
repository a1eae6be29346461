"""Leaving with the account: whoever ran the bot is named nowhere, and in the simulator the donor is forgotten too."""

from __future__ import annotations

from sekkei.runtime.personal import Person
from sekkei_systems.chiipochi.design import donations
from sekkei_systems.chiipochi.design.models import Donation
from sekkei_systems.chiipochi.local.chat import line_id
from tests.systems.chiipochi.conftest import Bot
from tests.systems.leaving import exported, leave

AOI = Person("demo-aoi", "aoi@demo.example", "葵")


async def test_an_operator_is_named_nowhere(quick_bot: Bot) -> None:
    opened = quick_bot.client.shell.deployment.systems["chiipochi"]
    db, donation = opened.context.db, await quick_bot.donate()
    key = donation.user_id, donation.created_at
    await db.write(donations.update(*key).set(Donation.refund_asked_by, AOI.user_id))
    await leave(opened.parts.personal, AOI)
    assert (await db.need(donations(*key).consistent())).refund_asked_by == "—"


async def test_who_wrote_in_the_simulator_is_forgotten(quick_bot: Bot) -> None:
    personal = quick_bot.client.shell.deployment.systems["chiipochi"].parts.personal
    me = line_id(AOI.user_id)
    await quick_bot.donate(user=me)
    assert len((await exported(personal, AOI))["donations.json"]) == 1
    await leave(personal, AOI)
    assert await quick_bot.donations(user=me) == []
    assert await exported(personal, AOI) == {}
