"""Lambda's functions, called with events as AWS records them (numbers and names changed)."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sekkei import logs
from sekkei.design import Change, Reactions
from sekkei.runtime import days, discovery
from sekkei.runtime.aws import functions as aws_functions
from sekkei.runtime.design import State, schedules
from sekkei.runtime.system import Context, Parts, System
from sekkei.store import Embedded
from sekkei.web import on_lambda
from sekkei.web.identity.design import design as web_design
from sekkei.web.on_lambda import Functions
from sekkei.web.testing import test_settings
from tests.web.example import SYSTEM
from tests.web.example.design import Note, design, notes

GUIDE = Path(__file__).parents[2] / "docs" / "aws.md"
HOST = "abc123.lambda-url.ap-northeast-1.on.aws"


def url_event(path: str, method: str = "GET", **headers: str) -> dict[str, Any]:
    """What a function URL sends."""
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "lang=en",
        "cookies": ["theme=dark"],
        "headers": {
            "accept": "text/html,application/xhtml+xml",
            "accept-encoding": "gzip, deflate, br",
            "host": HOST,
            "user-agent": "Mozilla/5.0",
            "x-amzn-trace-id": "Root=1-65a0-0123456789abcdef",
            "x-forwarded-for": "203.0.113.7",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
            **headers,
        },
        "queryStringParameters": {"lang": "en"},
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "abc123",
            "domainName": HOST,
            "domainPrefix": "abc123",
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "203.0.113.7",
                "userAgent": "Mozilla/5.0",
            },
            "requestId": "e1506fd5-9e7b-434f-bd42-4f8fa224b599",
            "routeKey": "$default",
            "stage": "$default",
            "time": "12/Jan/2026:19:03:58 +0000",
            "timeEpoch": 1768244638570,
        },
        "isBase64Encoded": False,
    }


def stream_record(sequence: str, name: str, table: str = "example-notes", **images: Any) -> dict[str, Any]:
    """What an event source mapping sends of one change."""
    return {
        "eventID": "c4ca4238a0b923820dcc509a6f75849b",
        "eventName": name,
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "ap-northeast-1",
        "dynamodb": {
            "ApproximateCreationDateTime": 1768244638.0,
            "Keys": {"PK": {"S": "OWNER#aoi"}, "SK": {"S": "NOTE#1"}},
            "SequenceNumber": sequence,
            "SizeBytes": 59,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
            **images,
        },
        "eventSourceARN": f"arn:aws:dynamodb:ap-northeast-1:123456789012:table/{table}/stream/2026-01-12T00:00:00.000",
    }


IMAGE = {
    "PK": {"S": "OWNER#aoi"},
    "SK": {"S": "NOTE#1"},
    "type": {"S": "note"},
    "text": {"S": "poison"},
    "version": {"N": "1"},
}


class Reacting:
    """The example with a reaction, a job by the clock and one that recurs."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, bool]] = []
        self.done: list[Mapping[str, Any]] = []
        self.broken = False

    def system(self) -> System:
        def build(context: Context) -> Parts:
            reactions = Reactions(design, env=context.settings.env)

            @reactions.on(notes)
            async def react(change: Change[Note]) -> None:
                if self.broken:
                    raise RuntimeError("not yet")
                self.seen.append((change.kind, change.expired))

            async def remind(payload: Mapping[str, Any]) -> None:
                self.done.append(payload)

            parts = SYSTEM.build(context)
            return replace(
                parts, reactions=[reactions], scheduled={"remind": remind}, recurring={"remind": "5 0 * * *"}
            )

        return replace(SYSTEM, build=build)


def made(system: System) -> Functions:
    settings = test_settings(public_url=f"https://{HOST}", demo=False)
    functions = Functions([system], Embedded(), settings)
    run(functions.deployment.make_tables(web_design))
    return functions


def run(work: Any) -> Any:
    """On the loop that the functions run on."""
    return aws_functions._loop().run_until_complete(work)


@pytest.fixture
def reacting() -> Reacting:
    return Reacting()


@pytest.fixture
def functions(reacting: Reacting) -> Iterator[Functions]:
    found = made(reacting.system())
    yield found
    run(found.deployment.store.close())
    asyncio.set_event_loop(None)


def test_a_page_behind_a_function_url(functions: Functions) -> None:
    answer = functions.http(url_event("/sign-in"), None)
    assert answer["statusCode"] == 200
    assert answer["isBase64Encoded"] is True
    assert answer["headers"]["content-encoding"] == "gzip"
    assert "Sign in" in gzip.decompress(base64.b64decode(answer["body"])).decode()
    assert any("Secure" in cookie for cookie in answer["cookies"])
    assert functions.http(url_event("/example/"), None)["headers"]["location"].startswith("/sign-in?next=")
    assert functions.http(url_event("/", host="evil.example"), None)["statusCode"] == 421
    assert functions.http(url_event("/readyz"), None)["statusCode"] == 200


def test_a_batch_of_a_stream(functions: Functions, reacting: Reacting) -> None:
    expired = stream_record("200", "REMOVE", OldImage=IMAGE)
    expired["userIdentity"] = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
    batch = {"Records": [stream_record("100", "INSERT", NewImage=IMAGE), expired]}
    assert functions.stream(batch, None) == {"batchItemFailures": []}
    assert reacting.seen == [("INSERT", False), ("REMOVE", True)]
    reacting.broken = True
    assert functions.stream(batch, None) == {"batchItemFailures": [{"itemIdentifier": "100"}]}
    with pytest.raises(LookupError, match="No system here reacts to other-table"):
        functions.stream({"Records": [stream_record("1", "INSERT", "other-table", NewImage=IMAGE)]}, None)


