"""LINE's Messaging API on the way out: replies, pushes, and what else the bot asks of LINE.

SEKKEI_LINE_CHANNEL_TOKEN   sends; without it messages end in the chat simulator
SEKKEI_LINE_API_URL         https://api.line.me unless told otherwise
SEKKEI_LINE_DATA_URL        https://api-data.line.me unless told otherwise; takes pictures
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import orjson

from sekkei.clock import Clock
from sekkei.runtime.design import Message as OutboxMessage
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings
from sekkei.runtime.transports.line import (
    API_URL,
    REMEMBERS_SECONDS,
    error_text,
    refusal,
    request_id,
    retry_key,
)
from sekkei.store.http import Answer
from sekkei_systems.chiipochi.ports.line.port import Quota, TokenRefused
from sekkei_systems.chiipochi.rules.message_limits import Message
from sekkei_systems.chiipochi.rules.messages import opened
from sekkei_systems.chiipochi.rules.pushes import Push, may_push
from sekkei_systems.chiipochi.texts import Language

DATA_URL = "https://api-data.line.me"
REPLY_SECONDS = 50
"""LINE takes a reply token for a minute after it came; some of that passes on the way."""
LOADING_SECONDS = 20
QUOTA_SECONDS = 600
"""How long we rely on what LINE said of the month's pushes."""

log = logging.getLogger("sekkei_systems.chiipochi.rules.events")


class LineApi:
    """The real end of kind "line": a reply while its token lives, otherwise a push that LINE takes once."""

    remembers_seconds = REMEMBERS_SECONDS

    def __init__(self, token: str, http: Http, clock: Clock, url: str = API_URL, data_url: str = DATA_URL) -> None:
        self._url, self._data_url = url.rstrip("/"), data_url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"}
        self._http = http
        self._clock = clock
        self._quota: tuple[float, Quota | None] = (0.0, None)

    @staticmethod
    def configured(settings: Settings, http: Http, clock: Clock) -> LineApi | None:
        token = settings.get("line_channel_token")
        if not token:
            return None
        url, data_url = settings.get("line_api_url", API_URL), settings.get("line_data_url", DATA_URL)
        return LineApi(token, http, clock, url, data_url)

    # Messages

    async def send(self, message: OutboxMessage) -> str:
        token = message.body.get("reply_token")
        age = self._clock.now() - message.created_at.timestamp()
        if token and age < REPLY_SECONDS:
            content = {"replyToken": token, "messages": opened(message.body)}
            answer = await self._call("POST", "/v2/bot/message/reply", content)
            if answer.status == 200:
                return request_id(answer)
            if answer.status != 400:
                raise self._refusal(answer)
            log.info("a reply token was not taken", extra={"message_id": message.id})
        # A message of before 0.2 does not say whether it may cost a push; then it may.
        if not await self._may_push(Push(message.body.get("push", "always"))):
            return "not sent: it is not worth a push"
        return await self._push(message)

    async def _may_push(self, push: Push) -> bool:
        if push is not Push.PLENTY:
            return may_push(push, None, 0)
        found = await self._recent_quota()
        return may_push(push, found.limit, found.used)

    async def _recent_quota(self) -> Quota:
        asked_at, found = self._quota
        if found is None or self._clock.now() - asked_at > QUOTA_SECONDS:
            found = await self.quota()
            self._quota = self._clock.now(), found
        return found

    async def _push(self, message: OutboxMessage) -> str:
        content = {"to": message.to, "messages": opened(message.body)}
        answer = await self._call("POST", "/v2/bot/message/push", content, {"X-Line-Retry-Key": retry_key(message)})
        if answer.status in (200, 409):  # 409: LINE has accepted this key before
            return request_id(answer)
        raise self._refusal(answer)

    def _refusal(self, answer: Answer) -> Exception:
        """A token that was changed in LINE's console is no fault of the message: it waits until we have the new one."""
        if answer.status != 401:
            return refusal(answer, self._clock)
        log.error("LINE refuses our channel access token; set SEKKEI_LINE_CHANNEL_TOKEN anew and restart")
        return TokenRefused(f"LINE answered 401: {error_text(answer)[:300]}")

    async def validate(self, messages: Sequence[Message]) -> str:
        """What LINE would say against these messages; empty when nothing."""
        answer = await self._call("POST", "/v2/bot/message/validate/push", {"messages": list(messages)})
        if answer.status not in (200, 400):
            raise refusal(answer, self._clock)
        return "" if answer.status == 200 else error_text(answer)

    # People

    async def language_of(self, user_id: str) -> Language | None:
        try:
            answer = await self._call("GET", f"/v2/bot/profile/{quote(user_id, safe='')}")
            language = orjson.loads(answer.body).get("language", "") if answer.status == 200 else ""
        except Exception as error:  # a guess is not worth a failure
            log.info("a profile could not be read", extra={"user": user_id, "error": repr(error)})
            return None
        # LINE tells it as a tag such as "ja" or "en-GB"; whoever reads neither gets on better with English.
        return None if not language else "ja" if str(language).lower().startswith("ja") else "en"

    async def show_loading(self, user_id: str) -> None:
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
        if answer.status != 200:
            raise self._refusal(answer)
        found: dict[str, Any] = orjson.loads(answer.body)
        return found

    async def test_webhook(self, url: str) -> dict[str, Any]:
        """Have LINE call our webhook, where it may still deliver to the address of before; what it tells of the
        answer."""
        return await self._done("POST", "/v2/bot/channel/webhook/test", {"endpoint": url})

    async def rich_menus(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self._done("GET", "/v2/bot/richmenu/list")).get("richmenus", [])
        return found

    async def create_rich_menu(self, menu: Mapping[str, Any], picture: bytes) -> str:
        """Checked by LINE first, so that nothing half-made stays behind; the new menu's id."""
        await self._done("POST", "/v2/bot/richmenu/validate", menu)
        menu_id = str((await self._done("POST", "/v2/bot/richmenu", menu))["richMenuId"])
        url = f"{self._data_url}/v2/bot/richmenu/{quote(menu_id, safe='')}/content"
        headers = {**self._headers, "Content-Type": "image/png"}
        answer = await self._http.request("POST", url, headers=headers, body=picture)
        if answer.status != 200:
            await self.delete_rich_menu(menu_id)
            raise refusal(answer, self._clock)
        return menu_id

    async def show_rich_menu(self, menu_id: str) -> None:
        """To everybody who has none of their own."""
        await self._done("POST", f"/v2/bot/user/all/richmenu/{quote(menu_id, safe='')}")

    async def delete_rich_menu(self, menu_id: str) -> None:
        await self._done("DELETE", f"/v2/bot/richmenu/{quote(menu_id, safe='')}")

    async def _done(self, method: str, path: str, content: Mapping[str, Any] | None = None) -> dict[str, Any]:
        answer = await self._call(method, path, content)
        if not 200 <= answer.status < 300:
            raise self._refusal(answer)
        found: dict[str, Any] = orjson.loads(answer.body or b"{}")
        return found

    async def _call(
        self, method: str, path: str, content: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        sent = {**self._headers, **(headers or {})}
        if content is None:
            return await self._http.request(method, self._url + path, headers=sent)
        return await self._http.json(method, self._url + path, content, headers=sent)
