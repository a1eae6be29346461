"""The devices that a user hears from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.design import Action, Contended, Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.settings import Settings
from sekkei.runtime.transports.web_push import Keys, is_push_service, vapid_of
from sekkei_systems.q.design.models import (
    DeviceType,
    PushToken,
)
from sekkei_systems.q.design.tables import push_tokens, unique_token
from sekkei_systems.q.refusals import BadToken, NoSuchThing, NoWebPush
from sekkei_systems.q.service.access import Member

TOKEN_TRIES_MAX = 5
_TOKEN = re.compile(
    r"Expo(?:nent)?PushToken\[[A-Za-z0-9_-]{1,100}\]|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
)


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser's subscription, as its PushManager gives it."""

    endpoint: str
    p256dh: str
    auth: str


@dataclass
class Devices:
    db: Database
    clock: Clock
    outbox: Outbox
    settings: Settings

    def __post_init__(self) -> None:
        vapid = vapid_of(self.settings, self.clock)
        self.server_key = vapid.public if vapid else None
        """What browsers subscribe with; None when web push is not set up."""

    async def register(self, member: Member, token: str, kind: DeviceType, sign_in: str | None = None) -> None:
        """A device belongs to whoever signed in on it last: it is taken from whom it was with before. Only while this
        sign-in lasts it is told anything."""
        if kind is DeviceType.WEB or not _TOKEN.fullmatch(token):
            raise BadToken(field="token")
        now = days.now(self.clock)
        await self._keep(
            PushToken(user_id=member.id, token=token, device_type=kind, created_at=now, updated_at=now, session=sign_in)
        )

    async def register_browser(self, member: Member, given: Browser, sign_in: str | None) -> None:
        """Only addresses of push services are taken, and only while this sign-in lasts it is told anything."""
        if self.server_key is None:
            raise NoWebPush()
        try:
            Keys.of(given.p256dh, given.auth)
        except ValueError:
            raise BadToken(field="p256dh") from None
        if not is_push_service(given.endpoint, self.settings.get("push_hosts")):
            raise BadToken(field="endpoint")
        now = days.now(self.clock)
        await self._keep(
            PushToken(
                user_id=member.id,
                token=given.endpoint,
                device_type=DeviceType.WEB,
                created_at=now,
                updated_at=now,
                p256dh=given.p256dh.rstrip("="),
                auth=given.auth.rstrip("="),
                server_key=self.server_key,
                session=sign_in,
            )
        )

    async def _keep(self, mine: PushToken) -> None:
        """What waits for whom it was with before does not go out any more."""
        token, member_id = mine.token, mine.user_id
        for _ in range(TOKEN_TRIES_MAX):
            holder = await self.db.holder(unique_token, PushToken.token == token)
            actions: list[Action[PushToken, object]] = [push_tokens.put(mine)]
            if holder is not None and holder.user_id != member_id:
                actions.append(push_tokens.delete(holder.user_id, token))
            try:
                await self.db.transact(*actions)
                if len(actions) > 1:
                    await self.outbox.forget(token)
                return
            except TransactionFailed:
                continue  # somebody else registered the same device at this moment
        raise Contended("SK303", "The device is registered by several users at once.")

    async def change_hands(self, account_id: str, token: str) -> None:
        """Somebody signs in on a device: what was somebody else's there ends, though they never signed out."""
        holder = await self.db.holder(unique_token, PushToken.token == token)
        if holder is not None and holder.user_id != account_id:
            await self.db.write(push_tokens.delete(holder.user_id, token))
            await self.outbox.forget(token)

    async def forget(self, member: Member, token: str) -> None:
        try:
            await self.db.transact(push_tokens.delete(member.id, token).must_exist())
        except TransactionFailed as failed:
            raise NoSuchThing() from failed
