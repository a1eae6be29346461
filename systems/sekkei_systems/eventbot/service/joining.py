"""Taking part: join, leave, wait for a place, move up, and the answers in between."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from sekkei.design import Action, Condition, ConditionFailed, Put, Transaction, TransactionFailed
from sekkei.runtime.design import Message
from sekkei_systems import days
from sekkei_systems.eventbot import design
from sekkei_systems.eventbot.design import Answer, Event, Member, Reply, counted, events, members, replies
from sekkei_systems.eventbot.refusals import (
    AlreadyIn,
    AlreadyWaiting,
    Busy,
    Cancelled,
    ChooseOption,
    Closed,
    Full,
    NoSuchOption,
    NotIn,
    NotInvited,
    OptionFull,
    Repeated,
    Started,
)
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.markdown import escaped, mention
from sekkei_systems.eventbot.rules.views import has_started, is_full, is_joinable
from sekkei_systems.eventbot.service.access import Access, Actor
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.members import Queue
from sekkei_systems.eventbot.texts import Wording

# Those who ask for the same thing at the same moment are served together.


CrowdKey = TypeVar("CrowdKey", bound=Hashable)
Waiting = TypeVar("Waiting")
Outcome = TypeVar("Outcome")


class Crowds(Generic[CrowdKey, Waiting, Outcome]):
    """Whoever comes while others are served waits, and is served next with all who came meanwhile, in that order.

    Nobody waits for company: who comes alone is served alone, at once."""

    def __init__(
        self, serve: Callable[[CrowdKey, Sequence[Waiting]], Awaitable[Sequence[Outcome | BaseException]]], most: int
    ) -> None:
        self._serve, self._most = serve, most
        self._lines: dict[CrowdKey, list[tuple[Waiting, asyncio.Future[Outcome]]]] = {}
        self._serving: set[asyncio.Task[None]] = set()

    async def served(self, key: CrowdKey, asker: Waiting) -> Outcome:
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        line = self._lines.get(key)
        if line is not None:
            line.append((asker, future))
            return await future
        self._lines[key] = [(asker, future)]
        serving = asyncio.create_task(self._work_off(key))
        self._serving.add(serving)
        serving.add_done_callback(self._serving.discard)
        return await future

    async def _work_off(self, key: CrowdKey) -> None:
        line = self._lines[key]
        try:
            while line:
                group = line[: self._most]
                results = await self._results(key, [asker for asker, _ in group])
                del line[: len(group)]
                for (_, future), result in zip(group, results, strict=True):
                    _deliver(future, result)
        finally:
            del self._lines[key]
            for _, future in line:
                future.cancel()

    async def _results(self, key: CrowdKey, askers: Sequence[Waiting]) -> Sequence[Outcome | BaseException]:
        try:
            return await self._serve(key, askers)
        except Exception as error:
            return [error] * len(askers)


def _deliver(future: asyncio.Future[Outcome], result: Outcome | BaseException) -> None:
    if future.done():  # whoever asked has gone
        return
    if isinstance(result, BaseException):
        future.set_exception(result)
    else:
        future.set_result(result)


_TRIES_MAX = 5
_TOGETHER_MAX = 32
"""People in one transaction: three items each, and the event's and its schedule's; DynamoDB takes a hundred."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The event as it was just before, and whether there was only a place in the queue."""

    before: Event
    waiting: bool = False


class _Wanted(NamedTuple):
    """What a crowd asks for: a place at an event, or one of its ways to take part."""

    guild_id: str
    event_id: str
    option_id: str | None = None


class _Asker(NamedTuple):
    actor: Actor
    late: bool = False


class _EventMoved(Exception):
    """Somebody else came, left or queued since the event was read: look again."""


