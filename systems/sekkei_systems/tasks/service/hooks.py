"""Webhooks: addresses of other programs that are told what happens in a team. Admins look after them."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, Page, Put, TransactionFailed, Update
from sekkei.errors import NoAnswer
from sekkei.kit.webhooks import as_shown
from sekkei.runtime.delivery import ATTEMPTS_MAX
from sekkei.runtime.design import Message
from sekkei.runtime.ends import is_loopback
from sekkei.runtime.failures import error_line
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.outbox import Outbox, Undeliverable
from sekkei.runtime.refusals import Conflict, Invalid, NotThere
from sekkei.runtime.sealed_texts import SealedTexts
from sekkei.runtime.settings import Settings
from sekkei.runtime.transports.webhook import NotPublic, Sender, public_address, resolved
from sekkei_systems import days
from sekkei_systems.tasks.design import (
    Activity,
    Delivered,
    Hook,
    HookDelivery,
    HookEvent,
    Note,
    NoteKind,
    Role,
    Team,
    deliveries,
    deliveries_of,
    hooks,
    hooks_of,
    members_of,
    notes,
    one_task,
    one_team,
    plan_of,
    team_users,
)
from sekkei_systems.tasks.refusals import NoSuchTeam, TooLarge
from sekkei_systems.tasks.rules.hooks import TEST, BadHookUrl, Happened, allowed_by, body_of, checked_url, of_parent
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.rules.writes import still_open
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.service.notes import NOTE_LIFE

KIND = "tasks.webhook"
HOOKS_MAX = 10
_SECRET_BYTES = 32
KEPT = timedelta(days=30)
_LOG_SIZE = 50
_LOOK_UP_SECONDS = 5.0


class NoSuchHook(NotThere):
    """Deleted, or never there."""


class NoSuchDelivery(NotThere):
    """Older than a month, or never there."""


class NoEvents(Invalid):
    """An address that asks for nothing."""


class HookStopped(Conflict):
    """Nothing is sent to this address until it is switched on again."""


@dataclass
class Hooks:
    db: Database
    clock: Clock
    jobs: Jobs
    outbox: Outbox
    texts: SealedTexts
    settings: Settings

    # By admins

    async def all(self, admin: Admin) -> list[Hook]:
        return await self.db.all(hooks_of(admin.team_id).consistent())

    async def get(self, admin: Admin, hook_id: str) -> Hook:
        found = await self.db.get(hooks(admin.team_id, hook_id).consistent())
        if found is None:
            raise NoSuchHook()
        return found

    async def add(self, admin: Admin, url: str, events: frozenset[HookEvent]) -> tuple[Hook, str]:
        """The address and its secret, which is never shown again."""
        address = await self._checked(url, events)
        if len(await self.all(admin)) >= HOOKS_MAX:
            raise TooLarge(most=HOOKS_MAX)
        hook_id, secret = short(self.clock), secrets.token_bytes(_SECRET_BYTES)
        made = Hook(
            team_id=admin.team_id,
            hook_id=hook_id,
            url=address,
            events=events,
            secret=self.texts.close(secret, owner_of(admin.team_id, hook_id)),
            created_by=admin.user_id,
            created_at=days.now_jst(self.clock),
        )
        try:
            await self.db.transact(hooks.create(made), still_open(admin.team_id))
        except TransactionFailed as failed:
            raise NoSuchTeam() from failed
        return made, as_shown(secret)

    async def change(self, admin: Admin, hook_id: str, url: str, events: frozenset[HookEvent]) -> Hook:
        """Whoever gives it another address means it to be used: one that was stopped goes on."""
        update = hooks.update(admin.team_id, hook_id).set(Hook.url, await self._checked(url, events))
        update = update.set(Hook.events, events).set(Hook.failing_since, None).set(Hook.stopped_at, None)
        try:
            return await self.db.write(update)
        except ConditionFailed as failed:
            raise NoSuchHook() from failed

    async def resume(self, admin: Admin, hook_id: str) -> Hook:
        """To whatever address it has by now."""
        update = hooks.update(admin.team_id, hook_id).set(Hook.failing_since, None).set(Hook.stopped_at, None)
        try:
            return await self.db.write(update)
        except ConditionFailed as failed:
            raise NoSuchHook() from failed

    async def delete(self, admin: Admin, hook_id: str) -> None:
        """With its log, by a job."""
        payload = {"team_id": admin.team_id, "hook_id": hook_id}
        job = self.jobs.start_action("delete-hook-log", payload, id=f"delete-hook-log/{hook_id}")
        try:
            await self.db.transact(hooks.delete(admin.team_id, hook_id).must_exist(), job)
        except TransactionFailed as failed:
            raise NoSuchHook() from failed

    async def log(self, admin: Admin, hook_id: str, after: str | None = None) -> Page[HookDelivery]:
        return await self.db.page(deliveries_of(admin.team_id, hook_id).consistent(), size=_LOG_SIZE, after=after)

    async def test(self, admin: Admin, hook_id: str) -> HookDelivery:
        """A delivery that says nothing, so that somebody sees whether it arrives."""
        hook = await self._going(admin, hook_id)
        happened = Happened(f"msg_{short(self.clock)}", (TEST,), admin.user_id)
        team = await self.db.need(one_team(admin.team_id))
        made = await self._made(team, hook, happened, TEST)
        try:
            await self.db.transact(*self._sent(made, happened.id))
        except TransactionFailed as failed:
            raise NoSuchHook() from failed
        return made

    async def again(self, admin: Admin, hook_id: str, delivery_id: str) -> HookDelivery:
        """The same once more, with the same id: a receiver that has it drops it."""
        await self._going(admin, hook_id)
        found = await self.db.get(deliveries(admin.team_id, hook_id, delivery_id).consistent())
        if found is None:
            raise NoSuchDelivery()
        if found.state is Delivered.WAITING:
            return found
        update = deliveries.update(admin.team_id, hook_id, delivery_id).set(HookDelivery.state, Delivered.WAITING)
        update = update.add(HookDelivery.again, 1).when(HookDelivery.again == found.again)
        try:
            await self.db.transact(update, self._message(found, f"{delivery_id}/{found.again + 1}"))
        except TransactionFailed:
            pass  # somebody else asked for the same just then
        return found

    async def _going(self, admin: Admin, hook_id: str) -> Hook:
        found = await self.get(admin, hook_id)
        if found.stopped_at is not None:
            raise HookStopped()
        return found

    async def _checked(self, url: str, events: frozenset[HookEvent]) -> str:
        """A name that nobody answers for yet is taken: where it leads is looked at again with everything sent."""
        if not events:
            raise NoEvents(field="events")
        address = checked_url(url, here=is_loopback(self.settings.public_url))
        try:
            async with asyncio.timeout(_LOOK_UP_SECONDS):
                await public_address(address, allowed_by(self.settings), resolved)
        except (NotPublic, UnicodeError) as wrong:  # the latter for a name that can be none
            raise BadHookUrl(field="url") from wrong
        except OSError:
            pass
        return address

    # By the stream

    async def tell(self, team_id: str, happened: Happened | None) -> None:
        """Write it down for every address that asked for it; each once, however often the stream tells it."""
        if happened is None:
            return
        wanting = [
            (hook, kind)
            for hook in await self.db.all(hooks_of(team_id))
            if hook.stopped_at is None and (kind := happened.kind_for(hook.events)) is not None
        ]
        team = await self.db.get(one_team(team_id)) if wanting else None
        if team is None or team.closing:
            return
        happened = await self._with_parent(team_id, happened)
        for hook, kind in wanting:
            made = await self._made(team, hook, happened, kind)
            try:
                await self.db.transact(*self._sent(made, happened.id))
            except TransactionFailed:
                pass  # the record came before, or the address is gone

    async def tell_of_parent(self, line: Activity) -> None:
        """A task became part of another, or of none."""
        task = await self.db.get(one_task(line.team_id, line.task_id))
        if task is not None and task.deleted_at is None:
            await self.tell(line.team_id, of_parent(task, line))

    async def _with_parent(self, team_id: str, happened: Happened) -> Happened:
        """What a task is part of stands in its plan; it is read only when somebody is told."""
        task = happened.data.get("task", {})
        if "status" not in task:
            return happened
        plan = await self.db.get(plan_of(team_id, task["id"]))
        parent = await self.db.get(one_task(team_id, plan.parent)) if plan and plan.parent else None
        id = parent.task_id if parent and parent.deleted_at is None else None
        return replace(happened, data={**happened.data, "task": {**task, "parent": id}})

    async def _made(self, team: Team, hook: Hook, happened: Happened, kind: str) -> HookDelivery:
        now = days.now_jst(self.clock)
        by = await self.db.get(team_users(team.team_id, happened.by)) if happened.by else None
        page = f"{self.settings.public_url}/tasks/teams/{team.team_id}"
        return HookDelivery(
            team_id=team.team_id,
            hook_id=hook.hook_id,
            delivery_id=short(self.clock),
            event_id=happened.id,
            event=kind,
            body=body_of(happened, kind, now, team, by.user_name if by else "", page),
            people=happened.people,
            at=now,
            expires=now + KEPT,
        )

    def _sent(self, made: HookDelivery, reason: str) -> list[Action[Any, Any]]:
        """In the log and on its way, as long as the address is there: its log goes with it."""
        there = hooks.must_exist(made.team_id, made.hook_id)
        return [deliveries.create(made), self._message(made, reason), there]

    def _message(self, made: HookDelivery, reason: str) -> Put[Message]:
        body = {"team": made.team_id, "hook": made.hook_id, "delivery": made.delivery_id, "event": made.event}
        return self.outbox.message(KIND, made.hook_id, body, id=f"hook/{made.hook_id}/{reason}")


def owner_of(team_id: str, hook_id: str) -> str:
    """Whose secret it is: one that was copied to another address does not open there."""
    return f"{team_id}/{hook_id}"


# What came of each try to reach an address, and the end of addresses that nothing has reached for days.


STOPPED_AFTER = timedelta(days=5)
_ERROR_MAX = 200


@dataclass
class HookLog:
    db: Database
    clock: Clock
    texts: SealedTexts

    async def due(self, team_id: str, hook_id: str, delivery_id: str) -> tuple[Hook, HookDelivery] | None:
        """None when either was deleted meanwhile, or the address was stopped."""
        hook = await self.db.get(hooks(team_id, hook_id).consistent())
        found = await self.db.get(deliveries(team_id, hook_id, delivery_id).consistent())
        if hook is None or found is None:
            return None
        if hook.stopped_at is not None:
            await self.write(found, Delivered.FAILED, found.attempts, None, "stopped")
            return None
        return hook, found

    def secret(self, hook: Hook) -> bytes | None:
        return self.texts.open(hook.secret, owner_of(hook.team_id, hook.hook_id))

    async def write(
        self, delivery: HookDelivery, state: Delivered, attempts: int, code: int | None, error: str = ""
    ) -> None:
        update = deliveries.update(delivery.team_id, delivery.hook_id, delivery.delivery_id)
        update = update.set(HookDelivery.state, state).set(HookDelivery.attempts, attempts)
        update = update.set(HookDelivery.code, code).set(HookDelivery.error, error[:_ERROR_MAX] or None)
        await self._if_there(update.set(HookDelivery.tried_at, days.now_jst(self.clock)))

    async def arrived(self, hook: Hook) -> None:
        if hook.failing_since is not None:
            await self._if_there(hooks.update(hook.team_id, hook.hook_id).set(Hook.failing_since, None))

    async def missed(self, hook: Hook, *, gone: bool = False) -> None:
        """Nothing arrived. After days of that the address is stopped, at once if it says that it is gone."""
        now = days.now_jst(self.clock)
        update = hooks.update(hook.team_id, hook.hook_id)
        if gone or (hook.failing_since is not None and hook.failing_since + STOPPED_AFTER <= now):
            stop = update.set(Hook.stopped_at, now).when(Hook.stopped_at.absent())
            if await self._if_there(stop):
                await self._tell_admins(hook, now)
        elif hook.failing_since is None:
            await self._if_there(update.set(Hook.failing_since, now).when(Hook.failing_since.absent()))

    async def _tell_admins(self, hook: Hook, now: datetime) -> None:
        for member in await self.db.all(members_of(hook.team_id).consistent()):
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
            await self.db.transact(notes.put(note), there, still_open(note.team_id))
        except TransactionFailed:
            pass  # they have left just then, or the team is being deleted

    async def _if_there(self, update: Update[Hook] | Update[HookDelivery]) -> bool:
        try:
            await self.db.write(update)
        except ConditionFailed:
            return False  # deleted, or another worker was quicker
        return True


# Sends what a team's webhooks are told: signed, to an address that was looked at, with little read of the answer.
#
# The outbox sees to the rest: what does not arrive is tried again after longer and longer pauses, and an address that
# fails again and again is left alone meanwhile. What never arrives is the team's business, not the operator's: it
# stands in the log of the address and rings no alarm.


TRIED_FOR = timedelta(days=1)
"""However often a receiver asks to come back later."""
ANSWER_SECONDS = 20.0
"""With looking its name up; the outbox would wait a little longer."""


@dataclass
class HookSender:
    """The outbox's transport for webhooks of teams."""

    timeout_seconds = 30.0

    log: HookLog
    sender: Sender
    clock: Clock

    def destination(self, message: Message) -> str:
        """One call at a time to an address; teams that share a host do not share its failures."""
        return str(message.body["hook"])

    async def send(self, message: Message) -> str:
        body = message.body
        due = await self.log.due(body["team"], body["hook"], body["delivery"])
        if due is None:
            return "nobody asks for it any more"
        hook, delivery = due
        code, problem = await self._tried(hook, delivery)
        if problem is None:
            await self.log.write(delivery, Delivered.SENT, message.attempts, code)
            await self.log.arrived(hook)
            return str(code)
        if isinstance(problem, Undeliverable):
            return await self._failed(hook, delivery, message, code, str(problem))
        return await self._later(hook, delivery, message, code, problem)

    async def _tried(self, hook: Hook, delivery: HookDelivery) -> tuple[int | None, Exception | None]:
        """The status of the answer, and what is wrong."""
        secret = self.log.secret(hook)
        if secret is None:
            return None, Undeliverable("the secret was sealed under another SEKKEI_SECRET; add the address anew")
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await self.sender.post(hook.url, delivery.event_id, delivery.body.encode(), [secret])
        except TimeoutError:
            return None, ConnectionError(f"no answer within {ANSWER_SECONDS:g} seconds")
        except (OSError, NoAnswer, Undeliverable) as error:
            return None, error
        return answer.status, self.sender.problem(answer)

    async def _later(
        self, hook: Hook, delivery: HookDelivery, message: Message, code: int | None, problem: Exception
    ) -> str:
        """Raises what makes the outbox try again, unless it was tried often enough."""
        error = "" if code is not None else error_line(problem)
        old = message.created_at + TRIED_FOR <= days.now(self.clock)
        if message.attempts >= ATTEMPTS_MAX or old:
            return await self._failed(hook, delivery, message, code, error)
        await self.log.write(delivery, Delivered.WAITING, message.attempts, code, error)
        await self.log.missed(hook)
        raise problem

    async def _failed(self, hook: Hook, delivery: HookDelivery, message: Message, code: int | None, error: str) -> str:
        await self.log.write(delivery, Delivered.FAILED, message.attempts, code, error)
        await self.log.missed(hook, gone=code == 410)
        return f"given up: {code or error}"
