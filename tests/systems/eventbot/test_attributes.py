"""SHARED is the one list of what forms, templates and series have alike: every one of them has all of its fields."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import msgspec
import orjson
from msgspec import structs

from sekkei.design.model import described
from sekkei.web.testing import Client
from sekkei_systems.eventbot.design import Event, Repeat, Template
from sekkei_systems.eventbot.rules import modals, render
from sekkei_systems.eventbot.rules.drafts import SHARED, Details, Draft, EventFields, read_options
from sekkei_systems.eventbot.texts import wording
from tests.systems.eventbot.conftest import AOI, Bot, linked
from tests.systems.samples import sample

TYPES = {field.name: field.type for field in structs.fields(EventFields[int])}
FULL = {name: sample(name, TYPES[name]) for name in SHARED}
TYPED = {name: str(value) for name, value in FULL.items()}


def shared(found: Event | Template) -> dict[str, Any]:
    return {name: getattr(found, name) for name in SHARED}


async def organiser(quick: Bot) -> tuple[Client, str]:
    """Somebody who organises on the pages, and where the guild's pages are."""
    event = await quick.event()
    channel = event.recruit_channel_id
    await quick.service.guilds.change_settings(await quick.organiser(AOI), recruit_channel_id=channel)
    return await linked(quick, "organiser@example.com", AOI), f"/eventbot/guilds/{event.guild_id}"


def test_what_is_shared_is_stored() -> None:
    assert [name for name in SHARED if name not in described(Event).fields] == [], "attributes of Event"
    assert [name for name in SHARED if name not in described(Template).fields] == [], "attributes of Template"
    alike = {*described(Event).fields} & {*described(Template).fields}
    assert alike - {"guild_id", "created_by", "created_at", "options"} == {*SHARED}, "attributes that are in no form"


async def test_every_field_has_an_input_with_its_limit(quick: Bot) -> None:
    client, guild = await organiser(quick)
    (event,) = await quick.service.events.of_guild(guild.rpartition("/")[2])
    for page in (f"{guild}/new", f"{guild}/events/{event.event_id[4:]}/edit"):
        text = (await client.get(page)).text
        found = re.finditer(r'<(?:input|select|textarea)\b[^>]*?\bname="(\w+)"[^>]*', text)
        inputs = {match[1]: match[0] for match in found}
        assert [name for name in SHARED if name not in inputs] == [], "inputs of templates/edit.html"
        for name in SHARED:
            schema = msgspec.json.schema(TYPES[name])
            limit = schema.get("anyOf", [schema])[0].get("maxLength")
            written = re.search(r'\bmaxlength="(\d+)"', inputs[name])
            assert (int(written[1]) if written else None) == limit, f"maxlength of the input {name}"


async def test_forms_and_templates_keep_every_field(quick: Bot) -> None:
    client, guild = await organiser(quick)
    made = await client.post(f"{guild}/events", {**TYPED, "start": "明日 21時", "options": "Tank 1\nDPS"})
    event_id = f"EVT#{made.location.rpartition('/')[2]}"
    event = await quick.service.events.get(guild.rpartition("/")[2], event_id)
    assert shared(event) == FULL, "the form for a new event"
    await client.post(f"{made.location}/edit", {"title": "another"})
    event = await quick.service.events.get(event.guild_id, event_id)
    assert shared(event) == {**FULL, "title": "another"}, "a form changes only what it shows"
    assert event.event_start_at is not None
    await client.post(f"{made.location}/edit", {**TYPED, **{name: "" for name in SHARED if name != "title"}})
    event = await quick.service.events.get(event.guild_id, event_id)
    assert shared(event) == {**dict.fromkeys(SHARED), "title": FULL["title"]}, "an empty input erases"
    await client.post(f"{made.location}/edit", TYPED)
    template = await quick.service.guilds.save_template(await quick.host(AOI, event_id), "name")
    assert shared(template) == FULL, "a template"
    new = (await client.get(f"{guild}/new?template={template.template_id[4:]}")).text
    assert [name for name in SHARED if TYPED[name] not in new] == [], "the form that a template fills in"


async def test_forms_of_discord_change_only_what_they_show(quick: Bot) -> None:
    event = await quick.event(**FULL)
    modal = modals.edit_modal(event, wording("ja"), "Asia/Tokyo")
    shown = {one["component"]["custom_id"]: one["component"].get("value") for one in modal["components"]}
    assert {name: shown[name] for name in modals.SHOWN} == {name: TYPED[name] for name in modals.SHOWN}
    for sent in ({"title": "another"}, {"title": "another", "start": "2026-02-01 21:00"}):
        assert event.recruit_channel_id is not None
        event = await quick.service.events.get(event.guild_id, event.event_id)
        id = modals.edit_modal(event, wording("ja"), "Asia/Tokyo")["custom_id"]
        assert (await quick.app.submit(AOI, event.recruit_channel_id, id, sent)).ok
        event = await quick.service.events.get(event.guild_id, event.event_id)
        assert shared(event) == {**FULL, "title": "another"}
        assert event.event_start_at is not None


async def test_what_discord_does_not_ask_comes_from_the_template(quick: Bot) -> None:
    event = await quick.event(**FULL, options=tuple(read_options("Tank 1")))
    template = await quick.service.guilds.save_template(await quick.host(AOI, event.event_id), "name")
    id = modals.create_modal(wording("ja"), "Asia/Tokyo", template)["custom_id"]
    assert event.recruit_channel_id is not None
    assert (await quick.app.submit(AOI, event.recruit_channel_id, id, {"title": "made"})).ok
    (made,) = [one for one in await quick.service.events.of_guild(event.guild_id) if one.title == "made"]
    assert shared(made) == {**FULL, "title": "made"}


async def test_a_series_keeps_every_field(quick: Bot) -> None:
    """The next one has it; what one has alone is not passed on."""
    event = await quick.event(**FULL)
    for alone in (False, True):
        host = await quick.host(AOI, event.event_id)
        event = await quick.service.events.set_details(host, Details(repeat=Repeat.DAILY))
        if alone:
            other = Draft(**{name: value + 1 if isinstance(value, int) else "one" for name, value in FULL.items()})
            await quick.service.events.edit(await quick.host(AOI, event.event_id), other, only=True)
        await quick.work(timedelta(days=1).total_seconds())
        now = await quick.service.events.get(event.guild_id, event.event_id)
        assert now.next_event_id is not None
        event = await quick.service.events.get(event.guild_id, now.next_event_id)
        assert shared(event) == FULL


async def test_the_post_shows_every_field(quick: Bot) -> None:
    event = await quick.event(**FULL)
    view = await quick.service.events.view(event.guild_id, event.event_id)
    post = orjson.dumps(render.event_message(view, quick.service.desk.now(), wording("ja"))).decode()
    assert [name for name in SHARED if TYPED[name] not in post] == [], "what rules/render.py shows"
