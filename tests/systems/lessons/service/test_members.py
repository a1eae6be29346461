from __future__ import annotations

import pytest

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.refusals import Invalid
from sekkei.web.testing import Client
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.service import Service


async def test_a_member_is_found_by_the_mail_address_of_their_account(client: Client) -> None:
    service: Service = client.shell.deployment.systems["lessons"].parts.service
    ren = next(person for person in DEMO_PEOPLE if person.id == "demo-ren")
    with pytest.raises(refusals.NoSuchMember):
        await service.members.by_mail("nobody@example.com")
    with pytest.raises(Invalid):
        await service.members.by_mail("no address")
    await client.another().sign_in("demo-ren")
    for _ in range(2):
        found = await service.members.by_mail(f" {ren.email.upper()} ")
        assert (found.user_id, found.name) == (ren.id, ren.name)
