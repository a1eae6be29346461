"""Pushes to browsers: to whoever the browser belongs to now, and to nobody after they have signed out there.

A message may have waited, for quiet hours or for a push service. So it is asked again when it goes out: is the
subscription still this person's, was it made for our key, does the sign-in last that it came from? If not, it ends.
A subscription that the push service no longer knows is forgotten.
"""

from __future__ import annotations

from contextlib import suppress

from sekkei.design import ConditionFailed, Database
from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Transport
from sekkei.runtime.transports.web_push import DeviceGone, WebPush
from sekkei.web.identity.accounts import Accounts
from sekkei_systems.q.design.models import PushToken
from sekkei_systems.q.design.tables import push_tokens

NOT_THEIRS = "not theirs any more"
GONE = "gone"


class Browsers:
    at_once = WebPush.at_once
    timeout_seconds = WebPush.timeout_seconds

    def __init__(self, db: Database, accounts: Accounts, out: Transport, server_key: str) -> None:
        self._db = db
        self._accounts = accounts
        self._out = out
        self._server_key = server_key

    async def send(self, message: Message) -> str:
        device = await self._db.get(push_tokens(message.body["user"], message.to).consistent())
        if device is None:
            return NOT_THEIRS
        if device.server_key != self._server_key or not await self._is_signed_in(device):
            await self._forget(device)
            return NOT_THEIRS
        try:
            return await self._out.send(message)
        except DeviceGone:
            await self._forget(device)
            return GONE

    async def _is_signed_in(self, device: PushToken) -> bool:
        return device.session is None or await self._accounts.has_session(device.user_id, device.session)

    async def _forget(self, device: PushToken) -> None:
        gone = push_tokens.delete(device.user_id, device.token).when(PushToken.updated_at == device.updated_at)
        with suppress(ConditionFailed):  # registered anew meanwhile
            await self._db.write(gone)
