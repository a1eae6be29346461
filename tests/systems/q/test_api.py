"""The API as a mobile app uses it, and whatever else may be sent to it."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import sekkei_systems.q
from sekkei.clock import ManualClock
from sekkei.runtime.design import newest_messages
from sekkei.web import missing_texts
from sekkei.web.testing import Client, opened
from sekkei_systems.q import SYSTEM
from sekkei_systems.q.service.people import Visitor
from sekkei_systems.q.texts import TEXTS
from tests.systems.q.conftest import NOON, World

ATTEMPTS = 16
"""For every operation, with values of the described kinds and with nonsense."""


@pytest.fixture
async def site() -> AsyncIterator[tuple[Client, World]]:
    clock = ManualClock(NOON)
    async with opened(SYSTEM, clock=clock) as client:
        deployment = client.shell.deployment
        system = deployment.systems["q"]
        yield client, World(deployment, system, clock, system.parts.service)


def test_every_text_is_there_in_both_languages() -> None:
    assert missing_texts(TEXTS, Path(sekkei_systems.q.__file__).parent) == []


async def test_from_a_mailed_code_to_an_answer(site: tuple[Client, World]) -> None:
    client, world = site
    app = client.another()
    asked = await app.request(
        "POST",
        "/q/api/sign-in/code",
        json.dumps({"email": "new@example.com", "name": "新人"}).encode(),
        {"Content-Type": "application/json"},
    )
    assert asked.status == 201
    mail = (await world.deployment.runtime.all(newest_messages()))[0]
    found = re.search(r"\d{6}", mail.body["subject"] + mail.body["text"])
    assert found is not None
    body = {"challenge": asked.json()["challenge"], "code": found[0]}
    signed = await app.request(
        "POST", "/q/api/sign-in", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    assert (signed.status, signed.json()["hasJoined"]) == (200, False)
    app.bearer = signed.json()["accessToken"]
    assert (await app.json("GET", "/q/api/me")).json()["code"] == "not-joined"
    assert (await app.json("POST", "/q/api/me", {"birthDate": "2013-11-07"})).json()["code"] == "too-young"
    joined = await app.json("POST", "/q/api/me", {"birthDate": "2001-01-01"})
    assert joined.status == 201
    assert joined.json()["displayName"] is None  # an account's name may be half a mail address; it is not shown unasked
    await world.ask("好きな色は？")
    assert (await app.json("POST", "/q/api/answers", {"text": "青"})).json()["code"] == "app-id-needed"
    assert (await app.json("PUT", "/q/api/me/app-id", {"appId": "Shinjin"})).json()["errors"][0]["pointer"] == "#/appId"
    assert (await app.json("PUT", "/q/api/me/app-id", {"appId": "shinjin"})).status == 200
    today = await app.json("GET", "/q/api/today")
    assert (today.json()["question"]["text"], today.json()["answer"]) == ("好きな色は？", None)
    tag = today.header("etag") or ""
    assert (await app.json("GET", "/q/api/today", headers={"If-None-Match": tag})).status == 304
    assert (await app.json("POST", "/q/api/answers", {"text": "青"})).json()["isOnTime"]
    assert (await app.json("GET", "/q/api/today", headers={"If-None-Match": tag})).status == 200
    assert (await app.json("POST", "/q/api/answers", {"text": "赤"})).status == 409
    timeline = (await app.json("GET", "/q/api/timeline")).json()
    assert [one["answer"]["text"] for one in timeline["items"]] == ["青"]
    assert (await app.json("DELETE", "/q/api/sign-in")).status == 204
    assert (await app.json("GET", "/q/api/me")).status == 401


async def signed_in(client: Client, email: str = "many@example.com") -> dict[str, Any]:
    challenge, code = await client.shell.accounts.challenge(email)
    reply = await client.json("POST", "/q/api/sign-in", {"challenge": challenge, "code": code})
    found: dict[str, Any] = reply.json()
    return found


async def test_a_password_is_another_way_in(site: tuple[Client, World]) -> None:
    client, _ = site
    account = await client.shell.accounts.create("many@example.com", "Many")
    await client.shell.accounts.set_password(account.id, "correct horse")
    given = {"email": "Many@example.com", "password": "wrong horse"}
    assert (await client.json("POST", "/q/api/sign-in/password", given)).json()["code"] == "wrong-password"
    reply = await client.json("POST", "/q/api/sign-in/password", {**given, "password": "correct horse"})
    app = client.another()
    app.bearer = reply.json()["accessToken"]
    assert (await app.json("GET", "/q/api/me")).json()["code"] == "not-joined"


async def test_tokens_are_renewed_and_a_ban_ends_them(site: tuple[Client, World]) -> None:
    client, world = site
    await world.join("boss")
    await world.make_admin("boss")
    first = await signed_in(client)
    who = first["userId"]
    app = client.another()
    app.bearer = first["accessToken"]
    assert (await app.json("POST", "/q/api/me", {"birthDate": "2001-01-01"})).status == 201
    again = await client.json("POST", "/q/api/sign-in/refresh", {"refreshToken": first["refreshToken"]})
    assert (again.json()["userId"], again.json()["hasJoined"], again.json()["expiresIn"]) == (who, True, 900)
    app.bearer = again.json()["accessToken"]
    assert (await app.json("GET", "/q/api/me")).status == 200
    await world.ban(who)
    assert (await app.json("GET", "/q/api/me")).status == 401
    refused = await client.json("POST", "/q/api/sign-in/refresh", {"refreshToken": again.json()["refreshToken"]})
    assert (refused.status, refused.json()["code"]) == (401, "bad-refresh")
    challenge, code = await client.shell.accounts.challenge("many@example.com")
    refused = await client.json("POST", "/q/api/sign-in", {"challenge": challenge, "code": code})
    assert (refused.status, refused.json()["code"]) == (403, "banned")
    await world.unban(who)
    app.bearer = (await signed_in(client))["accessToken"]
    assert (await app.json("GET", "/q/api/me")).status == 200


async def test_pages_of_the_timeline(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    names = [f"user{n}" for n in range(7)]
    await world.join("demo-aoi", *names)
    await world.ask()
    for name in names:
        await world.follow(("demo-aoi", name))
        await world.answer(name)
        world.clock.advance(1)
    found: list[str] = []
    path = "/q/api/timeline?limit=3"
    while path:
        page = (await client.json("GET", path)).json()
        found += [one["author"]["userId"] for one in page["items"]]
        path = f"/q/api/timeline?limit=3&after={page['cursor']}" if page["cursor"] else ""
    assert found == names
    assert (await client.json("GET", "/q/api/timeline?after=nonsense")).status == 400
    assert (await client.json("GET", "/q/api/timeline?limit=0")).status == 422


async def test_others_learn_nothing_of_what_became_of_a_post(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", "author")
    await world.follow(("demo-aoi", "author"))
    day = (await world.ask()).day
    await world.answer("author")
    shown = (await client.json("GET", f"/q/api/answers/{day}/author")).json()
    assert (shown["answer"]["text"], shown["question"]) == ("秋が好き", "好きな季節は？")
    assert "email" not in json.dumps(shown)
    await world.service.answers.delete("author", day)
    assert (await client.json("GET", f"/q/api/answers/{day}/author")).json()["code"] == "no-such-answer"
    assert (await client.json("GET", f"/q/api/answers/{day}/nobody")).json()["code"] == "no-such-answer"


async def test_a_new_question_is_told_to_open_pages(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    await world.service.planning.plan(date(2025, 11, 6))
    world.clock.advance(10 * 3600 + 60)
    listening = asyncio.create_task(client.events("/q/live", 2))
    for _ in range(1000):
        if client.shell.deployment.live.listeners("q/today"):
            break
        await asyncio.sleep(0)
    await world.opened.parts.scheduled["publish"]({})
    reply = await listening
    assert "event: published" in reply.text


# Whatever is sent, the answer is one that the description names, and never a 500.

NONSENSE: tuple[Any, ...] = (
    None, True, 0, -1, 1e308, "", " ", "x" * 5000, "\x00", "\ud83d", "🇯🇵" * 50, "../..", "a#b", "%00", "' OR 1=1",
    [], [[]], {}, {"a": {"b": []}}, "2025-13-45", "9999-12-31", "0001-01-01", "NaN",
)  # fmt: skip


class Sender:
    """Values for a schema: mostly good ones, some at its edges, some nonsense."""

    def __init__(self, document: dict[str, Any], seed: int) -> None:
        self.document, self.chance = document, random.Random(seed)

    def value(self, schema: dict[str, Any]) -> Any:
        if self.chance.random() < 0.15:
            return self.chance.choice(NONSENSE)
        if "$ref" in schema:
            return self.value(self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
        if "anyOf" in schema:
            return self.value(self.chance.choice(schema["anyOf"]))
        if "enum" in schema:
            return self.chance.choice(schema["enum"])
        return getattr(self, f"_{schema.get('type', 'null')}")(schema)

    def _object(self, schema: dict[str, Any]) -> Any:
        chosen = schema.get("required", []) if self.chance.random() < 0.3 else schema.get("properties", {})
        return {name: self.value(schema["properties"][name]) for name in chosen}

    def _string(self, schema: dict[str, Any]) -> str:
        if schema.get("format") == "date":
            return str(date(2025, 11, 6) + timedelta(days=self.chance.choice((0, 0, 0, -1, 1, -40000, 2_000_000))))
        if "pattern" in schema and self.chance.random() < 0.7:
            return self.chance.choice(("author", "demo-ren", "demo-aoi", "nobody"))
        words = (
            "demo_ren_id",
            "demo-aoi",
            "author",
            "❤️",
            "🔥",
            "答え",
            "2025-11-06#author",
            "ExponentPushToken[x]",
            "a_b_c",
        )
        return self.chance.choice((*words, "あ" * self.chance.randrange(0, 90), "x" * schema.get("maxLength", 10)))

    def _integer(self, schema: dict[str, Any]) -> int:
        return self.chance.choice((0, 1, 20, 50, 51, -1, 10**30))

    def _boolean(self, schema: dict[str, Any]) -> bool:
        return self.chance.random() < 0.5

    def _array(self, schema: dict[str, Any]) -> list[Any]:
        return [self.value(schema["items"]) for _ in range(self.chance.randrange(3))]

    def _null(self, schema: dict[str, Any]) -> None:
        return None


def _path_text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    clean = text.encode("utf-8", "replace").decode()
    return "".join(f"%{byte:02x}" if not chr(byte).isalnum() else chr(byte) for byte in clean.encode()) or "x"


async def test_nothing_that_is_sent_breaks_it(site: tuple[Client, World]) -> None:
    client, world = site
    for person in ("demo-aoi", "demo-ren"):
        await world.join(person)
    await world.join("author")
    await world.follow(("demo-aoi", "author"), ("demo-ren", "author"))
    await world.ask()
    await world.answer("author")
    await client.sign_in("demo-aoi")
    document = (await client.json("GET", "/q/openapi.json")).json()
    client.bearer = await client.shell.accounts.make_token("demo-aoi", "test")
    bad: list[str] = []
    answered: dict[str, set[int]] = {}
    for number, (path, method, operation) in enumerate(_operations(document)):
        if "/me/withdrawal" in path or (method, path) == ("DELETE", "/q/api/sign-in"):
            continue  # afterwards nobody would be there to send the rest
        sender = Sender(document, number)
        for _ in range(ATTEMPTS):
            reply, sent = await _send(client, sender, path, method, operation)
            answered.setdefault(f"{method} {path}", set()).add(reply.status)
            if reply.status >= 500 or not _is_described(reply, operation):
                bad.append(f"{method} {path} {sent!r}: {reply.status} {reply.text[:200]}")
    assert bad == []
    good = {name for name, statuses in answered.items() if any(one < 300 for one in statuses)}
    assert len(good) >= 25, f"too few operations were ever answered well: {sorted(set(answered) - good)}"


def _operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method.upper(), one) for path, item in document["paths"].items() for method, one in item.items()]


async def _send(
    client: Client, sender: Sender, path: str, method: str, operation: dict[str, Any]
) -> tuple[Any, tuple[str, Any]]:
    query = []
    for parameter in operation["parameters"]:
        value = sender.value(parameter["schema"])
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", _path_text(value))
        elif value is not None:
            query.append(f"{parameter['name']}={_path_text(value)}")
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    body = None if content is None else sender.value(content["schema"])
    raw = b"" if content is None else json.dumps(body).encode()
    if content is not None and sender.chance.random() < 0.05:
        raw = sender.chance.randbytes(20)
    whole = f"{path}?{'&'.join(query)}" if query else path
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    return await client.request(method, whole, raw, headers), (whole, body)


def _is_described(reply: Any, operation: dict[str, Any]) -> bool:
    """A status that is promised, or a problem in the one form that problems have."""
    if str(reply.status) in operation["responses"] or reply.status in (204, 304):
        return True
    kind = reply.header("content-type") or ""
    return 400 <= reply.status < 500 and kind.startswith("application/problem+json") and "code" in reply.json()


async def test_cursors_of_others_are_refused(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", "star", *(f"fan{n}" for n in range(35)))
    for n in range(35):
        await world.follow((f"fan{n}", "star"))
        await world.service.people.join(Visitor(f"x{n}", f"x{n}@example.com", "x"), date(2000, 1, 1))
        await world.follow((f"x{n}", "demo-aoi"))
    page = (await client.json("GET", "/q/api/users/star/followers")).json()
    assert len(page["items"]) == 30
    reply = await client.json("GET", f"/q/api/users/demo-aoi/followers?after={page['cursor']}")
    assert (reply.status, reply.json()["code"]) == (400, "cursor")
