from __future__ import annotations

import re
from datetime import time

import orjson
import pytest

from sekkei.kit.signing import OneTimeCode
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.refusals import Invalid
from sekkei.web.identity.accounts import BadEmail
from sekkei.web.testing import Client
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.contacts import Preferences
from tests.systems.lessons.world import World

HOOK = "https://hook.example/lessons"


TOKEN = "ExponentPushToken[abc]"


async def code_in(world: World) -> str:
    message = max(await world.notices(), key=lambda one: one.created_at)
    found = re.search(r"\b\d{6}\b", orjson.dumps(message.body).decode())
    assert found is not None
    return found[0]


@pytest.mark.parametrize(("channel", "address"), [("mail", "new@example.com"), ("push", TOKEN), ("webhook", HOOK)])
async def test_an_address_is_used_after_its_code_came_back(world: World, channel: str, address: str) -> None:
    await world.contacts.ensure("hana", "花", "hana@example.com")
    await world.contacts.begin(Member("hana"), channel, address)
    (message,) = await world.notices()
    assert (message.kind, message.to) == (channel, address)
    before = await world.contacts.get("hana")
    assert before is not None
    assert (before.email, before.push_token, before.webhook_url) == ("hana@example.com", None, None)
    with pytest.raises(refusals.NotProven):
        await world.contacts.prefer(Member("hana"), Preferences(name="花", channels=["mail", "push", "webhook"]))
    code = await code_in(world)
    with pytest.raises(refusals.WrongCode):
        await world.contacts.prove(Member("hana"), channel, "000000" if code != "000000" else "000001")
    with pytest.raises(refusals.CodeOver):
        await world.contacts.prove(Member("ren"), channel, code)
    proven = await world.contacts.prove(Member("hana"), channel, code)
    assert channel in proven.channels
    assert address in (proven.email, proven.push_token, proven.webhook_url)
    with pytest.raises(refusals.CodeOver):
        await world.contacts.prove(Member("hana"), channel, code)
    forgotten = await world.contacts.forget(Member("hana"), channel)
    assert channel not in forgotten.channels
    assert address not in (forgotten.email, forgotten.push_token, forgotten.webhook_url)


async def test_a_code_ends_by_time_and_by_guessing(world: World) -> None:
    await world.contacts.ensure("hana", "花", "")
    await world.contacts.begin(Member("hana"), "mail", "hana@example.com")
    code = await code_in(world)
    wrong = "000000" if code != "000000" else "111111"
    for _ in range(5):
        with pytest.raises(refusals.WrongCode):
            await world.contacts.prove(Member("hana"), "mail", wrong)
    with pytest.raises(refusals.CodeOver):
        await world.contacts.prove(Member("hana"), "mail", code)
    await world.contacts.begin(Member("hana"), "mail", "hana@example.com")
    code = await code_in(world)
    world.clock.advance(601)
    with pytest.raises(refusals.CodeOver):
        await world.contacts.prove(Member("hana"), "mail", code)


@pytest.mark.parametrize(
    ("channel", "address", "wrong"),
    [
        ("mail", "no address", BadEmail),
        ("push", "not a token", refusals.BadAddress),
        ("webhook", "http://plain.example/", refusals.BadAddress),
        ("webhook", "https://user@host.example/", refusals.BadAddress),
        ("webhook", "https://[bad", refusals.BadAddress),
        ("webhook", "https://x.example/" + "x" * 500, refusals.BadAddress),
        ("line", "U1", refusals.BadAddress),
        ("pigeon", "x", refusals.BadAddress),
    ],
)
async def test_what_is_no_address(world: World, channel: str, address: str, wrong: type[Exception]) -> None:
    await world.contacts.ensure("hana", "花", "")
    with pytest.raises(wrong):
        await world.contacts.begin(Member("hana"), channel, address)
    assert await world.notices() == []
    assert await world.contacts.pending("hana") == {}


async def test_line_is_linked_by_a_code_that_is_typed_to_the_bot(world: World) -> None:
    await world.contacts.ensure("hana", "花", "")
    code = await world.contacts.begin_line(Member("hana"))
    assert await world.contacts.link_line("U2", "こんにちは") is None
    assert await world.contacts.link_line("U2", "0" * 8 if code != "0" * 8 else "1" * 8) is None
    linked = await world.contacts.link_line("U1", f"コードは {code} です")
    assert linked is not None
    assert (linked.line_user_id, linked.channels) == ("U1", frozenset({"line"}))
    assert await world.contacts.link_line("U2", code) is None, "a code links one chat"
    late = await world.contacts.begin_line(Member("hana"))
    world.clock.advance(601)
    assert await world.contacts.link_line("U2", late) is None


async def test_codes_for_line_cannot_be_tried_for_ever(world: World) -> None:
    await world.contacts.ensure("hana", "花", "")
    code = await world.contacts.begin_line(Member("hana"))
    wrong = "0" * 8 if code != "0" * 8 else "1" * 8
    for _ in range(OneTimeCode.TRIES_MAX):
        await world.contacts.link_line("U2", "こんにちは")
        assert await world.contacts.link_line("U2", wrong) is None
    assert await world.contacts.link_line("U2", code) is None, "tried too often"
    assert await world.contacts.link_line("U1", code) is not None, "others are not concerned"
    world.clock.advance(601)
    code = await world.contacts.begin_line(Member("hana"))
    assert await world.contacts.link_line("U2", code) is not None


async def test_preferences(world: World) -> None:
    await world.contacts.ensure("hana", "花", "hana@example.com")
    wanted = Preferences(
        name="花子", channels=["mail"], muted=["search"], language="en", quiet_from=time(22, 0), quiet_until=time(7, 0)
    )
    found = await world.contacts.prefer(Member("hana"), wanted)
    assert (found.name, found.muted, found.language, found.quiet_from) == (
        "花子",
        frozenset({"search"}),
        "en",
        time(22, 0),
    )
    again = await world.contacts.ensure("hana", "別の名前", "other@example.com")
    assert again == found, "who is known stays as they are"
    cleared = await world.contacts.prefer(Member("hana"), Preferences(name="花子", channels=[]))
    assert (cleared.quiet_from, cleared.channels, cleared.muted) == (None, frozenset(), frozenset())
    for wrong in ({"name": ""}, {"muted": ["all"]}, {"language": "fr"}, {"channels": ["line"]}):
        with pytest.raises((refusals.BadAddress, refusals.NotProven)):
            await world.contacts.prefer(Member("hana"), Preferences(**{"name": "x", "channels": [], **wrong}))  # type: ignore[arg-type]
    assert await world.contacts.get("hana") == cleared


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
