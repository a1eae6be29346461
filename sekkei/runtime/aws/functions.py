"""Lambda's entry points: HTTP requests, stream batches and schedules, given to the same code that runs on a laptop.

    # handler.py of a deployment
    from sekkei.runtime.aws import functions
    http = functions.http_handler(make_application)          # behind a function URL or API Gateway (payload 2.0)
    stream = functions.stream_handler(make_reactions)        # event source mapping, ReportBatchItemFailures
    schedule = functions.schedule_handler(make_jobs)         # target of EventBridge Scheduler

Each argument is a function without parameters that makes the thing on first use; a warm function keeps it.
"""

from __future__ import annotations

import asyncio
import base64
import functools
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import unquote

from sekkei.runtime.system import ScheduledJob

Event = Mapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]
StreamHandler = Callable[[Event], Awaitable[Mapping[str, Any]]]


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    """One loop for the life of the function, so that connections stay open between calls."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop


def http_handler(make: Callable[[], Application]) -> Callable[[Event, object], dict[str, Any]]:
    """API Gateway's and function URLs' event, payload format 2.0, as one ASGI request."""
    made = functools.cache(make)

    def handler(event: Event, context: object) -> dict[str, Any]:
        return _loop().run_until_complete(_request(made(), event))

    return handler


async def _request(application: Application, event: Event) -> dict[str, Any]:
    body = event.get("body") or ""
    content = base64.b64decode(body) if event.get("isBase64Encoded") else body.encode()
    answer: dict[str, Any] = {"status": 500, "headers": [], "body": bytearray()}
    sent, answered = False, asyncio.Event()

    async def receive() -> Message:
        """The request, then nothing until it is answered: a gateway waits for the whole answer."""
        nonlocal sent
        if sent:
            await answered.wait()
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer["status"], answer["headers"] = message["status"], message.get("headers", [])
        elif message["type"] == "http.response.body":
            answer["body"] += message.get("body", b"")
            if not message.get("more_body", False):
                answered.set()

    await application(_scope(event), receive, send)
    return _response(answer)


def _scope(event: Event) -> Message:
    http = event["requestContext"]["http"]
    given = dict(event["headers"])
    if event.get("cookies"):
        given["cookie"] = "; ".join(event["cookies"])
    # Gateways pass on whatever a client sends, so nothing of it may be more than we can encode.
    headers = [
        (name.lower().encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in given.items()
    ]
    raw_path = event.get("rawPath") or "/"
    host, _, port = event["headers"].get("host", "lambda").partition(":")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": http["method"],
        "scheme": event["headers"].get("x-forwarded-proto", "https"),
        "path": unquote(raw_path),
        "raw_path": raw_path.encode(),
        "query_string": (event.get("rawQueryString") or "").encode(),
        "root_path": "",
        "headers": headers,
        "client": (http.get("sourceIp", ""), 0),
        "server": (host, int(port) if port.isdecimal() else 443),
        "state": {},
    }


def _response(answer: Mapping[str, Any]) -> dict[str, Any]:
    headers: dict[str, str] = {}
    cookies: list[str] = []
    for name, value in answer["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        if key == "set-cookie":
            cookies.append(text)
        else:
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return {
        "statusCode": answer["status"],
        "headers": headers,
        "cookies": cookies,
        "body": base64.b64encode(bytes(answer["body"])).decode(),
        "isBase64Encoded": True,
    }


def stream_handler(make: Callable[[], StreamHandler]) -> Callable[[Event, object], Mapping[str, Any]]:
    """A DynamoDB stream's batch; the answer names the records that failed."""
    made = functools.cache(make)

    def handler(event: Event, context: object) -> Mapping[str, Any]:
        async def run() -> Mapping[str, Any]:
            return await made()(event)

        return _loop().run_until_complete(run())

    return handler


def schedule_handler(make: Callable[[], Mapping[str, Mapping[str, ScheduledJob]]]) -> Callable[[Event, object], None]:
    """EventBridge Scheduler's input, as `EventBridgeSchedules` wrote it; `make` gives jobs by system and name."""
    made = functools.cache(make)

    def handler(event: Event, context: object) -> None:
        async def run() -> None:
            await made()[event["system"]][event["job"]](event["payload"])

        _loop().run_until_complete(run())

    return handler
