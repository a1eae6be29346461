"""The attendees' role. Whoever takes part in any event has it; after the last of them it is taken back.

A row for each holder names the events that are the reason. It is written before Discord is told, and goes after Discord
was told, so that a crash between the two is made good by the next round.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sekkei.design import Condition, ConditionFailed, Update
from sekkei_systems.eventbot.design import (
    Event,
    RoleHolder,
    holders_of_role,
    role_holders,
)
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.ports.discord.rest import NOT_HERE, Code, RateLimited, Refused, Rest
from sekkei_systems.eventbot.service.desk import Desk

_PER_ROUND = 10
_TAKING = timedelta(seconds=60)
"""Longer than a call to Discord takes, however it ends."""


@dataclass
class Roles:
    """Brings the holders of one role in line with one event."""

    desk: Desk
    rest: Rest

    async def settle(self, event: Event, wanted: Collection[str]) -> bool:
        """`wanted` are to have the role because of this event. False when that is not done yet: there is more than fits
        into one round, or a call that takes the role back is on its way."""
        if event.attendee_role_id is None:
            return True
        listed = await self.desk.db.all(holders_of_role(event.guild_id, event.attendee_role_id).consistent())
        known = {one.user_id: one for one in listed}
        give = [user for user in sorted(wanted) if not _holds(known.get(user), event)]
        take = [one for one in listed if _is_to_go(one, event, wanted)]
        if give:
            await self._must_be_harmless(event.guild_id, event.attendee_role_id)
        taken = [await self._take(holder, event.event_id) for holder in take[:_PER_ROUND]]
        given = [await self._give(event, user_id) for user_id in give[: _PER_ROUND - len(taken)]]
        return len(give) + len(take) <= _PER_ROUND and all(taken) and all(given)

    async def _must_be_harmless(self, guild_id: str, role_id: str) -> None:
        """A role may have got powers, or have been raised, since somebody chose it; a program does not hand it out."""
        guild = await self.rest.guild(guild_id)
        role = _role(guild, role_id)
        if permissions.bits(role.get("permissions")) & permissions.Permission.ADMINISTRATIVE:
            raise Refused(403, Code.POWERFUL_ROLE, "the role has administrative permissions")
        settings = await self.desk.settings(guild_id)
        chosen_by = settings.attendee_role_by if settings.attendee_role_id == role_id else None
        raised = int(role.get("position", 0)) > settings.attendee_role_position
        if chosen_by is not None and raised and await self._stands_above(guild, role, chosen_by):
            raise Refused(403, Code.RAISED_ROLE, "the role stands above whoever chose it")

    async def _stands_above(self, guild: Mapping[str, Any], role: Mapping[str, Any], user_id: str) -> bool:
        """False for whoever has left: they chose it when they could."""
        try:
            member = await self.rest.member(str(guild["id"]), user_id)
        except Refused as refused:
            if refused.code != Code.UNKNOWN_MEMBER:
                raise
            return False
        return int(role.get("position", 0)) >= permissions.top_position(guild, member)

    async def _explained(self, guild_id: str, role_id: str, refused: Refused) -> Refused:
        """Discord says the same of a missing permission and of a role above the bot's own."""
        guild = await self.rest.guild(guild_id)
        if await self._stands_above(guild, _role(guild, role_id), self.rest.application_id):
            return Refused(403, Code.ROLE_ABOVE_BOT, "the role stands above the bot")
        return refused

    async def _give(self, event: Event, user_id: str) -> bool:
        """False while another event is taking the role back; it is given after that."""
        assert event.attendee_role_id is not None
        key = (event.guild_id, event.attendee_role_id, user_id)
        holder = await self.desk.db.write(role_holders.upsert(*key).add(RoleHolder.events, {event.event_id}))
        if holder.given or holder.taking is not None:
            return holder.given
        try:
            await self.rest.give_role(*_call(holder))
        except Refused as refused:
            if refused.code == Code.MISSING_PERMISSION:
                raise await self._explained(event.guild_id, event.attendee_role_id, refused) from None
            if refused.code != Code.UNKNOWN_MEMBER:  # whoever has left the guild needs no role
                raise
        await self.desk.db.write(role_holders.update(*key).set(RoleHolder.given, True))
        return True

    async def _take(self, holder: RoleHolder, event_id: str) -> bool:
        """False while an earlier call of this event may be on its way: it would undo what comes after it."""
        row = role_holders.update(holder.guild_id, holder.role_id, holder.user_id)
        if event_id in holder.events:
            holder = await self.desk.db.write(row.discard(RoleHolder.events, {event_id}))
        if holder.events and holder.taking != event_id:
            return True
        now = self.desk.now()
        claim = self._claim(row, event_id, now)
        try:
            claimed = await self.desk.db.write(claim)
        except ConditionFailed as failed:
            found = failed.old(claim)
            if found is None or found.taking != event_id:
                return True  # another event wants it, and gives it, or takes it back already
            if found.events and (found.taking_until is None or found.taking_until < now):
                await self._let_go(row, found)
                return True
            if found.events or found.taking_until != now + _TAKING:
                return False
            claimed = found  # our own, whose answer was lost
        await self._take_back(row, claimed)
        try:
            gone = role_holders.delete(holder.guild_id, holder.role_id, holder.user_id)
            await self.desk.db.write(gone.when(RoleHolder.events.absent() & _is_held(claimed)))
        except ConditionFailed:
            await self._let_go(row, claimed)
        return True

    def _claim(self, row: Update[RoleHolder], event_id: str, now: datetime) -> Update[RoleHolder]:
        """One call at a time: another that is still on its way would undo what comes after it. That may be one of the
        same event, whose worker was too slow for its lease, or died."""
        free = RoleHolder.taking.absent() | RoleHolder.taking_until.absent() | (RoleHolder.taking_until < now)
        claim = row.set(RoleHolder.taking, event_id).set(RoleHolder.taking_until, now + _TAKING)
        return claim.remove(RoleHolder.given).when(RoleHolder.events.absent() & free)

    async def _let_go(self, row: Update[RoleHolder], claimed: RoleHolder) -> None:
        with contextlib.suppress(ConditionFailed):
            await self.desk.db.write(row.remove(RoleHolder.taking).when(_is_held(claimed)))

    async def _take_back(self, row: Update[RoleHolder], claimed: RoleHolder) -> None:
        try:
            await self.rest.take_role(*_call(claimed))
        except RateLimited:
            await self._let_go(row, claimed)
            raise
        except Refused as refused:
            if refused.code not in NOT_HERE | {Code.UNKNOWN_ROLE}:  # no member or no role: nothing to take
                await self._let_go(row, claimed)
                raise

    async def forget(self, event: Event) -> None:
        """The event goes, and Discord will not hear of the role: leave it with whoever has it, but not our row."""
        if event.attendee_role_id is None:
            return
        for holder in await self.desk.db.all(holders_of_role(event.guild_id, event.attendee_role_id).consistent()):
            if holder.events <= {event.event_id}:
                await self.desk.db.write(role_holders.delete(holder.guild_id, holder.role_id, holder.user_id))


def _role(guild: Mapping[str, Any], role_id: str) -> Mapping[str, Any]:
    roles: list[dict[str, Any]] = guild.get("roles") or []
    for role in roles:
        if role.get("id") == role_id:
            return role
    raise Refused(404, Code.UNKNOWN_ROLE, "Unknown Role")


def _holds(holder: RoleHolder | None, event: Event) -> bool:
    return holder is not None and holder.given and event.event_id in holder.events


def _is_held(claimed: RoleHolder) -> Condition[RoleHolder]:
    """The claim is still the one that was made."""
    until = claimed.taking_until
    same = RoleHolder.taking_until.absent() if until is None else RoleHolder.taking_until == until
    return (RoleHolder.taking == claimed.taking) & same


def _call(holder: RoleHolder) -> tuple[str, str, str]:
    return holder.guild_id, holder.user_id, holder.role_id


def _is_to_go(holder: RoleHolder, event: Event, wanted: Collection[str]) -> bool:
    """Of this event and no longer wanted; or begun to be taken back by whoever did not come to an end."""
    left = event.event_id in holder.events and holder.user_id not in wanted
    return left or not holder.events or holder.taking == event.event_id