@dataclass
class Joining:
    """Every change of who takes part, with the counters in the same transaction."""

    desk: Desk
    access: Access
    queue: Queue

    def __post_init__(self) -> None:
        self._crowds: Crowds[_Wanted, _Asker, Joined] = Crowds(self._serve, _TOGETHER_MAX)

    async def join(self, actor: Actor, event_id: str) -> Joined:
        """Take part, or queue where all places are taken. Raises ChooseOption where there are several ways."""
        return await self._crowds.served(_Wanted(actor.guild_id, event_id), _Asker(actor))

    async def choose(self, actor: Actor, event_id: str, option_id: str, *, late: bool = False) -> Joined:
        """Take part in one way, change to another, or queue for it."""
        return await self._crowds.served(_Wanted(actor.guild_id, event_id, option_id), _Asker(actor, late))

    async def _serve(self, wanted: _Wanted, askers: Sequence[_Asker]) -> list[Joined | BaseException]:
        """What became of each. One transaction for all; where that fails, each alone learns what is the matter."""
        done: list[Joined | BaseException] = []
        while len(askers) - len(done) > 1 and (group := await self._serve_together(wanted, askers[len(done) :])):
            done += group
        alone = (self._serve_one(wanted, one) for one in askers[len(done) :])
        return [*done, *await asyncio.gather(*alone, return_exceptions=True)]

    async def _serve_one(self, wanted: _Wanted, asker: _Asker) -> Joined:
        if wanted.option_id is None:
            return await self._join(asker.actor, wanted.event_id)
        return await self._choose(asker.actor, wanted.event_id, wanted.option_id, asker.late)

    async def _serve_together(self, wanted: _Wanted, askers: Sequence[_Asker]) -> list[Joined]:
        """The first of them, as many as there is room for; none where each has to be asked or told something."""
        for _ in range(_TRIES_MAX):
            event = await self.desk.db.get(design.event(wanted.guild_id, wanted.event_id))
            if event is None or not self._is_simple(event, wanted.option_id, askers):
                break
            queue = event.waiting_list and _is_taken(event, wanted.option_id)
            group = askers if queue else askers[: _places_left(event, wanted.option_id)]
            if len(group) < 2:
                break
            try:
                return await self._serve_group(event, wanted.option_id, group, queue)
            except _EventMoved:
                continue
        return []

    async def _serve_group(
        self, event: Event, option_id: str | None, group: Sequence[_Asker], queue: bool
    ) -> list[Joined]:
        """All or none; raises EventMoved when the event is not as it was read."""
        desk, key = self.desk, (event.guild_id, event.event_id)
        transaction = (self._queueing if queue else self._seating)(event, option_id, group)
        actors = [one.actor for one in group]
        try:
            await desk.transact(transaction, desk.settle_event(*key), others=actors)
        except TransactionFailed as failed:
            if failed.failed(transaction.actions[0]):
                raise _EventMoved() from None
            return []
        except (Repeated, Busy):
            return []
        desk.changed(event.guild_id)
        moved = await self.queue.move_up(*key) if queue and option_id is not None else []
        return [Joined(event, waiting=queue and one.user_id not in moved) for one in actors]

    def _is_simple(self, event: Event, option_id: str | None, askers: Sequence[_Asker]) -> bool:
        """Does nobody have to be looked at alone?"""
        known = option_id in event.options if option_id is not None else not event.options
        once = len({one.actor.user_id for one in askers}) == len(askers)
        return known and once and event.member_role_id is None and is_joinable(event, self.desk.now())

    def _queueing(self, event: Event, option_id: str | None, askers: Sequence[_Asker]) -> Transaction:
        asked = [self._reply(one.actor, event.event_id, Answer.WAITING, option_id) for one in askers]
        return design.wait_together(asked) if option_id is None else design.wait_for_option_together(asked, option_id)

    def _seating(self, event: Event, option_id: str | None, askers: Sequence[_Asker]) -> Transaction:
        people = [self._member(one.actor, event.event_id, option_id, one.late) for one in askers]
        if option_id is None:
            return design.join_together(people, event.capacity)
        others, places = _others(event, option_id), event.options[option_id].capacity
        return design.join_option_together(people, option_id, others, places, event.capacity)

    async def _join(self, actor: Actor, event_id: str) -> Joined:
        desk = self.desk
        for _ in range(_TRIES_MAX):
            event = await desk.event(actor.guild_id, event_id)
            await self._must_be_invited(actor, event)
            if event.options:
                self._must_be_joinable(event)
                raise ChooseOption()
            if event.waiting_list and _is_taken(event) and await self._wait(actor, event_id):
                return Joined(event, waiting=True)  # asked first, because a crowd at a full event would only fail below
            transaction = design.join(self._member(actor, event_id))
            update, create, _forget = transaction.actions
            try:
                await desk.transact(transaction, desk.settle_event(actor.guild_id, event_id), by=actor)
            except TransactionFailed as failed:
                if failed.failed(create):
                    await self._refresh_name(actor, event_id)
                    raise AlreadyIn() from None
                if not failed.failed(update):
                    raise
            else:
                desk.changed(actor.guild_id)
                return Joined(event)
            # The event says no: find out why, and look again where a queue is possible.
            event = await desk.event(actor.guild_id, event_id)
            self._must_be_joinable(event)
            if not event.waiting_list and _is_taken(event):
                raise Full(capacity=event.capacity)
        raise Busy(1)

    async def _must_be_invited(self, actor: Actor, event: Event) -> None:
        """Where joining is for one role, its holders and organisers come in."""
        if event.member_role_id is None or event.member_role_id in actor.roles:
            return
        if not await self.access.may_organise(actor, event):
            raise NotInvited()

    def _must_be_joinable(self, event: Event) -> None:
        now = self.desk.now()
        if event.cancelled_at is not None:
            raise Cancelled()
        if has_started(event, now):
            raise Started()
        if not is_joinable(event, now):
            raise Closed()

    async def _wait(self, actor: Actor, event_id: str) -> bool:
        """Queue; False when a place has become free meanwhile."""
        desk = self.desk
        reply = self._reply(actor, event_id, Answer.WAITING)
        transaction = design.wait(reply)
        _update, put, absent = transaction.actions
        try:
            await desk.transact(transaction, desk.settle_event(actor.guild_id, event_id), by=actor)
        except TransactionFailed as failed:
            if failed.failed(absent):
                raise AlreadyIn() from None
            if failed.failed(put):
                raise AlreadyWaiting(position=await self._position(actor, event_id)) from None
            return False
        desk.changed(actor.guild_id)
        return True

    async def _position(self, actor: Actor, event_id: str) -> int:
        return await self.queue.position(actor.guild_id, event_id, actor.user_id)

    def _member(self, actor: Actor, event_id: str, option_id: str | None = None, late: bool = False) -> Member:
        return Member(
            guild_id=actor.guild_id,
            event_id=event_id,
            user_id=actor.user_id,
            username=actor.name,
            joined_at=self.desk.now(),
            joined_ms=self.desk.milliseconds(),
            option_id=option_id,
            late=late,
        )

    def _reply(self, actor: Actor, event_id: str, answer: Answer, option_id: str | None = None) -> Reply:
        return Reply(
            guild_id=actor.guild_id,
            event_id=event_id,
            user_id=actor.user_id,
            username=actor.name,
            answer=answer,
            asked_at=days.now_jst(self.desk.clock),
            option_id=option_id,
        )

    async def _refresh_name(self, actor: Actor, event_id: str) -> None:
        """A name is a snapshot; it is renewed whenever its owner comes by."""
        update = members.update(actor.guild_id, event_id, actor.user_id).set(Member.username, actor.name)
        try:
            await self.desk.db.write(update.when(Member.username != actor.name))
        except ConditionFailed:
            pass  # it is the same name, or they have just left

    async def joined(self, actor: Actor, listed: Sequence[Event]) -> set[str]:
        """Which of some events somebody takes part in."""
        refs = [members(actor.guild_id, one.event_id, actor.user_id) for one in listed]
        return {one.event_id for one in await self.desk.db.get_many(refs) if one is not None}

    # In one of several ways, alone

    async def _choose(self, actor: Actor, event_id: str, option_id: str, late: bool) -> Joined:
        desk = self.desk
        for _ in range(_TRIES_MAX):
            event = await desk.event(actor.guild_id, event_id)
            await self._must_be_invited(actor, event)
            if option_id not in event.options:
                raise NoSuchOption()
            self._must_be_joinable(event)
            member, reply = await self._standing(actor, event_id)
            try:
                if member is not None:
                    await self._change(actor, event, member, option_id)
                    return Joined(event)
                return Joined(event, waiting=await self._take(actor, event, option_id, reply, late))
            except TransactionFailed:
                continue  # somebody was quicker: look again
        raise Busy(1)

    async def _standing(self, actor: Actor, event_id: str) -> tuple[Member | None, Reply | None]:
        key = (actor.guild_id, event_id, actor.user_id)
        return await self.desk.db.snapshot(members(*key), replies(*key))

    async def _change(self, actor: Actor, event: Event, member: Member, option_id: str) -> None:
        """From one option to another; nobody gives up a place for one in a queue by a press."""
        if member.option_id == option_id:
            await self._refresh_name(actor, event.event_id)
            raise AlreadyIn()
        option = event.options[option_id]
        if is_full(option) or option.waiting_count:
            raise OptionFull(name=option.name)
        key = (actor.guild_id, event.event_id, actor.user_id)
        changing = design.change_option(*key, member.option_id, option_id, self.desk.now())
        await self._commit(actor, event, changing)
        await self.queue.move_up(actor.guild_id, event.event_id)

    async def _take(self, actor: Actor, event: Event, option_id: str, reply: Reply | None, late: bool) -> bool:
        """A place, or True for one in the queue."""
        waiting = reply if reply is not None and reply.answer is Answer.WAITING else None
        if waiting is not None and waiting.option_id == option_id:
            raise AlreadyWaiting(position=await self._position(actor, event.event_id))
        option = event.options[option_id]
        if waiting is None and not _is_taken(event, option_id):
            member = self._member(actor, event.event_id, option_id, late)
            await self._commit(actor, event, design.join_option(member, option_id, _others(event, option_id)))
            return False
        if not event.waiting_list:
            raise OptionFull(name=option.name) if is_full(option) else Full(capacity=event.capacity)
        asked = self._reply(actor, event.event_id, Answer.WAITING, option_id)
        queueing = design.wait_for_option(asked, option_id)
        if waiting is not None:
            queueing = design.requeued(asked, waiting.option_id, option_id)
        await self._commit(actor, event, queueing)
        return actor.user_id not in await self.queue.move_up(actor.guild_id, event.event_id)

    async def _commit(self, actor: Actor, event: Event, transaction: Transaction) -> None:
        settle = self.desk.settle_event(actor.guild_id, event.event_id)
        await self.desk.transact(transaction, settle, by=actor)
        self.desk.changed(actor.guild_id)

    async def come_late(self, actor: Actor, event_id: str) -> bool:
        """Say that one comes late, or take that back; whether one does now. Raises NotIn."""
        event = await self.desk.event(actor.guild_id, event_id)
        self._must_be_joinable(event)
        for _ in range(_TRIES_MAX):
            member, _ = await self._standing(actor, event_id)
            if member is None:
                raise NotIn()
            update = members.update(actor.guild_id, event_id, actor.user_id).set(Member.late, not member.late)
            as_read = (Member.late == True) if member.late else (Member.late.absent() | (Member.late == False))  # noqa: E712
            try:
                await self._commit(actor, event, Transaction(update.when(as_read)))
            except TransactionFailed:
                continue
            return not member.late
        raise Busy(1)

    # And out of it

    async def leave(self, actor: Actor, event_id: str) -> Event:
        """Give up the place (or the place in the queue, or another answer); possible until the event starts."""
        return await self._say_instead(actor, event_id, None)

    async def answer(self, actor: Actor, event_id: str, answer: Answer) -> Event:
        """Say maybe or no; whoever takes part or waits stops doing so in the same transaction."""
        return await self._say_instead(actor, event_id, answer)

    async def _say_instead(self, actor: Actor, event_id: str, answer: Answer | None) -> Event:
        desk, guild_id = self.desk, actor.guild_id
        for _ in range(_TRIES_MAX):
            event = await desk.event(guild_id, event_id)
            if answer is not None:
                self._must_be_joinable(event)
            member, reply = await desk.db.snapshot(
                members(guild_id, event_id, actor.user_id), replies(guild_id, event_id, actor.user_id)
            )
            if answer is None and member is None and reply is None:
                raise NotIn()
            if member is not None and has_started(event, desk.now()):
                raise Started()
            # What is said to an event that is closed meanwhile, to be removed perhaps, nobody would take away.
            still = () if answer is None else (design.joinable(desk.now()),)
            actions = [*self._leaving(event, actor, member, reply, still), *self._replying(event, actor, reply, answer)]
            if member is not None and not is_joinable(event, desk.now()) and event.cancelled_at is None:
                actions.append(self._tell_organiser(actor, event, await desk.words(guild_id)))
            try:
                await desk.transact(*actions, desk.settle_event(guild_id, event_id), by=actor)
            except TransactionFailed:
                continue  # they pressed twice, moved up, or the event was closed: look again
            if member is not None:
                await self.queue.move_up(guild_id, event_id)
            desk.changed(guild_id)
            return await desk.event(guild_id, event_id)
        raise Busy(1)

    def _leaving(
        self,
        event: Event,
        actor: Actor,
        member: Member | None,
        reply: Reply | None,
        still: tuple[Condition[Event], ...],
    ) -> list[Action[Any, Any]]:
        """Out of the members, or out of the queue; as long as the event is `still` what it must be."""
        key, now = (event.guild_id, event.event_id), self.desk.now()
        if member is not None:
            who, option = actor.user_id, member.option_id
            left = design.leave(*key, who, now) if option is None else design.leave_option(*key, who, option, now)
            given_back: Any
            given_back, *others = left.actions
            return [given_back.when(*still), *others]
        stays_out = members.must_not_exist(*key, actor.user_id)
        if reply is None or reply.answer is not Answer.WAITING:
            return [stays_out, *([events.must_exist(*key).when(*still)] if still else [])]
        if reply.option_id is not None:
            return [stays_out, counted(*key, (True, reply.option_id), None).when(*still)]
        return [stays_out, design.shorten_queue(*key).when(*still)]

    def _replying(
        self, event: Event, actor: Actor, before: Reply | None, answer: Answer | None
    ) -> list[Action[Any, Any]]:
        """What was said before goes, or something else is said in its place."""
        as_read = Reply.answer.absent() if before is None else Reply.answer == before.answer
        if before is not None and before.option_id is not None:
            as_read &= Reply.option_id == before.option_id
        if answer is not None:
            return [replies.put(self._reply(actor, event.event_id, answer)).when(as_read)]
        return [] if before is None else [replies.delete(event.guild_id, event.event_id, actor.user_id).when(as_read)]

    def _tell_organiser(self, actor: Actor, event: Event, words: Wording) -> Put[Message]:
        """Whoever leaves after the closing leaves a gap that the organiser counted on."""
        channel = event.notice_channel_id or event.recruit_channel_id or ""
        text = words(
            "bot.left-late", mention=mention(event.created_by), name=escaped(actor.name), title=escaped(event.title)
        )
        body = {"content": text[:2000], "allowed_mentions": {"users": [event.created_by]}}
        reason = f"left/{uuid_of(event.event_id)}/{actor.user_id}/{self.desk.clock.uuid()}"
        return self.desk.outbox.message("discord", channel, body, id=reason)


def _is_taken(event: Event, option_id: str | None = None) -> bool:
    """No place is free, of all or of one option, or somebody waits who could have it."""
    if option_id is not None and (is_full(event.options[option_id]) or event.options[option_id].waiting_count):
        return True
    if event.capacity is None:
        return False
    elsewhere = [event.options[id] for id in _others(event, option_id)] if option_id is not None else []
    barred = sum(one.waiting_count for one in elsewhere if is_full(one))
    return event.member_count >= event.capacity or event.waiting_count > barred


def _others(event: Event, option_id: str) -> list[str]:
    """Options that share places with one: all, where places are counted over all."""
    return [id for id in event.options if id != option_id and event.capacity is not None]


def _places_left(event: Event, option_id: str | None) -> int:
    counted_in = [event, *([event.options[option_id]] if option_id is not None else ())]
    left = [one.capacity - one.member_count for one in counted_in if one.capacity is not None]
    return max(0, min(left, default=_TOGETHER_MAX))
