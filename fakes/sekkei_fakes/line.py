"""LINE's Messaging API as far as bots here need it, and as strict: what it refuses, LINE refuses, in LINE's words.

    line = LineCounterpart(clock, token="…", quota=200)
    line.befriend("U…")
    event = line.text("U…", "ピーナッツ")            # what somebody writes, with a reply token that dies
    body, headers = line.webhook([event], secret)   # signed; `again=True` sets LINE's flag of a redelivery
    line.received("U…")                             # what they got, in order

Replies are free, take a token once and within a minute, and have no retry key. Pushes cost one of the month's quota,
and happen once for a retry key, which lives for a day. Whoever blocks the channel gets nothing, and LINE does not say.
Rich menus (`line.menus`) and the webhook's address (`line.endpoint`) are kept here too; pictures go to `DATA` below the
same address, as LINE has another host for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson

from sekkei.clock import Clock
from sekkei.runtime.transports.line import signature
from sekkei.store.http import Answer
from sekkei_fakes.line_menus import RichMenus
from sekkei_fakes.line_message_rules import problems
from sekkei_fakes.line_refused import Accepted, Refused, faulty
from sekkei_fakes.line_webhook import WebhookEndpoint

DATA = "/api-data"
"""Where api-data.line.me begins."""
REPLY_SECONDS = 60.0
KEY_SECONDS = 24 * 3600.0
MESSAGES_MAX = 5
BODY_BYTES_MAX = 2 * 1024 * 1024
LOADING_SECONDS = range(5, 61, 5)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_USER = re.compile(r"[URC][0-9a-f]{32}")


@dataclass(slots=True)
class Sent:
    """A request that LINE accepted."""

    at: float
    to: str
    messages: list[dict[str, Any]]
    way: str
    """reply or push"""
    request_id: str
    key: str = ""
    """The retry key of a push, the token of a reply."""
    delivered: bool = True
    """Not to whoever has blocked the channel."""


@dataclass(slots=True)
class ReplyToken:
    user: str
    until: float
    used: bool = False


@dataclass(slots=True)
class RetryKey:
    first_at: float
    """When it was first tried with; it lives for a day from then."""
    accepted: Accepted | None = None


@dataclass(slots=True)
class Friend:
    language: str = "ja"
    blocked: bool = False


class LineCounterpart:
    def __init__(
        self, clock: Clock, token: str = "line-token", quota: int | None = None, secret: str = "line-secret"
    ) -> None:
        self._clock, self._token, self.secret = clock, token, secret
        self.menus, self.endpoint = RichMenus(clock), WebhookEndpoint(clock)
        self.quota = quota
        """Pushes of a month; None for a plan without a limit."""
        self.used = 0
        self.friends: dict[str, Friend] = {}
        self.sent: list[Sent] = []
        self.heard: Callable[[Sent], None] = lambda sent: None
        """Told of everything that arrives at somebody."""
        self.loading: list[str] = []
        self._tokens: dict[str, ReplyToken] = {}
        self._keys: dict[str, RetryKey] = {}
        self._number = 0

    # What people do

    def befriend(self, user: str, language: str = "ja") -> dict[str, Any]:
        """Somebody adds the channel, or comes back."""
        known = user in self.friends
        self.friends[user] = Friend(language)
        return self._event(user, type="follow", follow={"isUnblocked": known})

    def block(self, user: str) -> dict[str, Any]:
        self.friends[user].blocked = True
        found = self._event(user, type="unfollow")
        del found["replyToken"]
        return found

    def text(self, user: str, words: str) -> dict[str, Any]:
        self._number += 1
        message = {"id": f"{500_000_000 + self._number}", "type": "text", "text": words, "quoteToken": "q"}
        return self._event(user, type="message", message=message)

    def tap(self, user: str, data: str) -> dict[str, Any]:
        return self._event(user, type="postback", postback={"data": data})

    def unsend(self, user: str, message_id: str) -> dict[str, Any]:
        found = self._event(user, type="unsend", unsend={"messageId": message_id})
        del found["replyToken"]
        return found

    def _event(self, user: str, **fields: Any) -> dict[str, Any]:
        self._number += 1
        token = f"{self._number:032x}"
        self._tokens[token] = ReplyToken(user, self._clock.now() + REPLY_SECONDS)
        return {
            "mode": "active",
            "timestamp": int(self._clock.now() * 1000),
            "source": {"type": "user", "userId": user},
            "webhookEventId": f"01LINE{self._number:020d}",
            "deliveryContext": {"isRedelivery": False},
            "replyToken": token,
            **fields,
        }

    def webhook(
        self, events: list[dict[str, Any]], secret: str, *, again: bool = False
    ) -> tuple[bytes, dict[str, str]]:
        """A delivery: its body, and the headers with its signature."""
        told = [{**event, "deliveryContext": {"isRedelivery": again}} for event in events]
        body = orjson.dumps({"destination": "U" + "0" * 32, "events": told})
        return body, {"content-type": "application/json", "x-line-signature": signature(secret.encode(), body)}

    def received(self, user: str) -> list[Sent]:
        return [one for one in self.sent if one.to == user and one.delivered]

    # The API

    async def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        self._number += 1
        request_id = f"request-{self._number:06d}"
        fields = {b"content-type": b"application/json", b"x-line-request-id": request_id.encode()}
        path = unquote(urlsplit(target).path)
        try:
            self._check_token(headers)
            if path.startswith(f"{DATA}/"):
                found = self.menus.picture(method, path.removeprefix(DATA), headers, body)
                return Answer(found.status, {**fields, **found.headers}, found.body)
            if len(body) > BODY_BYTES_MAX:
                raise Refused(413, "Request exceeds the max size of 2MB")
            content = await self._done(method, path, headers, body, request_id)
        except Refused as refused:
            if refused.accepted:
                fields[b"x-line-accepted-request-id"] = refused.accepted.request_id.encode()
            return Answer(refused.status, fields, orjson.dumps(refused.body))
        return Answer(202 if path.endswith("/loading/start") else 200, fields, orjson.dumps(content))

    def _check_token(self, headers: Mapping[str, str]) -> None:
        if headers.get("authorization") != f"Bearer {self._token}":
            raise Refused(
                401, "Authentication failed. Confirm that the access token in the authorization header is valid."
            )

    async def _done(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes, request_id: str
    ) -> dict[str, Any]:
        if about_menus := self.menus.find(method, path, self._is_friend):
            return about_menus(_json(headers, body) if body else {})
        if path.startswith("/v2/bot/channel/webhook/"):
            return await self._webhook(method, path, headers, body)
        content = _json(headers, body) if method == "POST" else {}
        if method == "POST" and path != "/v2/bot/message/push" and "x-line-retry-key" in headers:
            raise Refused(400, "The retry key cannot be used with this API")
        if method == "POST" and path == "/v2/bot/message/reply":
            return self._reply(content, request_id)
        if method == "POST" and path == "/v2/bot/message/push":
            return self._push(content, headers, request_id)
        if method == "POST" and path in ("/v2/bot/message/validate/push", "/v2/bot/message/validate/reply"):
            _check_messages(content.get("messages"))
            return {}
        if method == "POST" and path == "/v2/bot/chat/loading/start":
            return self._load(content)
        if method == "GET":
            return self._look(path)
        raise Refused(404, "Not found")

    def _is_friend(self, user: str) -> bool:
        return user in self.friends and not self.friends[user].blocked

    async def _webhook(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        if (method, path) == ("PUT", "/v2/bot/channel/webhook/endpoint"):
            return self.endpoint.set(_json(headers, body))
        if (method, path) == ("GET", "/v2/bot/channel/webhook/endpoint"):
            return self.endpoint.told()
        if (method, path) == ("POST", "/v2/bot/channel/webhook/test"):
            return await self.endpoint.test(_json(headers, body) if body else {}, *self.webhook([], self.secret))
        raise Refused(404, "Not found")

    def _reply(self, content: dict[str, Any], request_id: str) -> dict[str, Any]:
        messages = _check_messages(content.get("messages"))
        token = self._tokens.get(str(content.get("replyToken")))
        if token is None or token.used or token.until < self._clock.now():
            raise Refused(400, "Invalid reply token")
        token.used = True
        return self._accept(token.user, messages, "reply", request_id, str(content["replyToken"]))

    def _push(self, content: dict[str, Any], headers: Mapping[str, str], request_id: str) -> dict[str, Any]:
        key = headers.get("x-line-retry-key", "")
        if key and not _UUID.fullmatch(key):
            raise Refused(400, "The retry key is invalid")
        tried = self._tried(key)
        if tried.accepted:
            raise Refused(409, "The retry key is already accepted", accepted=tried.accepted)
        messages, to = _check_messages(content.get("messages")), str(content.get("to"))
        if not _USER.fullmatch(to):
            raise Refused(400, "The property, 'to', in the request body is invalid (line: -, column: -)")
        if to not in self.friends:
            raise Refused(400, "Failed to send messages")
        if self.quota is not None and self.used >= self.quota:
            raise Refused(429, "You have reached your monthly limit.")
        self.used += 0 if self.friends[to].blocked else 1
        answer = self._accept(to, messages, "push", request_id, key)
        tried.accepted = Accepted(request_id, answer)
        return answer

    def _tried(self, key: str) -> RetryKey:
        now = self._clock.now()
        found = self._keys.get(key)
        if found is None or now - found.first_at >= KEY_SECONDS:
            found = RetryKey(now)
            if key:
                self._keys[key] = found
        return found

    def _accept(self, to: str, messages: list[dict[str, Any]], way: str, request_id: str, key: str) -> dict[str, Any]:
        found = Sent(self._clock.now(), to, messages, way, request_id, key, self._is_friend(to))
        self.sent.append(found)
        if found.delivered:
            self.heard(found)
        return {"sentMessages": [{"id": f"{self._number}{place}"} for place, _ in enumerate(messages)]}

    def _load(self, content: dict[str, Any]) -> dict[str, Any]:
        seconds = content.get("loadingSeconds", 20)
        if seconds not in LOADING_SECONDS or not _USER.fullmatch(str(content.get("chatId"))):
            raise faulty(("loadingSeconds", "must be a multiple of 5, 5 to 60"))
        self.loading.append(str(content["chatId"]))
        return {}

    def _look(self, path: str) -> dict[str, Any]:
        if path == "/v2/bot/message/quota":
            return {"type": "none"} if self.quota is None else {"type": "limited", "value": self.quota}
        if path == "/v2/bot/message/quota/consumption":
            return {"totalUsage": self.used}
        if path == "/v2/bot/info":
            return {
                "userId": "U" + "0" * 32,
                "basicId": "@123abcde",
                "displayName": "bot",
                "chatMode": "bot",
                "markAsReadMode": "auto",
            }
        user = path.removeprefix("/v2/bot/profile/")
        friend = self.friends.get(user)
        if friend is None or friend.blocked:
            raise Refused(404, "Not found")
        return {"userId": user, "displayName": user[:6], "language": friend.language}


def _json(headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    if not headers.get("content-type", "").startswith("application/json"):
        raise Refused(415, f"The content type, {headers.get('content-type') or '-'}, is not supported")
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Refused(400, "The request body could not be parsed as JSON (line: 1, column: 1)") from None
    if not isinstance(found, dict):
        raise Refused(400, "The request body has 1 error(s)")
    return found


def _check_messages(given: Any) -> list[dict[str, Any]]:
    """1 to 5 of them, as LINE's reference has them."""
    if not isinstance(given, list) or not 1 <= len(given) <= MESSAGES_MAX:
        raise faulty(("messages", f"Size must be between 1 and {MESSAGES_MAX}"))
    found = [
        (f"messages[{place}]{name}", words)
        for place, message in enumerate(given)
        for name, words in problems(message if isinstance(message, dict) else {})
    ]
    if found:
        raise faulty(*found)
    return given
