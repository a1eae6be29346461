"""EventBridge Scheduler and Lambda's entry points."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from sekkei.clock import SYSTEM, ManualClock
from sekkei.runtime.aws import functions
from sekkei.runtime.aws.eventbridge import EventBridgeSchedules, aws_cron
from sekkei.runtime.aws.signing import AwsService
from sekkei.runtime.http import Http
from sekkei.store.http import Answer
from tests.runtime.servers import CannedHttp, http_server


def schedules(server: CannedHttp, clock: ManualClock) -> EventBridgeSchedules:
    return EventBridgeSchedules("bot", "ap-northeast-1", "arn:fn", "arn:role", Http(), clock, server.url)


@pytest.fixture(autouse=True)
def aws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")


async def test_a_schedule_is_made_or_replaced(clock: ManualClock) -> None:
    conflict = (409, {"x-amzn-ErrorType": "ConflictException"}, {"Message": "exists"})
    async with http_server(conflict, (200, {}, {})) as server:
        at = datetime(2025, 12, 1, 12, 30, tzinfo=UTC)
        await schedules(server, clock).put("evt-1-r", "remind", {"event": "1"}, at=at)
    made, replaced = server.received
    assert (made.method, replaced.method, made.path) == ("POST", "PUT", "/schedules/evt-1-r")
    assert made.json["ScheduleExpression"] == "at(2025-12-01T12:30:00)"
    assert made.json["ActionAfterCompletion"] == "DELETE"
    assert orjson.loads(made.json["Target"]["Input"]) == {"system": "bot", "job": "remind", "payload": {"event": "1"}}
    assert "/ap-northeast-1/scheduler/aws4_request" in made.headers["authorization"]


async def test_forgetting_one_that_is_not_there_is_fine(clock: ManualClock) -> None:
    async with http_server((404, {}, {}), (500, {}, {})) as server:
        await schedules(server, clock).delete("evt-1-r")
        with pytest.raises(ConnectionError):
            await schedules(server, clock).delete("evt-1-r")


async def test_names_that_eventbridge_would_refuse(clock: ManualClock) -> None:
    async with http_server() as server:
        for name in ("EVT#1", "x" * 65, "", "予定"):
            with pytest.raises(ValueError, match="cannot name a schedule"):
                await schedules(server, clock).put(name, "remind", {}, cron="5 0 * * *")
    assert server.received == []


@pytest.mark.parametrize(
    ("ours", "theirs"), [("5 0 * * *", "5 0 * * ? *"), ("0 9 * * 1-5", "0 9 ? * 2-6 *"), ("0 0 1 * *", "0 0 1 * ? *")]
)
def test_cron_as_eventbridge_writes_it(ours: str, theirs: str) -> None:
    assert aws_cron(ours) == theirs


def test_an_http_event_becomes_a_request() -> None:
    async def echo(request: Request) -> JSONResponse:
        response = JSONResponse(
            {
                "method": request.method,
                "path": request.url.path,
                "query": dict(request.query_params),
                "cookies": request.cookies,
                "body": (await request.body()).decode(),
            },
            status_code=201,
        )
        response.set_cookie("a", "1")
        response.set_cookie("b", "2")
        return response

    handler = functions.http_handler(lambda: Starlette(routes=[Route("/x/{rest:path}", echo, methods=["POST"])]))
    answer = handler(
        {
            "rawPath": "/x/%E7%8C%AB",
            "rawQueryString": "q=1",
            "cookies": ["s=1"],
            "headers": {"host": "example.com", "content-type": "text/plain"},
            "requestContext": {"http": {"method": "POST", "sourceIp": "192.0.2.1"}},
            "body": base64.b64encode("本文".encode()).decode(),
            "isBase64Encoded": True,
        },
        None,
    )
    assert answer["statusCode"] == 201
    assert len(answer["cookies"]) == 2
    assert orjson.loads(base64.b64decode(answer["body"])) == {
        "method": "POST",
        "path": "/x/猫",
        "query": {"q": "1"},
        "cookies": {"s": "1"},
        "body": "本文",
    }


def test_an_answer_that_is_written_while_it_is_read_comes_whole() -> None:
    """Whoever called waits for the end: an export that has to read first is not given up in the middle."""

    async def lines() -> AsyncIterator[bytes]:
        for line in (b"one\n", b"two\n", b"three\n"):
            await asyncio.sleep(0)
            yield line

    async def export(request: Request) -> StreamingResponse:
        return StreamingResponse(lines(), media_type="text/csv")

    handler = functions.http_handler(lambda: Starlette(routes=[Route("/export", export)]))
    http = {"method": "GET", "path": "/export", "sourceIp": "192.0.2.1"}
    answer = handler({"rawPath": "/export", "headers": {}, "requestContext": {"http": http}}, None)
    assert answer["statusCode"] == 200
    assert base64.b64decode(answer["body"]) == b"one\ntwo\nthree\n"


def test_nothing_that_a_stranger_sends_makes_the_function_fail() -> None:
    async def echo(request: Request) -> JSONResponse:
        return JSONResponse(request.url.path)

    handler = functions.http_handler(lambda: Starlette(routes=[Route("/{rest:path}", echo)]))
    for path, query, headers in (
        ("/猫", "", {"host": "example.com"}),
        ("/猫", "q=猫", {"host": "example.com:port", "x-name": "猫"}),
        ("/%E7%8C%AB", "", {"host": "[::1]:80"}),
    ):
        asked = {"requestContext": {"http": {"method": "GET"}}, "cookies": ["s=猫"], "headers": headers}
        answer = handler({**asked, "rawPath": path, "rawQueryString": query}, None)
        assert (answer["statusCode"], orjson.loads(base64.b64decode(answer["body"]))) == (200, "/猫")


def test_stream_and_schedule_events_reach_their_handlers() -> None:
    seen: list[Any] = []

    async def stream(event: Mapping[str, Any]) -> Mapping[str, Any]:
        seen.append(event["Records"])
        return {"batchItemFailures": [{"itemIdentifier": "7"}]}

    async def remind(payload: Mapping[str, Any]) -> None:
        seen.append(payload)

    assert functions.stream_handler(lambda: stream)({"Records": [1]}, None) == {
        "batchItemFailures": [{"itemIdentifier": "7"}]
    }
    functions.schedule_handler(lambda: {"bot": {"remind": remind}})(
        {"system": "bot", "job": "remind", "payload": {"event": "1"}}, None
    )
    assert seen == [[1], {"event": "1"}]


@pytest.mark.parametrize(
    ("service", "variable", "found"),
    [
        ("email", "AWS_ENDPOINT_URL_SESV2", "http://127.0.0.1:4566"),
        ("scheduler", "AWS_ENDPOINT_URL_SCHEDULER", "http://127.0.0.1:4566"),
        ("email", "AWS_ENDPOINT_URL", "http://127.0.0.1:4566"),
        ("email", "SOMETHING_ELSE", "https://email.cn-north-1.amazonaws.com.cn"),
    ],
)
async def test_services_are_called_where_an_sdk_would_call_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, service: str, variable: str, found: str
) -> None:
    called: list[str] = []

    class Recording(Http):
        async def request(self, method: str, url: str, **rest: Any) -> Answer:
            called.append(url)
            return Answer(200, {}, b"{}")

    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SESV2", "AWS_ENDPOINT_URL_SCHEDULER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv(variable, "http://127.0.0.1:4566")
    await AwsService(service, "cn-north-1", Recording(), SYSTEM).call("GET", "/x")
    assert called == [f"{found}/x"]
