"""Pushes to phones and browsers: to the person who has the device now, to nobody after they have signed out there.

A message may have waited, for quiet hours or for a push service. So the store is read again when it goes out: is the
device still this person's, does the sign-in last that it came from, do they still want to hear of it, and is the person
it tells of still there for them? If not, it ends. A device that its push service no longer knows is forgotten.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Any

from sekkei.design import ConditionFailed, Database, Ref, replace
from sekkei.runtime.delivery import ATTEMPTS_MAX, TIMEOUT_SECONDS
from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Rejected, Transport, TryAgain, Undeliverable
from sekkei.runtime.transports.expo import DeviceGone as PhoneGone
from sekkei.runtime.transports.web_push import DeviceGone as BrowserGone
from sekkei.web.identity.accounts import Accounts
from sekkei_systems.q.design.models import PushToken
from sekkei_systems.q.design.tables import blocks, mutes, push_tokens, users
from sekkei_systems.q.rules.notices import GONE, NOT_THEIRS, is_still_for
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.service.numbers import Numbers, Outcome

SYSTEM = "q"
log = logging.getLogger("sekkei_systems.q.push")


class TheirDevices:
    """`server_key` is what browsers subscribe with; phones have none."""

    def __init__(self, db: Database, accounts: Accounts, out: Transport, server_key: str | None = None) -> None:
        self._db = db
        self._accounts = accounts
        self._out = out
        self._server_key = server_key
        self.at_once: int = getattr(out, "at_once", 1)
        self.timeout_seconds: float = getattr(out, "timeout_seconds", TIMEOUT_SECONDS)

    async def send(self, message: Message) -> str:
        if message.system != SYSTEM:
            return await self._out.send(message)  # another system that shares the way out
        device, is_still_for = await self._read(message)
        if device is None:
            return NOT_THEIRS
        if not await self._lasts(device):
            await self._forget(device)
            return NOT_THEIRS
        if not is_still_for:
            return NOT_THEIRS
        body = {name: value for name, value in message.body.items() if name != "user"}
        try:
            return await self._out.send(replace(message, body=body))
        except (PhoneGone, BrowserGone):
            await self._forget(device)
            return GONE

    async def _read(self, message: Message) -> tuple[PushToken | None, bool]:
        """The device, while it is with whom the message is for, and whether it is still for them: they may have parted
        since, or want to hear no more of it. One call, for everybody is told of a question."""
        owner = message.body["user"]
        wanted: list[Ref[Any]] = [push_tokens(owner, message.to).consistent(), users(owner).consistent()]
        about = next(iter(message.people - {owner}), None)
        if about is not None:
            wanted += [users(about).consistent(), mutes(owner, about).consistent()]
            wanted += [blocks(owner, about).consistent(), blocks(about, owner).consistent()]
        device, user, *others = await self._db.get_many(wanted)
        parted = bool(others) and (not is_present(others[0]) or any(others[1:]))
        return device, user is not None and not parted and is_still_for(user, message.body["channelId"])

    async def _lasts(self, device: PushToken) -> bool:
        if device.server_key != self._server_key:
            return False
        return device.session is None or await self._accounts.has_session(device.user_id, device.session)

    async def _forget(self, device: PushToken) -> None:
        gone = push_tokens.delete(device.user_id, device.token).when(PushToken.updated_at == device.updated_at)
        with suppress(ConditionFailed):  # registered anew meanwhile
            await self._db.write(gone)


class CountedPush:
    """A transport whose outcomes are counted for the operator: taken by the push service, given up, or the device is
    gone. What other systems send by it passes uncounted."""

    def __init__(self, out: Transport, numbers: Numbers) -> None:
        self._out = out
        self._numbers = numbers
        self.at_once: int = getattr(out, "at_once", 1)
        self.timeout_seconds: float = getattr(out, "timeout_seconds", TIMEOUT_SECONDS)

    async def send(self, message: Message) -> str:
        try:
            receipt = await self._out.send(message)
        except Undeliverable as error:
            await self._count(message, "gone" if isinstance(error, PhoneGone) else "failed")
            raise
        except (TryAgain, Rejected):
            raise
        except Exception:
            if message.attempts >= ATTEMPTS_MAX:
                await self._count(message, "failed")
            raise
        if receipt != NOT_THEIRS:  # nobody was to be told
            await self._count(message, "gone" if receipt == GONE else "sent")
        return receipt

    async def _count(self, message: Message, outcome: Outcome) -> None:
        """What went out must not go out again because it could not be counted."""
        if message.system != SYSTEM:
            return
        try:
            await self._numbers.push(message.id, outcome)
        except Exception as error:
            log.warning("a push was not counted", extra={"message_id": message.id, "error": repr(error)})

    def __getattr__(self, name: str) -> Any:
        """What else the way out says of itself."""
        return getattr(self._out, name)
