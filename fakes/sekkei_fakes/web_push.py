"""A push service and the browsers behind it, as strict as the real ones (RFC 8030, 8188, 8291, 8292).

service = PushService(clock, "http://127.0.0.1:9000")
phone = service.subscribe(vapid_public_key)     # what PushManager.subscribe gives: endpoint, p256dh, auth
phone.received                                  # what the browser could read, in order
service.unsubscribe(phone)                      # 410 from now on
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec

from sekkei.clock import Clock
from sekkei.runtime.transports.web_push import b64, claims_of, point, public_key, unb64, unsealed
from sekkei.store.http import Answer

BODY_BYTES_MAX = 4_096
TOKEN_SECONDS_MAX = 24 * 3600
URGENCIES = ("very-low", "low", "normal", "high")
TOPIC_MAX = 32


class Refused(Exception):
    def __init__(self, status: int, reason: str, **headers: str) -> None:
        super().__init__(reason)
        self.status, self.headers = status, headers


@dataclass(slots=True)
class Subscription:
    endpoint: str
    key: ec.EllipticCurvePrivateKey
    secret: bytes
    server_key: str
    """The VAPID key that it was made for; no other may send."""
    gone: bool = False
    unread: list[tuple[str, Any]] = field(default_factory=list)
    """Topic and payload of each message that the browser got."""

    @property
    def p256dh(self) -> str:
        return b64(point(self.key.public_key()))

    @property
    def auth(self) -> str:
        return b64(self.secret)

    @property
    def received(self) -> list[Any]:
        return [payload for _, payload in self.unread]


class PushService:
    def __init__(self, clock: Clock, url: str = "https://push.example") -> None:
        self._clock = clock
        self.url = url
        self.subscriptions: dict[str, Subscription] = {}
        self.busy_seconds = 0
        """While it is not 0, everybody is told to come back after so many seconds."""

    def subscribe(self, server_key: str) -> Subscription:
        public_key(unb64(server_key))
        path = f"/push/{secrets.token_urlsafe(16)}"
        made = Subscription(
            self.url + path, ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16), server_key
        )
        self.subscriptions[path] = made
        return made

    def unsubscribe(self, one: Subscription) -> None:
        one.gone = True

    async def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        try:
            self._take(method, target, {name.lower(): value for name, value in headers.items()}, body)
        except Refused as refused:
            fields = {name.replace("_", "-").encode(): value.encode() for name, value in refused.headers.items()}
            return Answer(refused.status, fields, str(refused).encode())
        return Answer(201, {b"location": f"{self.url}/message/{secrets.token_urlsafe(8)}".encode()}, b"")

    def _take(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> None:
        found = self.subscriptions.get(urlsplit(target).path)
        if found is None:
            raise Refused(404, "no such subscription")
        if method != "POST":
            raise Refused(405, "POST only")
        self._check_sender(headers.get("authorization", ""), found)
        if found.gone:
            raise Refused(410, "unsubscribed")
        if self.busy_seconds:
            raise Refused(429, "too many", retry_after=str(self.busy_seconds))
        topic = _checked_headers(headers)
        if len(body) > BODY_BYTES_MAX:
            raise Refused(413, "too large")
        try:
            payload = orjson.loads(unsealed(body, found.key, found.secret))
        except (ValueError, IndexError, InvalidTag) as error:
            raise Refused(400, f"the browser could not read it: {error}") from None
        if topic:
            found.unread = [one for one in found.unread if one[0] != topic]
        found.unread.append((topic, payload))

    def _check_sender(self, given: str, found: Subscription) -> None:
        kind, _, rest = given.partition(" ")
        parts = dict(one.strip().partition("=")[::2] for one in rest.split(","))
        if kind != "vapid" or set(parts) != {"t", "k"}:
            raise Refused(401, "no VAPID token")
        if parts["k"] != found.server_key:
            raise Refused(403, "the subscription was made for another key")
        try:
            claims = claims_of(parts["t"], public_key(unb64(parts["k"])))
        except ValueError as error:
            raise Refused(403, f"VAPID: {error}") from None
        now = self._clock.now()
        if claims.get("aud") != self.url:
            raise Refused(403, "VAPID: for another push service")
        if not now < claims.get("exp", 0) <= now + TOKEN_SECONDS_MAX:
            raise Refused(403, "VAPID: over, or good for more than a day")
        if not str(claims.get("sub", "")).startswith(("mailto:", "https://")):
            raise Refused(403, "VAPID: without a way to reach the sender")


def _checked_headers(headers: Mapping[str, str]) -> str:
    """The topic, when everything else is as it must be."""
    if not headers.get("ttl", "").isdigit():
        raise Refused(400, "TTL is missing")
    if headers.get("content-encoding") != "aes128gcm":
        raise Refused(415, "aes128gcm only")
    if headers.get("urgency", "normal") not in URGENCIES:
        raise Refused(400, "no such urgency")
    topic = headers.get("topic", "")
    if len(topic) > TOPIC_MAX or (not topic.replace("-", "").replace("_", "").isalnum() and topic):
        raise Refused(400, "a topic has 32 characters of base64url at most")
    return topic
