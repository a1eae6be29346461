"""What pages have in common: the menu knows who runs a studio, and a first visit makes a contact."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.lessons.steps import act


async def test_only_those_who_run_a_studio_see_its_desk_in_the_menu(client: Client) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    assert "/lessons/desk/gnz" in (await client.get("/lessons/")).text
    assert "/lessons/desk/" not in (await mei.get("/lessons/")).text


async def test_who_registers_for_something_can_be_reached(client: Client) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    contacts = client.shell.deployment.systems["lessons"].parts.service.contacts
    assert await contacts.get("demo-mei") is None
    await act(mei, "favorite")
    found = await contacts.get("demo-mei")
    assert (found.email, found.channels) == ("mei@demo.example", {"mail"})


async def test_a_day_that_is_none_is_today(client: Client) -> None:
    today = (await client.get("/lessons/?date=2025-07-29")).text
    for day in ("2025-02-30", "x", ""):
        assert (await client.get(f"/lessons/?date={day}")).text.count('aria-current="date"') == today.count(
            'aria-current="date"'
        )
