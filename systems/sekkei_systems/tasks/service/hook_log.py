"""What came of each try to reach an address, and the end of addresses that nothing has reached for days."""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import urlsplit

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed, Update
from sekkei.runtime.sealed_texts import SealedTexts
from sekkei_systems import days
from sekkei_systems.tasks.design import (
    Delivered,
    Hook,
    HookDelivery,
    Note,
    NoteKind,
    Role,
    deliveries,
    hooks,
    members_of,
    notes,
    team_users,
)
from sekkei_systems.tasks.rules.writes import still_open
from sekkei_systems.tasks.service.herald import NOTE_LIFE
from sekkei_systems.tasks.service.hooks import owner_of

STOPPED_AFTER = timedelta(days=5)
ERROR_MAX = 200


class HookLog:
    def __init__(self, db: Database, clock: Clock, texts: SealedTexts) -> None:
        self._db, self._clock, self._texts = db, clock, texts

    async def due(self, team_id: str, hook_id: str, delivery_id: str) -> tuple[Hook, HookDelivery] | None:
        """None when either was deleted meanwhile, or the address was stopped."""
        hook = await self._db.get(hooks(team_id, hook_id).consistent())
        found = await self._db.get(deliveries(team_id, hook_id, delivery_id).consistent())
        if hook is None or found is None:
            return None
        if hook.stopped_at is not None:
            await self.write(found, Delivered.FAILED, found.attempts, None, "stopped")
            return None
        return hook, found

    def secret(self, hook: Hook) -> bytes | None:
        return self._texts.open(hook.secret, owner_of(hook.team_id, hook.hook_id))

    async def write(
        self, delivery: HookDelivery, state: Delivered, attempts: int, code: int | None, error: str = ""
    ) -> None:
        update = deliveries.update(delivery.team_id, delivery.hook_id, delivery.delivery_id)
        update = update.set(HookDelivery.state, state).set(HookDelivery.attempts, attempts)
        update = update.set(HookDelivery.code, code).set(HookDelivery.error, error[:ERROR_MAX] or None)
        await self._if_there(update.set(HookDelivery.tried_at, days.now_jst(self._clock)))

    async def arrived(self, hook: Hook) -> None:
        if hook.failing_since is not None:
            await self._if_there(hooks.update(hook.team_id, hook.hook_id).set(Hook.failing_since, None))

    async def missed(self, hook: Hook, *, gone: bool = False) -> None:
        """Nothing arrived. After days of that the address is stopped, at once if it says that it is gone."""
        now = days.now_jst(self._clock)
        update = hooks.update(hook.team_id, hook.hook_id)
        if gone or (hook.failing_since is not None and hook.failing_since + STOPPED_AFTER <= now):
            stop = update.set(Hook.stopped_at, now).when(Hook.stopped_at.absent())
            if await self._if_there(stop):
                await self._tell_admins(hook, now)
        elif hook.failing_since is None:
            await self._if_there(update.set(Hook.failing_since, now).when(Hook.failing_since.absent()))

    async def _tell_admins(self, hook: Hook, now: datetime) -> None:
        for member in await self._db.all(members_of(hook.team_id).consistent()):
            if member.role is Role.ADMIN:
                note = Note(
                    user_id=member.user_id,
                    at=now,
                    note_id=f"hook-{hook.hook_id}",
                    kind=NoteKind.HOOK,
                    team_id=hook.team_id,
                    task_id="",
                    title=urlsplit(hook.url).netloc,
                    by="",
                    expires=now + NOTE_LIFE,
                )
                await self._tell(note)

    async def _tell(self, note: Note) -> None:
        there = team_users.must_exist(note.team_id, note.user_id)
        try:
            await self._db.transact(notes.put(note), there, still_open(note.team_id))
        except TransactionFailed:
            pass  # they have left just then, or the team is being deleted

    async def _if_there(self, update: Update[Hook] | Update[HookDelivery]) -> bool:
        try:
            await self._db.write(update)
        except ConditionFailed:
            return False  # deleted, or another worker was quicker
        return True
