"""The local end of LINE: a log that the chat simulator shows, and signed events as LINE would deliver them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime.design import Message as OutboxMessage
from sekkei.runtime.system import Context
from sekkei.runtime.transports.line import Quota, signature
from sekkei_systems import days
from sekkei_systems.chiipochi.design import chat_messages, chat_of
from sekkei_systems.chiipochi.design.models import ChatMessage
from sekkei_systems.chiipochi.ports.line.port import local_secret
from sekkei_systems.chiipochi.refusals import MessageTooLong
from sekkei_systems.chiipochi.rules.messages import opened

KEPT = timedelta(days=30)
TEXT_MAX = 500
DATA_MAX = 300


def line_id(account_id: str) -> str:
    """The LINE user that an account is in the simulator; shaped as LINE shapes them."""
    return "U" + hashlib.sha256(f"chiipochi/{account_id}".encode()).hexdigest()[:32]


def topic(user_id: str) -> str:
    return f"chiipochi/chat/{user_id}"


@dataclass
class Chat:
    """Also LINE's end and a transport: where no channel is set up, messages of kind "line" end here."""

    context: Context
    db: Database
    clock: Clock

    async def send(self, message: OutboxMessage) -> str:
        await self._log(message.to, message.id.partition("/")[2], "bot", opened(message.body))
        return "shown in the simulator"

    async def language_of(self, user_id: str) -> str | None:
        return None

    async def show_loading(self, user_id: str) -> None:
        self.context.live.publish(topic(user_id), "loading", {})

    async def quota(self) -> Quota | None:
        return None

    async def signed_event(self, user_id: str, text: str | None, data: str | None, shown: str | None) -> dict[str, str]:
        """What LINE would deliver for this message: the body of a webhook, and its signature."""
        event = self._event(user_id)
        if text is not None and 1 <= len(text) <= TEXT_MAX:
            words = {"id": event["webhookEventId"], "type": "text", "text": text, "quoteToken": event["replyToken"]}
            event |= {"type": "message", "message": words}
        elif data is not None and len(data) <= DATA_MAX:
            event |= {"type": "postback", "postback": {"data": data}}
        elif text is None and data is None:
            event |= {"type": "follow", "follow": {"isUnblocked": False}}
        else:
            raise MessageTooLong(field="text")
        said = text or (shown or "")[:DATA_MAX]
        if said:
            await self._log(user_id, event["webhookEventId"], "user", [{"type": "text", "text": said}])
        body = orjson.dumps({"destination": "U" + "0" * 32, "events": [event]})
        return {"body": body.decode(), "signature": signature(local_secret(self.context.settings), body)}

    def _event(self, user_id: str) -> dict[str, Any]:
        return {
            "mode": "active",
            "timestamp": int(self.clock.now() * 1000),
            "source": {"type": "user", "userId": user_id},
            "webhookEventId": "SIM" + self.clock.uuid().replace("-", "")[:23].upper(),
            "deliveryContext": {"isRedelivery": False},
            "replyToken": self.clock.uuid().replace("-", ""),
        }

    async def recent(self, user_id: str) -> list[ChatMessage]:
        """The end of the conversation, oldest first."""
        page = await self.db.page(chat_of(user_id).consistent())
        return list(page)[::-1]

    async def _log(self, user_id: str, message_id: str, sender: str, messages: list[dict[str, Any]]) -> None:
        now = days.now(self.clock)
        safe_id = message_id.replace("#", "-").replace("|", "-")[-200:]
        entry = ChatMessage(
            user_id=user_id, at=now, message_id=safe_id, sender=sender, messages=messages, expires_at=now + KEPT
        )
        await self.db.write(chat_messages.put(entry))
        self.context.live.publish(topic(user_id), "message", {"sender": sender})
