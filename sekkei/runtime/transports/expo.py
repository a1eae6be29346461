"""Push notifications through Expo's service, many in a request. The receipt of each is its ticket; what became of a
ticket is asked for later.

Messages that are sent at about the same moment wait for each other a little and go out together. Expo takes 100 of them
in a request and 600 a second from a project, and asks for at most six connections. Each message gets a ticket, in their
order. A request that is refused as a whole, because of one bad message or because its tokens are of several projects,
is sent again one by one.
"""

from __future__ import annotations

import asyncio
import gzip
import logging
import zlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Rejected, Undeliverable, busy
from sekkei.store.http import Answer

_BATCH_MAX = 100
_GATHERED_SECONDS = 0.02
CONNECTIONS_MAX = 6
PER_SECOND = 600
_MESSAGE_BYTES_MAX = 4_096
RECEIPTS_MAX = 1_000
COMPRESSED_FROM_BYTES = 1_024
ANSWER_BYTES_MAX = 10_000_000
NEVER = frozenset({"MessageTooBig", "InvalidCredentials", "MismatchSenderId", "DeveloperError"})
"""Of these the same message will never be taken; the others pass."""

Outcome = str | Exception
"""A message's ticket, or why it has none."""

log = logging.getLogger("sekkei.runtime.expo")


class DeviceGone(Undeliverable):
    """The token is of a device that no longer has the app; whoever keeps tokens forgets it."""


class _Refused(Exception):
    """The whole request, for what is in it."""


class Expo:
    """`to` is an Expo push token; the body has title, body, data and whatever else Expo takes."""

    at_once = 600
    """They gather here, and go out a hundred in a request."""

    def __init__(
        self, url: str, token: str, http: Http, clock: Clock, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._clock = clock
        self._url = url.rstrip("/")
        self._headers = {"Accept-Encoding": "gzip", **({"Authorization": f"Bearer {token}"} if token else {})}
        self._http = http
        self._sleep = sleep
        self._turn = asyncio.Semaphore(CONNECTIONS_MAX)
        self._free_at = 0.0
        self._waiting: list[tuple[Message, asyncio.Future[str]]] = []
        self._under_way: set[asyncio.Task[None]] = set()

    async def send(self, message: Message) -> str:
        loop = asyncio.get_running_loop()
        ticket: asyncio.Future[str] = loop.create_future()
        self._waiting.append((message, ticket))
        if len(self._waiting) == _BATCH_MAX:
            self._go()
        elif len(self._waiting) == 1:
            loop.call_later(_GATHERED_SECONDS, self._go)
        return await ticket

    def _go(self) -> None:
        """Send what has gathered; nothing, when it went already because there was enough of it."""
        gathered, self._waiting = self._waiting, []
        if gathered:
            task = asyncio.create_task(self._send(gathered))
            self._under_way.add(task)  # the loop itself would let go of it
            task.add_done_callback(self._under_way.discard)

    async def _send(self, gathered: list[tuple[Message, asyncio.Future[str]]]) -> None:
        outcomes = await self.send_many([message for message, _ in gathered])
        for (_, ticket), outcome in zip(gathered, outcomes, strict=True):
            if ticket.done():  # whoever waited has given up
                continue
            if isinstance(outcome, str):
                ticket.set_result(outcome)
            else:
                ticket.set_exception(outcome)

    async def send_many(self, messages: Sequence[Message]) -> list[Outcome]:
        """Up to 100; for each its ticket, or why there is none."""
        contents = [{"to": message.to, **message.body} for message in messages]
        fits = [len(orjson.dumps(content)) <= _MESSAGE_BYTES_MAX for content in contents]
        sent = iter(await self._tickets([one for one, good in zip(contents, fits, strict=True) if good]))
        return [next(sent) if good else Undeliverable("MessageTooBig") for good in fits]

    async def _tickets(self, contents: list[dict[str, Any]]) -> list[Outcome]:
        if not contents:
            return []
        try:
            return await self._request(contents)
        except _Refused as refused:
            if len(contents) == 1:
                return [Undeliverable(str(refused))]
            return [outcome for one in contents for outcome in await self._tickets([one])]
        except Exception as error:  # no answer, or one that says later: all of them are tried again
            return [error] * len(contents)

    async def _request(self, contents: list[dict[str, Any]]) -> list[Outcome]:
        await self._pace(len(contents))
        async with self._turn:
            answer = await self._post("send", contents if len(contents) > 1 else contents[0])
        _check(answer, self._clock)
        tickets = _data(answer)
        tickets = tickets if isinstance(tickets, list) else [tickets]
        if len(tickets) != len(contents):
            raise ConnectionError(f"Expo gave {len(tickets)} tickets for {len(contents)} messages")
        return [str(one["id"]) if one["status"] == "ok" else _refusal(one) for one in tickets]

    async def _pace(self, count: int) -> None:
        """No more a second than Expo takes."""
        now = self._clock.monotonic()
        start = max(now, self._free_at)
        self._free_at = start + count / PER_SECOND
        if start > now:
            await self._sleep(start - now)

    async def receipts(self, tickets: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What became of messages sent some minutes ago, by ticket; one that is missing is not known yet."""
        found: dict[str, dict[str, Any]] = {}
        for start in range(0, len(tickets), RECEIPTS_MAX):
            async with self._turn:
                answer = await self._post("getReceipts", {"ids": list(tickets[start : start + RECEIPTS_MAX])})
            _check(answer, self._clock)
            found.update(_data(answer))
        return found

    async def _post(self, path: str, content: Any) -> Answer:
        body = orjson.dumps(content)
        headers = {"Accept": "application/json", "Content-Type": "application/json", **self._headers}
        if len(body) >= COMPRESSED_FROM_BYTES:
            body, headers["Content-Encoding"] = gzip.compress(body, 6), "gzip"
        return await self._http.request("POST", f"{self._url}/{path}", headers=headers, body=body)


def _check(answer: Answer, clock: Clock) -> None:
    if answer.status == 200:
        return
    words = f"Expo answered {answer.status}"
    if answer.status in (401, 403):
        raise Rejected(words)
    later = busy(answer, clock, words)
    if later is not None:
        raise later
    raise _Refused(f"{words}: {_errors(answer)}")


def _errors(answer: Answer) -> str:
    try:
        found = orjson.loads(_body(answer))["errors"]
        return ", ".join(f"{one.get('code')}: {one.get('message')}" for one in found)[:300]
    except (ValueError, KeyError, TypeError, AttributeError):
        return "without a reason"


def _data(answer: Answer) -> Any:
    return orjson.loads(_body(answer))["data"]


def _body(answer: Answer) -> bytes:
    if answer.headers.get(b"content-encoding") != b"gzip":
        return answer.body
    return zlib.decompressobj(31).decompress(answer.body, ANSWER_BYTES_MAX)


def _refusal(ticket: dict[str, Any]) -> Exception:
    reason = (ticket.get("details") or {}).get("error", "")
    words = f"{reason}: {ticket.get('message', '')}"
    if reason == "DeviceNotRegistered":
        return DeviceGone(words)
    return Undeliverable(words) if reason in NEVER else ConnectionError(words)
