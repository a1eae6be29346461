"""Saved views: filters that somebody comes back to. They are one's own."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed
from sekkei.runtime.refusals import NotThere
from sekkei_systems.tasks.design import SavedView, saved_views, team_users, views_of
from sekkei_systems.tasks.refusals import NoSuchMember, NoSuchTeam, TooLarge
from sekkei_systems.tasks.rules.drafts import line_of
from sekkei_systems.tasks.rules.filters import NOBODY, BadFilter, read
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.rules.writes import still_open
from sekkei_systems.tasks.service.access import Member

NAME_MAX = 60
VIEWS_MAX = 30
PLACES = ("board", "list")


class NoSuchView(NotThere):
    """Deleted, or somebody else's."""


@dataclass
class Views:
    db: Database
    clock: Clock

    async def all(self, member: Member) -> list[SavedView]:
        return await self.db.all(views_of(member.user_id, member.team_id).consistent())

    async def save(self, member: Member, name: str, place: str, query: str) -> SavedView:
        if place not in PLACES:
            raise BadFilter(field="place", value=place[:20])
        if len(await self.all(member)) >= VIEWS_MAX:
            raise TooLarge(most=VIEWS_MAX)
        kept, assignee = _checked(query, member.user_id)
        made = SavedView(
            user_id=member.user_id,
            team_id=member.team_id,
            view_id=short(self.clock),
            name=line_of(name, NAME_MAX, "name"),
            place=place,
            query=kept,
        )
        theirs = team_users.must_exist(member.team_id, member.user_id)
        # Nobody comes to take the name of somebody who left out of a view that is saved after that.
        shown = (
            [team_users.must_exist(member.team_id, assignee)] if assignee not in (None, NOBODY, made.user_id) else []
        )
        try:
            await self.db.transact(saved_views.create(made), theirs, still_open(member.team_id), *shown)
        except TransactionFailed as failed:
            if any(map(failed.failed, shown)):
                raise NoSuchMember(field="assignee") from failed
            raise NoSuchTeam() from failed
        return made

    async def delete(self, member: Member, view_id: str) -> None:
        try:
            await self.db.write(saved_views.delete(member.user_id, member.team_id, view_id).must_exist())
        except ConditionFailed as failed:
            if not failed.unsure:  # else it is gone, as was asked for
                raise NoSuchView() from failed


def _checked(query: str, me: str) -> tuple[str, str | None]:
    """A filter that there is, without the place in a list and the language; and whose tasks it shows."""
    pairs = [(name, value) for name, value in parse_qsl(query.removeprefix("?")) if name not in ("after", "lang")]
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        given.setdefault(name, []).append(value)
    return urlencode(pairs), read(given, me).assignee
