"""Whoever reads the tables finds no live secret in them, whichever of the five systems put it there.

The bodies of messages are read by the program, which has the key; the tables by scanning the store underneath, which
does not. Nothing here asks how anything is sealed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from sekkei.runtime import days, totp
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.design import newest_messages
from sekkei.store import Embedded
from sekkei.web.middleware import SESSION_COOKIE
from sekkei.web.testing import Client
from sekkei_systems.lessons.service.access import Member
from tests.systems.together import client as client
from tests.systems.together import store as store
from tests.systems.together import tables

TOKEN = re.compile(r"[?&]token=([\w.%-]{12,})")
CODE = re.compile(r"(?<!\d)\d{6,8}(?!\d)")
TOPIC_OF_CODES = re.compile(r"web/code/|lessons/proof/")
PASSWORD = "correct horse battery staple 42"


async def in_clear(store: Embedded) -> dict[str, str]:
    """All that stands in each table, as text."""
    return {name: str(rows) for name, rows in (await tables(store)).items()}


def leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inside in value.values():
            yield from leaves(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from leaves(inside)


async def traffic(client: Client) -> set[str]:
    """Everybody does something secret; returns what only they and the program may know."""
    await client.post("/sign-up", {"email": "new@example.com", "name": "新人", "password": PASSWORD})
    await client.post("/sign-in/mail", {"email": "aoi@example.com"})
    await client.sign_in(DEMO_PEOPLE[0].id)
    session = client.cookies[SESSION_COOKIE].partition(".")[2]
    personal = (await client.shell.accounts.make_token(DEMO_PEOPLE[0].id, "script")).rpartition(".")[2]
    lessons = client.shell.deployment.systems["lessons"]
    await lessons.parts.service.contacts.begin(Member(DEMO_PEOPLE[0].id), "mail", "proof@example.com")
    keys = client.shell.authenticators
    app = await keys.offer(DEMO_PEOPLE[0].id)
    spare = await keys.confirm(DEMO_PEOPLE[0].id, totp.code(app, totp.step_at(client.shell.clock.now())))
    eventbot = client.shell.deployment.systems["eventbot"].context
    later = days.now(eventbot.clock) + timedelta(days=1)
    await eventbot.schedules.put("late-1", "answer-late", {"body": '{"token": "interaction-1"}'}, at=later)
    await eventbot.jobs.start("unknown", {"token": "interaction-2"}, id="t")
    reply = {"message": {"content": "秘密の返事"}, "token": "interaction-3"}
    await eventbot.outbox.put("eventbot.reply", "1", reply, id="late/1", after=timedelta(days=1))
    known = {PASSWORD, session, personal, "interaction-1", "interaction-2", "interaction-3", "秘密の返事"}
    return known | {totp.base32(app), *spare, *(code.replace("-", "") for code in spare)}


async def test_no_live_secret_stands_in_any_table(client: Client, store: Embedded) -> None:
    known = await traffic(client)
    sent = await client.shell.deployment.runtime.all(newest_messages())
    texts = {message.id: " ".join(leaves(message.body)) for message in sent}
    tokens = {token for text in texts.values() for token in TOKEN.findall(text)}
    codes = {code for id, text in texts.items() if TOPIC_OF_CODES.match(id) for code in CODE.findall(text)}
    assert len(tokens) >= 1, "an invitation to a team"
    assert len(codes) >= 3, "signing up, signing in, proving an address"
    found = await in_clear(store)
    assert len(found) > 10
    live = known | tokens
    assert [(table, secret) for table, text in found.items() for secret in sorted(live) if secret in text] == []
    # Six digits may well be a part of some longer number.
    words = {table: set(re.findall(r"\w+", text)) for table, text in found.items()}
    assert [(table, code) for table, said in words.items() for code in sorted(codes & said)] == []


async def test_no_text_of_a_message_stands_in_the_outbox(client: Client, store: Embedded) -> None:
    """Personal texts: they stand where their system keeps them, and nowhere else."""
    sent = await client.shell.deployment.runtime.all(newest_messages())
    found = await tables(store)
    # For whom a message is stands in its name.
    ids = {row["userId"]["S"] for name, rows in found.items() if name.endswith("Users") for row in rows}
    texts = {leaf for message in sent for leaf in leaves(message.body) if len(leaf) >= 12} - ids
    assert len(texts) > 50
    (outbox,) = [str(rows) for name, rows in found.items() if name.endswith("sekkei-runtime")]
    assert [text for text in texts if text in outbox] == []
