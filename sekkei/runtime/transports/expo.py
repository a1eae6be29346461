"""Push notifications through Expo's service. The receipt is the ticket; what became of it is asked for later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Undeliverable

RECEIPTS_MAX = 1_000


class DeviceGone(Undeliverable):
    """The token is of a device that no longer has the app; whoever keeps tokens forgets it."""


class Expo:
    """`to` is an Expo push token; the body has title, body, data and whatever else Expo takes."""

    def __init__(self, url: str, token: str, http: Http) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = http

    async def send(self, message: Message) -> str:
        content = {"to": message.to, **message.body}
        answer = await self._http.json("POST", f"{self._url}/send", content, headers=self._headers)
        if answer.status != 200:
            raise ConnectionError(f"Expo answered {answer.status}")
        ticket = orjson.loads(answer.body)["data"]
        if isinstance(ticket, list):
            ticket = ticket[0]
        if ticket["status"] == "ok":
            return str(ticket["id"])
        raise _refusal(ticket)

    async def receipts(self, tickets: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What became of messages sent some minutes ago, by ticket; one that is missing is not known yet."""
        found: dict[str, dict[str, Any]] = {}
        for start in range(0, len(tickets), RECEIPTS_MAX):
            content = {"ids": list(tickets[start : start + RECEIPTS_MAX])}
            answer = await self._http.json("POST", f"{self._url}/getReceipts", content, headers=self._headers)
            if answer.status != 200:
                raise ConnectionError(f"Expo answered {answer.status}")
            found.update(orjson.loads(answer.body)["data"])
        return found


def _refusal(ticket: dict[str, Any]) -> Exception:
    reason = (ticket.get("details") or {}).get("error", "")
    words = f"{reason}: {ticket.get('message', '')}"
    if reason == "DeviceNotRegistered":
        return DeviceGone(words)
    if reason in ("MessageTooBig", "InvalidCredentials", "MismatchSenderId"):
        return Undeliverable(words)
    return ConnectionError(words)
