"""LINE's Messaging API: what a channel sends and asks, and the signature of what LINE sends to it.

SEKKEI_LINE_CHANNEL_TOKEN             sends
SEKKEI_LINE_CHANNEL_SECRET            verifies webhooks
SEKKEI_LINE_CHANNEL_SECRET_PREVIOUS   still accepted while the secret is changed
SEKKEI_LINE_API_URL                   https://api.line.me unless set
SEKKEI_LINE_DATA_URL                  https://api-data.line.me unless set; takes pictures

A push carries a key out of its message, so that a second try after a lost answer is the same push to LINE.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import orjson

from sekkei.clock import Clock
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Rejected, Undeliverable, busy
from sekkei.runtime.settings import Settings
from sekkei.store.http import Answer

API_URL = "https://api.line.me"
_DATA_URL = "https://api-data.line.me"
TIMEOUT_SECONDS = 5.0
"""LINE answers within fractions of a second, or something is wrong."""
REMEMBERS_SECONDS = 23 * 3600.0
"""LINE knows a retry key again for 24 hours; an hour of them for clocks that differ."""
LOADING_SECONDS = 20
_NAMESPACE = uuid.UUID("8f1c2c52-5d0b-4f0e-9d5e-6a2b54c1f7aa")

log = logging.getLogger("sekkei.runtime.line")


@dataclass(frozen=True, slots=True)
class Quota:
    """Pushes of this month; replies are free. `limit` is None where there is none."""

    limit: int | None
    used: int


class TokenRefused(Rejected):
    """LINE does not take our channel access token; messages wait until it is set anew."""


class LineApi:
    """A channel of LINE's. As a transport it pushes: `to` is a LINE user, the body's `messages` a list of LINE's
    message objects, written as JSON."""

    timeout_seconds = TIMEOUT_SECONDS
    remembers_seconds = REMEMBERS_SECONDS

    def __init__(self, token: str, http: Http, clock: Clock, url: str = API_URL, data_url: str = _DATA_URL) -> None:
        self._url, self._data_url = url.rstrip("/"), data_url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"}
        self._http = http
        self._clock = clock

    @staticmethod
    def configured(settings: Settings, http: Http, clock: Clock) -> LineApi | None:
        token = settings.get("line_channel_token")
        if not token:
            return None
        url, data_url = settings.get("line_api_url", API_URL), settings.get("line_data_url", _DATA_URL)
        return LineApi(token, http, clock, url, data_url)

    # Messages

    async def send(self, message: Message) -> str:
        content = {"to": message.to, "messages": orjson.loads(message.body["messages"])}
        answer = await self._call("POST", "/v2/bot/message/push", content, {"X-Line-Retry-Key": retry_key(message)})
        if answer.status in (200, 409):  # 409: LINE has accepted this key before
            return _request_id(answer)
        raise self._refusal(answer)

    async def reply(self, token: str, messages: Sequence[Mapping[str, Any]]) -> str | None:
        """Send with a reply token; None where LINE takes the token no more."""
        answer = await self._call("POST", "/v2/bot/message/reply", {"replyToken": token, "messages": list(messages)})
        if answer.status == 400:
            return None
        if answer.status != 200:
            raise self._refusal(answer)
        return _request_id(answer)

    async def validate(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """What LINE would say against these messages; empty when nothing."""
        answer = await self._call("POST", "/v2/bot/message/validate/push", {"messages": list(messages)})
        if answer.status not in (200, 400):
            raise self._refusal(answer)
        return "" if answer.status == 200 else _error_text(answer)

    # People

    async def language_of(self, user_id: str) -> str | None:
        """The language of a user's LINE as a tag such as "ja" or "en-GB"; None where LINE does not say."""
        try:
            answer = await self._call("GET", f"/v2/bot/profile/{quote(user_id, safe='')}")
            return str(orjson.loads(answer.body).get("language") or "") or None if answer.status == 200 else None
        except Exception as error:  # a guess is not worth a failure
            log.info("a profile could not be read", extra={"user": user_id, "error": repr(error)})
            return None

    async def show_loading(self, user_id: str) -> None:
        """Show dots in the chat, until the next message."""
        await self._done("POST", "/v2/bot/chat/loading/start", {"chatId": user_id, "loadingSeconds": LOADING_SECONDS})

    # The channel

    async def quota(self) -> Quota:
        """How many pushes this month has, and how many are gone."""
        limit = await self._done("GET", "/v2/bot/message/quota")
        used = await self._done("GET", "/v2/bot/message/quota/consumption")
        return Quota(limit.get("value") if limit.get("type") == "limited" else None, int(used.get("totalUsage", 0)))

    async def set_webhook(self, url: str) -> None:
        """Where LINE is to deliver from now on."""
        await self._done("PUT", "/v2/bot/channel/webhook/endpoint", {"endpoint": url})

    async def webhook(self) -> dict[str, Any] | None:
        """Where LINE delivers, and whether its switch is on; None while nothing is set."""
        answer = await self._call("GET", "/v2/bot/channel/webhook/endpoint")
        if answer.status == 404:
            return None
        return self._content(answer)

    async def test_webhook(self, url: str) -> dict[str, Any]:
        """Have LINE call our webhook, where it may still deliver to the address of before; what it tells of the
        answer."""
        return await self._done("POST", "/v2/bot/channel/webhook/test", {"endpoint": url})

    async def rich_menus(self) -> list[dict[str, Any]]:
        menus: list[dict[str, Any]] = (await self._done("GET", "/v2/bot/richmenu/list")).get("richmenus", [])
        return menus

    async def create_rich_menu(self, menu: Mapping[str, Any], picture: bytes) -> str:
        """Checked by LINE first, so that nothing half-made stays behind; the new menu's id."""
        await self._done("POST", "/v2/bot/richmenu/validate", menu)
        menu_id = str((await self._done("POST", "/v2/bot/richmenu", menu))["richMenuId"])
        url = f"{self._data_url}/v2/bot/richmenu/{quote(menu_id, safe='')}/content"
        headers = {**self._headers, "Content-Type": "image/png"}
        answer = await self._http.request("POST", url, headers=headers, body=picture)
        if answer.status != 200:
            await self.delete_rich_menu(menu_id)
            raise self._refusal(answer)
        return menu_id

    async def show_rich_menu(self, menu_id: str) -> None:
        """Show it to all users who have no menu of their own."""
        await self._done("POST", f"/v2/bot/user/all/richmenu/{quote(menu_id, safe='')}")

    async def delete_rich_menu(self, menu_id: str) -> None:
        await self._done("DELETE", f"/v2/bot/richmenu/{quote(menu_id, safe='')}")

    async def _done(self, method: str, path: str, content: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return self._content(await self._call(method, path, content))

    def _content(self, answer: Answer) -> dict[str, Any]:
        if not 200 <= answer.status < 300:
            raise self._refusal(answer)
        content: dict[str, Any] = orjson.loads(answer.body or b"{}")
        return content

    async def _call(
        self, method: str, path: str, content: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        sent = {**self._headers, **(headers or {})}
        if content is None:
            return await self._http.request(method, self._url + path, headers=sent)
        return await self._http.json(method, self._url + path, content, headers=sent)

    def _refusal(self, answer: Answer) -> Exception:
        """To be tried again when LINE is busy or down, and never when it says no or the month's pushes are used up."""
        text = _error_text(answer)
        words = f"LINE answered {answer.status}: {text[:300]} ({_request_id(answer)})"
        if answer.status == 401:
            # A token that was changed in LINE's console is no fault of the message: it waits until we have the new one.
            log.error("LINE refuses our channel access token; set SEKKEI_LINE_CHANNEL_TOKEN anew and restart")
            return TokenRefused(words)
        if answer.status == 403:
            return Rejected(words)
        if answer.status == 429 and "monthly limit" in text:
            log.error("this month's pushes are used up", extra={"answer": words})
            return Undeliverable(words)
        return busy(answer, self._clock, words) or Undeliverable(words)


def retry_key(message: Message) -> str:
    """Derived from the message, so that a second try after a lost answer is the same push to LINE."""
    return str(uuid.uuid5(_NAMESPACE, message.id))


def _request_id(answer: Answer) -> str:
    """What LINE calls the request that it has accepted."""
    accepted = answer.headers.get(b"x-line-accepted-request-id") or answer.headers.get(b"x-line-request-id") or b""
    return accepted.decode("latin-1") or "accepted"


def _error_text(answer: Answer) -> str:
    """What LINE says in {message, details: [{message, property}]}."""
    try:
        error = orjson.loads(answer.body)
        details = [f"{detail.get('property', '')}: {detail.get('message', '')}" for detail in error.get("details", [])]
        return "; ".join([str(error.get("message", "")), *details])
    except (orjson.JSONDecodeError, AttributeError):
        return answer.body[:300].decode("utf-8", "replace")


# Webhooks


class ChannelSecrets:
    """The secrets that may have signed a webhook: the one in force, and the one before it while it is changed."""

    def __init__(self, *secrets: bytes) -> None:
        self._secrets = secrets

    @staticmethod
    def configured(settings: Settings, *otherwise: bytes) -> ChannelSecrets:
        """`otherwise` are the secrets where no channel is set up; without any nothing is taken."""
        current, previous = settings.get("line_channel_secret"), settings.get("line_channel_secret_previous")
        if not current:  # a previous secret alone is one that was retired
            return ChannelSecrets(*otherwise)
        return ChannelSecrets(*(secret.encode() for secret in (current, previous) if secret))

    def have_signed(self, body: bytes, given: str | None) -> bool:
        """Whether `X-Line-Signature` is that of the raw bytes."""
        # Every secret is compared, so that time does not tell which one is in force.
        theirs = (given or "").encode()
        matches = [hmac.compare_digest(signature(secret, body).encode(), theirs) for secret in self._secrets]
        if not any(matches):
            log.warning("a webhook was refused", extra={"reason": "signature", "body_bytes": len(body)})
        return any(matches)


def signature(secret: bytes, body: bytes) -> str:
    """`X-Line-Signature` of a webhook, over its raw bytes."""
    return base64.b64encode(hmac.digest(secret, body, hashlib.sha256)).decode()