def test_a_schedule_of_eventbridge(functions: Functions, reacting: Reacting) -> None:
    functions.schedule({"system": "example", "job": "remind", "payload": {"event": "1"}}, None)
    assert reacting.done == [{"event": "1"}]


class LambdaContext:
    def get_remaining_time_in_millis(self) -> int:
        return 60_000


@pytest.mark.parametrize(("left", "beginning"), [(60_000, 45.0), (900_000, 45.0), (30_000, 20.0)])
def test_nothing_new_is_begun_when_the_next_minute_begins(
    functions: Functions, monkeypatch: pytest.MonkeyPatch, left: int, beginning: float
) -> None:
    """A function may run for fifteen minutes: what has begun goes on, and the next call does the rest."""
    told: list[float] = []

    async def tick(seconds: float) -> None:
        told.append(seconds)

    monkeypatch.setattr(functions.deployment.worker, "tick", tick)
    monkeypatch.setattr(LambdaContext, "get_remaining_time_in_millis", lambda self: left)
    functions.work({}, LambdaContext())
    assert told == [beginning]


def test_once_a_minute_what_waits_is_done(functions: Functions, reacting: Reacting) -> None:
    context = functions.deployment.systems["example"].context
    run(context.schedules.put("evt-1", "remind", {"n": 1}, at=days.now(context.clock)))
    run(context.outbox.put("mail", "aoi@example.com", {"subject": "x"}, id="1"))
    for event in ({}, {"version": "0", "detail-type": "Scheduled Event", "source": "aws.events", "detail": {}}):
        functions.work(event, LambdaContext())
    assert reacting.done == [{"n": 1}]
    assert run(context.outbox.get("1")).state is State.SENT
    assert run(context.runtime.get(schedules("example/remind").consistent())) is not None, "what recurs is there"


@pytest.mark.parametrize("name", sorted(discovery.names()))
def test_every_system_runs_as_functions(name: str) -> None:
    functions = made(discovery.load(name))
    try:
        assert functions.http(url_event(f"/{name}/"), None)["statusCode"] in (200, 302, 303)
        functions.work({}, LambdaContext())
        opened = functions.deployment.systems[name]
        names = [opened.context.db.table_name(table) for one in opened.parts.reactions for table in one.tables]
        listed = ", ".join(f"`{name.replace('test-', '{env}-')}`" for name in names) or "none"
        assert f"| {name} | {listed} |" in GUIDE.read_text(), "docs/aws.md says which streams to map"
    finally:
        run(functions.deployment.store.close())


def test_what_a_function_must_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "configure", lambda *given: None)
    on_lambda.functions.cache_clear()
    monkeypatch.delenv("SEKKEI_SECRET", raising=False)
    monkeypatch.setenv("SEKKEI_STORE", ":memory:")
    with pytest.raises(RuntimeError, match="SEKKEI_SECRET must be set"):
        on_lambda.http(url_event("/"), None)
    monkeypatch.setenv("SEKKEI_SECRET", "a secret of the tests")
    monkeypatch.setenv("SEKKEI_SYSTEMS", "tasks")
    monkeypatch.setenv("SEKKEI_PUBLIC_URL", f"https://{HOST}")
    with pytest.raises(RuntimeError, match="mail is not set up"):
        on_lambda.http(url_event("/healthz"), None)
    monkeypatch.setenv("SEKKEI_MAIL_FROM", "a@example.com")
    with pytest.raises(RuntimeError, match="mail is half set up"):
        on_lambda.work({}, None)
    monkeypatch.delenv("SEKKEI_MAIL_FROM")
    monkeypatch.setenv("SEKKEI_ALLOW_LOCAL", "mail")
    assert on_lambda.http(url_event("/healthz"), None)["statusCode"] == 200
    assert list(on_lambda.functions().deployment.systems) == ["tasks"]
    run(on_lambda.functions().deployment.store.close())
    on_lambda.functions.cache_clear()


def test_a_log_says_what_it_is_about(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Why a message was not sent, and which: CloudWatch has nothing but the line."""
    for logger in map(logging.getLogger, logs.LOGGERS):
        for name, kept in {"handlers": [], "level": logger.level, "propagate": logger.propagate}.items():
            monkeypatch.setattr(logger, name, kept)
    for name, value in {"STORE": ":memory:", "SECRET": "a secret of the tests", "SYSTEMS": "tasks"}.items():
        monkeypatch.setenv(f"SEKKEI_{name}", value)
    on_lambda.functions.cache_clear()
    run(on_lambda.functions().deployment.store.close())
    on_lambda.functions.cache_clear()
    logging.getLogger("sekkei.runtime").warning("a message could not be sent", extra={"error": "AccessDenied"})
    line = json.loads(capfd.readouterr().err)
    assert (line["message"], line["error"]) == ("a message could not be sent", "AccessDenied")


def test_the_guide_names_handlers_that_are_there() -> None:
    named = re.findall(r"`sekkei\.web\.on_lambda\.(\w+)`", GUIDE.read_text())
    assert sorted(named) == ["http", "schedule", "stream", "work"]
    assert all(callable(getattr(on_lambda, name)) for name in named)
