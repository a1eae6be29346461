"""LINE's Messaging API: signatures and events on the way in, replies and pushes on the way out.

SEKKEI_LINE_CHANNEL_SECRET            verifies webhooks; without it the chat simulator's own secret does
SEKKEI_LINE_CHANNEL_SECRET_PREVIOUS   still accepted while a secret is being changed
SEKKEI_LINE_CHANNEL_TOKEN             sends; without it messages end in the chat simulator
SEKKEI_LINE_API_URL                   https://api.line.me unless told otherwise
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei.runtime.design import Message as OutboxMessage
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Undeliverable
from sekkei.runtime.refusals import Invalid, Refusal, say
from sekkei.runtime.settings import Settings
from sekkei.store.http import Answer
from systems.chiipochi.conversation import Incoming
from systems.chiipochi.messages import opened

API_URL = "https://api.line.me"
EVENTS_MAX = 100
REPLY_SECONDS = 50
"""LINE takes a reply token for a minute after it came; some of that passes on the way."""
_USER = re.compile(r"^U[0-9A-Za-z_-]{1,64}$")
_EVENT = re.compile(r"^[0-9A-Za-z_-]{1,64}$")
_NAMESPACE = uuid.UUID("8f1c2c52-5d0b-4f0e-9d5e-6a2b54c1f7aa")

log = logging.getLogger("systems.chiipochi.line")

RawEvent = dict[str, Any]


class BadSignature(Refusal):
    code = "bad-signature"
    status = 401
    words = say("署名が正しくありません。", "The signature is not right.")


def channel_secrets(settings: Settings) -> list[bytes]:
    """The secrets that may have signed a webhook, the one in force first."""
    given = [settings.get("line_channel_secret"), settings.get("line_channel_secret_previous")]
    found = [secret.encode() for secret in given if secret]
    return found or [local_secret(settings)]


def local_secret(settings: Settings) -> bytes:
    """What the chat simulator signs with, where no channel is set up."""
    return settings.secrets.key("chiipochi/line").hex().encode()


def is_local(settings: Settings) -> bool:
    return not settings.get("line_channel_secret")


def signature(secret: bytes, body: bytes) -> str:
    return base64.b64encode(hmac.digest(secret, body, hashlib.sha256)).decode()


def check_signature(secrets: Sequence[bytes], body: bytes, given: str | None) -> None:
    """Over the raw bytes, in constant time; raises BadSignature."""
    # Every secret is compared, so that time does not tell which one is in force.
    matches = [hmac.compare_digest(signature(secret, body).encode(), (given or "").encode()) for secret in secrets]
    if not any(matches):
        log.warning("a webhook was refused", extra={"reason": "signature", "body_bytes": len(body)})
        raise BadSignature()


def read_events(body: bytes) -> list[RawEvent]:
    """The events of a webhook that are for us; those of kinds that we do not know are left out."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Invalid(words=say("JSON ではありません。", "This is not JSON.")) from None
    events = found.get("events") if isinstance(found, dict) else None
    if not isinstance(events, list) or len(events) > EVENTS_MAX:
        raise Invalid(words=say("events がありません。", "There are no events in it."), field="events")
    return [event for event in events if isinstance(event, dict) and read_event(event) is not None]


def read_stored(text: str) -> Incoming | None:
    """An event as it was written down."""
    return read_event(orjson.loads(text))


def read_event(event: Mapping[str, Any]) -> Incoming | None:
    """One event as the conversation sees it; None when it is nothing to the bot."""
    source = event.get("source")
    event_id, at = event.get("webhookEventId"), event.get("timestamp")
    if event.get("mode") == "standby" or not isinstance(source, dict):
        return None
    user_id = source.get("userId")
    group = source.get("groupId") or source.get("roomId")
    if not (isinstance(event_id, str) and _EVENT.match(event_id) and isinstance(at, int) and at > 0):
        return None
    if user_id is None and isinstance(group, str):
        user_id = "Unknown"  # in groups people may be nameless; such events never reach a donation
    if not (isinstance(user_id, str) and _USER.match(user_id)):
        return None
    token = event.get("replyToken")
    given: dict[str, Any] = {
        "event_id": event_id,
        "user_id": user_id,
        "at_ms": at,
        "reply_token": token if isinstance(token, str) else None,
        "group": group if isinstance(group, str) else None,
    }
    return _of_kind(event, given)


def _of_kind(event: Mapping[str, Any], given: dict[str, Any]) -> Incoming | None:
    kind = event.get("type")
    message, postback = event.get("message"), event.get("postback")
    if kind == "message" and isinstance(message, dict) and message.get("type") == "text":
        text = message.get("text")
        return Incoming(kind="text", text=text, **given) if isinstance(text, str) else None
    if kind == "postback" and isinstance(postback, dict) and isinstance(postback.get("data"), str):
        return Incoming(kind="postback", data=postback["data"], **given)
    if kind == "follow":
        return Incoming(kind="follow", **given)
    if kind == "unfollow":
        return Incoming(kind="unfollow", **given)
    return None


class LineApi:
    """The real end of kind "line": a reply while its token lives, otherwise a push that LINE takes once."""

    def __init__(self, token: str, http: Http, clock: Clock, url: str = API_URL) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"}
        self._http = http
        self._clock = clock

    async def send(self, message: OutboxMessage) -> str:
        token = message.body.get("reply_token")
        age = self._clock.now() - message.created_at.timestamp()
        if token and message.attempts <= 1 and age < REPLY_SECONDS:
            answer = await self._post("reply", {"replyToken": token, "messages": opened(message.body)}, {})
            if answer.status == 200:
                return _request_id(answer)
            if answer.status != 400:
                raise _refusal(answer)
            log.info("a reply token was not taken; pushing instead", extra={"message_id": message.id})
        return await self._push(message)

    async def _push(self, message: OutboxMessage) -> str:
        # The key is derived from the message, so that a second try after a lost answer is the same push to LINE.
        key = str(uuid.uuid5(_NAMESPACE, message.id))
        content = {"to": message.to, "messages": opened(message.body)}
        answer = await self._post("push", content, {"X-Line-Retry-Key": key})
        if answer.status in (200, 409):  # 409: LINE has accepted this key before
            return _request_id(answer)
        raise _refusal(answer)

    async def _post(self, way: str, content: Mapping[str, Any], headers: Mapping[str, str]) -> Answer:
        url = f"{self._url}/v2/bot/message/{way}"
        return await self._http.json("POST", url, content, headers={**self._headers, **headers})


def _request_id(answer: Answer) -> str:
    accepted = answer.headers.get(b"x-line-accepted-request-id") or answer.headers.get(b"x-line-request-id") or b""
    return accepted.decode("latin-1") or "accepted"


def _refusal(answer: Answer) -> Exception:
    words = f"LINE answered {answer.status}: {answer.body[:300].decode('utf-8', 'replace')} ({_request_id(answer)})"
    if answer.status == 429 or answer.status >= 500:
        return ConnectionError(words)
    return Undeliverable(words)
