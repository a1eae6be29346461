"""LINE's Messaging API: pushes to people who are friends of a channel, and the signature of what the channel sends us.

A push carries a key out of its message, so that a second try after a lost answer is the same push to LINE.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import uuid
from collections.abc import Mapping
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Rejected, Undeliverable, busy
from sekkei.store.http import Answer

API_URL = "https://api.line.me"
TIMEOUT_SECONDS = 5.0
"""LINE answers within fractions of a second, or something is wrong."""
REMEMBERS_SECONDS = 23 * 3600.0
"""LINE knows a retry key again for 24 hours; an hour of them for clocks that differ."""
_NAMESPACE = uuid.UUID("8f1c2c52-5d0b-4f0e-9d5e-6a2b54c1f7aa")

log = logging.getLogger("sekkei.runtime.line")


class LinePush:
    """`to` is a LINE user; the body's `messages` is a list of LINE's message objects, written as JSON."""

    timeout_seconds = TIMEOUT_SECONDS
    remembers_seconds = REMEMBERS_SECONDS

    def __init__(self, token: str, http: Http, clock: Clock, url: str = API_URL) -> None:
        self._clock = clock
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"}
        self._http = http

    async def send(self, message: Message) -> str:
        content = {"to": message.to, "messages": orjson.loads(message.body["messages"])}
        answer = await self.post("push", content, {"X-Line-Retry-Key": retry_key(message)})
        if answer.status in (200, 409):  # 409: LINE has accepted this key before
            return request_id(answer)
        raise refusal(answer, self._clock)

    async def post(self, way: str, content: Mapping[str, Any], headers: Mapping[str, str]) -> Answer:
        url = f"{self._url}/v2/bot/message/{way}"
        return await self._http.json("POST", url, content, headers={**self._headers, **headers})


def retry_key(message: Message) -> str:
    """Derived from the message, so that a second try after a lost answer is the same push to LINE."""
    return str(uuid.uuid5(_NAMESPACE, message.id))


def request_id(answer: Answer) -> str:
    """What LINE calls the request that it has accepted."""
    accepted = answer.headers.get(b"x-line-accepted-request-id") or answer.headers.get(b"x-line-request-id") or b""
    return accepted.decode("latin-1") or "accepted"


def error_text(answer: Answer) -> str:
    """What LINE says in {message, details: [{message, property}]}."""
    try:
        found = orjson.loads(answer.body)
        details = [f"{detail.get('property', '')}: {detail.get('message', '')}" for detail in found.get("details", [])]
        return "; ".join([str(found.get("message", "")), *details])
    except (orjson.JSONDecodeError, AttributeError):
        return answer.body[:300].decode("utf-8", "replace")


def refusal(answer: Answer, clock: Clock) -> Exception:
    """To be tried again when LINE is busy or down, and never when it says no or the month's pushes are used up."""
    told = error_text(answer)
    words = f"LINE answered {answer.status}: {told[:300]} ({request_id(answer)})"
    if answer.status == 429 and "monthly limit" in told:
        log.error("this month's pushes are used up", extra={"answer": words})
        return Undeliverable(words)
    if answer.status in (401, 403):
        return Rejected(words)
    return busy(answer, clock, words) or Undeliverable(words)


def signature(secret: bytes, body: bytes) -> str:
    """`X-Line-Signature` of a webhook, over its raw bytes."""
    return base64.b64encode(hmac.digest(secret, body, hashlib.sha256)).decode()
