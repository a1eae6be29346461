from __future__ import annotations

import pytest

from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Contact, contacts
from tests.systems.lessons.world import World


async def test_a_member_is_found_by_the_address_that_is_theirs_now(world: World) -> None:
    made = await world.contacts.ensure("hana", "花", "hana@example.com")
    assert (await world.service.members.by_mail(" Hana@example.com ")) == made
    with pytest.raises(refusals.NoSuchMember):
        await world.service.members.by_mail("nobody@example.com")
    await world.db.write(contacts.update("hana").set(Contact.email, "new@example.com"))
    with pytest.raises(refusals.NoSuchMember):
        await world.service.members.by_mail("hana@example.com")


async def test_contacts_of_an_older_version_are_noted_once(world: World) -> None:
    await world.person("ren")
    with pytest.raises(refusals.NoSuchMember):
        await world.service.members.by_mail("ren@example.com")
    for _ in range(2):
        await world.jobs.count({})
    assert (await world.service.members.by_mail("ren@example.com")).user_id == "ren"
    assert world.service.members.is_done
