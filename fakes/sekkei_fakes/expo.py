"""Expo's push service and the phones behind it, as strict as its documentation.

    expo = ExpoCounterpart(clock, access_token="…")
    phone = expo.install("ExponentPushToken[ann]")     # a phone with the app
    phone.shown                                        # what it was told, in order
    expo.uninstall(phone)                              # Expo hears of it when it next delivers

A message gets a ticket at once; whether Apple or Google took it stands in a receipt a while later, which is kept for a
day. A phone that has lost the app is found out by a receipt, and only after that refused with a ticket.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import orjson

from sekkei.clock import Clock
from sekkei.store.http import Answer

PATH = "/--/api/v2/push"
NOTIFICATIONS_MAX = 100
RECEIPTS_MAX = 1_000
PAYLOAD_BYTES_MAX = 4_096
PER_SECOND = 600
BODY_BYTES_MAX = 4 * 1024 * 1024
RECEIPT_AFTER_SECONDS = 30.0
RECEIPT_KEPT_SECONDS = 24 * 3600.0

_TOKEN = re.compile(r"Expo(nent)?PushToken\[[^\[\]]+\]|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TEXTS = frozenset({"title", "subtitle", "body", "channelId", "categoryId", "collapseId", "tag", "icon"})
_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    **{name: lambda value: isinstance(value, str) for name in _TEXTS},
    "to": lambda value: isinstance(value, str) or (isinstance(value, list) and bool(value) and _are_texts(value)),
    "data": lambda value: isinstance(value, dict),
    "ttl": lambda value: _is_number(value) and value >= 0,
    "expiration": lambda value: _is_number(value),
    "priority": lambda value: value in ("default", "normal", "high"),
    "sound": lambda value: value is None or isinstance(value, str | dict),
    "badge": lambda value: type(value) is int and value >= 0,
    "interruptionLevel": lambda value: value in ("active", "critical", "passive", "time-sensitive"),
    "mutableContent": lambda value: isinstance(value, bool),
    "_contentAvailable": lambda value: isinstance(value, bool),
    "richContent": lambda value: isinstance(value, dict),
}
"""What a message may have, and of which kind."""


@dataclass(slots=True)
class Phone:
    token: str
    project: str
    has_app: bool = True
    known_gone: bool = False
    """Apple or Google have told Expo."""
    shown: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Ticket:
    made_at: float
    receipt: dict[str, Any]


class Refused(Exception):
    """A whole request."""

    def __init__(self, status: int, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.error = {"code": code, "message": message, "isTransient": status in (429, 503), **more}


class ExpoCounterpart:
    """Without an access token it takes requests of anybody, as Expo does while push security is off."""

    def __init__(self, clock: Clock, access_token: str = "", *, phones_are_real: bool = False) -> None:
        """`phones_are_real`: nobody here knows who has the app, so whatever looks like a token is a phone with it."""
        self._clock = clock
        self._access_token = access_token
        self._phones_are_real = phones_are_real
        self.phones: dict[str, Phone] = {}
        self.tickets: dict[str, Ticket] = {}
        self.heard: Callable[[Phone, dict[str, Any]], None] = lambda phone, message: None
        """Told of everything that a phone shows."""
        self._lately: deque[tuple[float, int]] = deque()

    # What people do

    def install(self, token: str, project: str = "@sekkei/app") -> Phone:
        """Somebody has the app, or has it again: then under the same token."""
        known = self.phones.get(token)
        if known is None:
            known = self.phones[token] = Phone(token, project)
        known.has_app, known.known_gone = True, False
        return known

    def uninstall(self, phone: Phone) -> None:
        phone.has_app = False

    # The API

    async def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        try:
            status, content = 200, {"data": self._done(method, urlsplit(target).path, headers, body)}
        except Refused as refused:
            status, content = refused.status, {"errors": [refused.error]}
        fields = {b"content-type": b"application/json; charset=utf-8"}
        written = orjson.dumps(content)
        if "gzip" in headers.get("accept-encoding", ""):
            written, fields[b"content-encoding"] = gzip.compress(written, 1, mtime=0), b"gzip"
        return Answer(status, fields, written)

    def _done(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Any:
        if method != "POST" or path not in (f"{PATH}/send", f"{PATH}/getReceipts"):
            raise Refused(404, "NOT_FOUND", f"There is no {method} {path}")
        if self._access_token and headers.get("authorization") != f"Bearer {self._access_token}":
            raise Refused(401, "UNAUTHORIZED", "Insufficient permissions to send push notifications to this project")
        content = _read(headers, body)
        return self._send(content) if path.endswith("/send") else self._receipts(content)

    def _send(self, content: Any) -> Any:
        messages = content if isinstance(content, list) else [content]
        for message in messages:
            _check(message)
        sent = [(to, message) for message in messages for to in _recipients(message)]
        if not 1 <= len(sent) <= NOTIFICATIONS_MAX:
            raise Refused(400, "PUSH_TOO_MANY_NOTIFICATIONS", f"{len(sent)} notifications, at most 100 are taken")
        self._check_projects([to for to, _ in sent])
        self._check_rate(len(sent))
        tickets = [self._ticket(to, message) for to, message in sent]
        alone = not isinstance(content, list) and isinstance(content["to"], str)
        return tickets[0] if alone else tickets

    def _check_projects(self, tokens: list[str]) -> None:
        found: dict[str, list[str]] = {}
        for token in tokens:
            if token in self.phones:
                found.setdefault(self.phones[token].project, []).append(token)
        if len(found) > 1:
            words = "All push notification messages in the same request must be for the same project"
            raise Refused(400, "PUSH_TOO_MANY_EXPERIENCE_IDS", words, details=found)

    def _check_rate(self, count: int) -> None:
        now = self._clock.now()
        while self._lately and self._lately[0][0] <= now - 1.0:
            self._lately.popleft()
        if sum(each for _, each in self._lately) + count > PER_SECOND:
            raise Refused(429, "TOO_MANY_REQUESTS", "More than 600 notifications a second for this project")
        self._lately.append((now, count))

    def _ticket(self, to: str, message: dict[str, Any]) -> dict[str, Any]:
        phone = self.phones.get(to)
        if phone is None and self._phones_are_real and _TOKEN.fullmatch(to):
            phone = self.install(to)
        if phone is None or phone.known_gone:
            what = "valid Expo push token" if not _TOKEN.fullmatch(to) else "registered push notification recipient"
            return {**_error(f'"{to}" is not a {what}', "DeviceNotRegistered", expoPushToken=to)}
        id = self._clock.uuid()
        self.tickets[id] = Ticket(self._clock.now(), self._delivered(phone, message))
        return {"status": "ok", "id": id}

    def _delivered(self, phone: Phone, message: dict[str, Any]) -> dict[str, Any]:
        """What Apple or Google say to it."""
        content = {name: value for name, value in message.items() if name != "to"}
        if len(orjson.dumps(content)) > PAYLOAD_BYTES_MAX:
            return _error("The notification is too large", "MessageTooBig")
        if not phone.has_app:
            phone.known_gone = True
            words = "The recipient device is not registered"
            return _error(words, "DeviceNotRegistered", expoPushToken=phone.token)
        phone.shown.append(content)
        self.heard(phone, content)
        return {"status": "ok"}

    def _receipts(self, content: Any) -> dict[str, Any]:
        ids = content.get("ids") if isinstance(content, dict) else None
        if not isinstance(ids, list) or not _are_texts(ids):
            raise _invalid('"ids" must be an array of strings')
        if len(ids) > RECEIPTS_MAX:
            raise Refused(400, "PUSH_TOO_MANY_RECEIPTS", f"{len(ids)} receipts, at most 1000 are given")
        now, found = self._clock.now(), {}
        for id in ids:
            ticket = self.tickets.get(id)
            if ticket is not None and RECEIPT_AFTER_SECONDS <= now - ticket.made_at < RECEIPT_KEPT_SECONDS:
                found[id] = ticket.receipt
        return found


def _read(headers: Mapping[str, str], body: bytes) -> Any:
    if not headers.get("content-type", "").startswith("application/json"):
        raise _invalid("The content type must be application/json")
    try:
        if headers.get("content-encoding") == "gzip":
            body = zlib.decompressobj(31).decompress(body, BODY_BYTES_MAX)
        return orjson.loads(body)
    except (zlib.error, orjson.JSONDecodeError):
        raise _invalid("The body is no JSON") from None


def _check(message: Any) -> None:
    if not isinstance(message, dict):
        raise _invalid("A message must be an object")
    for name, value in message.items():
        if name not in _FIELDS:
            raise _invalid(f'"{name}" is not allowed')
        if not _FIELDS[name](value):
            raise _invalid(f'"{name}" is of the wrong kind')
    if "to" not in message:
        raise _invalid('"to" is required')


def _recipients(message: dict[str, Any]) -> list[str]:
    to = message["to"]
    return to if isinstance(to, list) else [to]


def _invalid(message: str) -> Refused:
    return Refused(400, "VALIDATION_ERROR", message)


def _error(message: str, reason: str, **more: str) -> dict[str, Any]:
    return {"status": "error", "message": message, "details": {"error": reason, **more}}


def _are_texts(values: list[Any]) -> bool:
    return all(isinstance(each, str) for each in values)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
