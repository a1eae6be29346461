"""Server-sent events."""

from __future__ import annotations

import asyncio
import base64
import re
from pathlib import Path
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.aws.functions import http_handler
from sekkei.store import Embedded
from sekkei.web import application, live
from sekkei.web.identity.accounts import digest
from sekkei.web.identity.design import sessions
from sekkei.web.live import CONNECTIONS_MAX
from sekkei.web.testing import Client, Reply, opened, test_settings
from tests.web.example import SYSTEM

PATIENCE_SECONDS = 15.0
"""For what comes at once."""


@pytest.fixture
def quick_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "HEARTBEAT_SECONDS", 0.05)


def topic(client: Client, name: str, data: object) -> None:
    client.shell.deployment.live.publish("example/demo-aoi", name, data)


async def heard(client: Client, count: int, path: str = "/example/live", **headers: str) -> str:
    return (await client.events(path, count, headers=headers)).text


def ids(text: str) -> list[str]:
    return re.findall(r"^id: (\S+)$", text, re.MULTILINE)


async def address(client: Client) -> str:
    """As the page has it."""
    found = re.search(r'data-live="([^"]+)"', (await client.get("/example/")).text)
    assert found is not None
    return found[1]


async def test_what_happens_after_the_page_was_made_arrives() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        path = await address(client)
        await client.post("/example/", {"text": "one\ntwo"})
        text = await heard(client, 2, path)
        assert text.startswith("retry: 2000\n\n")
        assert 'event: note\ndata: {"text":"one\\ntwo"}\n\n' in text


async def test_a_browser_that_comes_back_goes_on_where_it_was() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        path = await address(client)
        for number in range(4):
            topic(client, "note", number)
        first = await heard(client, 3, path)
        assert "data: 0" in first
        assert "data: 1" in first
        rest = await heard(client, 3, path, **{"Last-Event-ID": ids(first)[-1]})
        assert "data: 1" not in rest
        assert "data: 2" in rest
        assert "data: 3" in rest


@pytest.mark.usefixtures("quick_heartbeat")
async def test_a_position_of_an_earlier_life_of_the_server_asks_for_a_reload() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        await address(client)
        for number in range(5):
            topic(client, "note", number)
        for position in (
            "deadbeef-3",
            "x",
            "-",
            f"{client.shell.deployment.live.life}-x",
            f"{client.shell.deployment.live.life}-999",
        ):
            assert "event: reload" in await heard(client, 2, **{"Last-Event-ID": position}), position
        assert "event: reload" not in await heard(client, 2)


@pytest.mark.usefixtures("quick_heartbeat")
async def test_a_quiet_connection_says_that_it_is_there() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        reply = await client.events("/example/live", 2)
        assert reply.text.endswith(": still here\n\n")
        assert reply.header("content-type") == "text/event-stream; charset=utf-8"
        assert reply.header("cache-control") == "no-store"


async def test_one_person_has_a_bounded_number_of_connections() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        tasks = [asyncio.create_task(client.events("/example/live", 1000)) for _ in range(CONNECTIONS_MAX)]
        while client.shell.connections.open["demo-aoi"] < CONNECTIONS_MAX:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        assert (await client.get("/example/live")).status == 429
        other = client.another()
        await other.sign_in("demo-ren")
        assert (await other.get("/example/live")).status == 200
        client.shell.connections.stopping.set()
        replies = await asyncio.wait_for(asyncio.gather(*tasks), 60)
        assert {reply.status for reply in replies} == {200}
        assert not client.shell.connections.open
        assert client.shell.deployment.live.listeners("example/demo-aoi") == 0


async def test_where_it_is_off_browsers_are_told_not_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(SYSTEM, settings=test_settings(values={"live": "off"})) as client:
        await client.sign_in()
        assert (await client.get("/example/live")).status == 204
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "f")
    async with opened(SYSTEM) as client:
        await client.sign_in()
        assert (await client.get("/example/live")).status == 204


def test_the_application_answers_in_lambda(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "f")
    settings = test_settings(public_url="https://x.lambda-url.ap-northeast-1.on.aws", demo=False)
    handler = http_handler(lambda: application([SYSTEM], Embedded(), settings))  # type: ignore[arg-type, return-value]

    def call(path: str, **headers: str) -> dict[str, Any]:
        context = {"http": {"method": "GET", "sourceIp": "203.0.113.5"}}
        host = {"host": "x.lambda-url.ap-northeast-1.on.aws", "x-forwarded-for": "203.0.113.5", **headers}
        return handler({"rawPath": path, "requestContext": context, "headers": host}, None)

    found = call("/sign-in", **{"accept-language": "en"})
    assert found["statusCode"] == 200
    assert "Sign in" in base64.b64decode(found["body"]).decode()
    assert any("Secure" in cookie for cookie in found["cookies"])
    assert call("/example/", accept="text/html")["headers"]["location"].startswith("/sign-in?next=")
    assert call("/", host="evil.example")["statusCode"] == 421


async def begun(client: Client) -> asyncio.Task[Reply]:
    """A browser that listens until the answer ends."""
    listening = asyncio.create_task(client.events("/example/live", 1_000))
    while not client.shell.deployment.live.listeners("example/demo-aoi"):  # noqa: ASYNC110
        await asyncio.sleep(0)
    return listening


@pytest.mark.parametrize("something_happens", [True, False])
async def test_who_is_signed_out_hears_nothing_more(something_happens: bool) -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        listening = await begun(client)
        other = client.another()
        other.cookies.update(client.cookies)
        assert (await other.post("/account/sign-out-everywhere")).status == 303
        if something_happens:
            topic(client, "note", "a secret")
        text = (await asyncio.wait_for(listening, PATIENCE_SECONDS)).text
        assert "a secret" not in text
        assert text.endswith("event: reload\ndata: null\n\n"), "and the page is to ask them to sign in"
        assert client.shell.deployment.live.listeners("example/demo-aoi") == 0


async def test_while_rights_are_fresh_events_cost_no_store_call() -> None:
    clock = ManualClock()
    async with opened(SYSTEM, clock=clock) as client:
        await client.sign_in()
        path = await address(client)
        for number in range(20):
            topic(client, "note", number)
        calls = client.shell.deployment.store.calls
        before = calls.total()
        text = await heard(client, 21, path)
        assert text.count("event: note") == 20
        assert calls.total() - before == 1, "who they are, once"


async def test_old_rights_are_proven_again_before_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "ASKED_AGAIN_SECONDS", 0)
    monkeypatch.setattr(live, "HEARTBEAT_SECONDS", 3600)
    async with opened(SYSTEM) as client:
        await client.sign_in()
        listening = await begun(client)
        account_id, _, secret = client.cookies["sekkei_session"].partition(".")
        await client.shell.db.write(sessions.delete(account_id, digest(secret)))  # and nobody says so
        topic(client, "note", "a secret")
        assert "a secret" not in (await asyncio.wait_for(listening, PATIENCE_SECONDS)).text


async def test_a_change_of_rights_is_heard_at_once_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "HEARTBEAT_SECONDS", 3600)
    async with opened(SYSTEM) as client:
        await client.sign_in()
        path = await address(client)
        listening = asyncio.create_task(client.events(path, 2))
        while not client.shell.deployment.live.listeners("example/demo-aoi"):  # noqa: ASYNC110
            await asyncio.sleep(0)
        client.shell.deployment.live.rights_changed("example/demo-aoi")
        topic(client, "note", "still theirs")
        text = (await asyncio.wait_for(listening, PATIENCE_SECONDS)).text
        assert "rights" not in text
        assert "still theirs" in text
