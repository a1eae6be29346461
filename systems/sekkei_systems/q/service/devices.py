"""The devices that a user hears from."""

from __future__ import annotations

import re

from sekkei.clock import Clock
from sekkei.design import Action, Contended, Database, TransactionFailed
from sekkei.runtime import days
from sekkei_systems.q.design.models import (
    DeviceType,
    PushToken,
)
from sekkei_systems.q.design.tables import push_tokens, unique_token
from sekkei_systems.q.refusals import BadToken, NoSuchThing
from sekkei_systems.q.service.access import Member

TOKEN_TRIES_MAX = 5
_TOKEN = re.compile(
    r"Expo(?:nent)?PushToken\[[A-Za-z0-9_-]{1,100}\]|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
)


class Devices:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def register(self, member: Member, token: str, kind: DeviceType) -> None:
        """A device belongs to whoever signed in on it last: it is taken from whom it was with before."""
        if not _TOKEN.fullmatch(token):
            raise BadToken(field="token")
        now = days.now(self._clock)
        mine = PushToken(user_id=member.id, token=token, device_type=kind, created_at=now, updated_at=now)
        for _ in range(TOKEN_TRIES_MAX):
            holder = await self._db.holder(unique_token, PushToken.token == token)
            actions: list[Action[PushToken, object]] = [push_tokens.put(mine)]
            if holder is not None and holder.user_id != member.id:
                actions.append(push_tokens.delete(holder.user_id, token))
            try:
                await self._db.transact(*actions)
                return
            except TransactionFailed:
                continue  # somebody else registered the same device at this moment
        raise Contended("SK303", "The device is registered by several users at once.")

    async def forget(self, member: Member, token: str) -> None:
        try:
            await self._db.transact(push_tokens.delete(member.id, token).must_exist())
        except TransactionFailed as failed:
            raise NoSuchThing() from failed
