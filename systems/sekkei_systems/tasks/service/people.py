"""People: the row that this system keeps for everybody who signs in."""

from __future__ import annotations

from dataclasses import dataclass, field

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.runtime.jobs import Jobs
from sekkei_systems import days
from sekkei_systems.tasks.design import Task, Totals, User, UserTeam, emails, teams_of, totals_of, users, work_of_user
from sekkei_systems.tasks.refusals import EmailTaken

_KNOWN_MAX = 10_000
KNOWN_SECONDS = 60.0
"""Another process may have seen them under another name meanwhile."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever is signed in, as the way in knows them."""

    id: str
    email: str | None
    name: str
    verified: bool = True
    """The address was shown to be theirs; invitations go by it."""


@dataclass
class People:
    """Sign-up, renaming, and what belongs to one person over all teams."""

    db: Database
    clock: Clock
    jobs: Jobs
    _known: dict[str, tuple[Visitor, float]] = field(init=False, default_factory=dict)

    async def arrive(self, visitor: Visitor) -> User:
        """Makes the person's row the first time, with the address that only one person can have."""
        found = await self.db.get(users(visitor.id).consistent())
        if found is None:
            return await self._sign_up(visitor)
        if found.name != visitor.name:
            return await self.rename(visitor.id, visitor.name)
        return found

    async def seen(self, visitor: Visitor) -> None:
        """The same for every request: asks the store at most once a minute for one person and name."""
        known, until = self._known.get(visitor.id, (None, 0.0))
        now = self.clock.now()
        if known == visitor and now < until:
            return
        await self.arrive(visitor)
        if len(self._known) >= _KNOWN_MAX:
            self._known.clear()
        self._known[visitor.id] = visitor, now + KNOWN_SECONDS

    async def _sign_up(self, visitor: Visitor) -> User:
        made = User(user_id=visitor.id, email=visitor.email, name=visitor.name, created_on=days.today(self.clock))
        try:
            return await self.db.write(users.create(made))
        except ConditionFailed as failed:
            if failed.taken is not None:
                raise EmailTaken(field="email") from failed
            return await self.db.need(users(visitor.id).consistent())

    async def rename(self, user_id: str, name: str) -> User:
        """The person's own row now, the copies in their teams by a job that can be cut off anywhere."""
        job = self.jobs.start_action("rename-user", {"user_id": user_id}, id=f"rename-user/{self.clock.uuid()}")
        await self.db.transact(users.update(user_id).set(User.name, name), job)
        return await self.db.need(users(user_id).consistent())

    async def get(self, user_id: str) -> User:
        return await self.db.need(users(user_id).consistent())

    async def by_email(self, email: str) -> User | None:
        return await self.db.holder(emails, User.email == email)

    async def teams(self, who: str) -> list[UserTeam]:
        """Their teams, by name."""
        return sorted(await self.db.all(teams_of(who).consistent()), key=lambda team: team.team_name)

    async def work(self, who: str, teams: list[UserTeam] | None = None, most: int = 200) -> list[Task]:
        """What they still have to do, in all teams that they are in; without descriptions."""
        mine = {team.team_id for team in (await self.teams(who) if teams is None else teams)}
        page = await self.db.page(work_of_user(who), size=most)
        return [task for task in page if task.team_id in mine]

    async def totals(self, memberships: list[UserTeam]) -> dict[str, Totals]:
        """How many tasks each of somebody's teams has."""
        found = await self.db.get_many([totals_of(team.team_id) for team in memberships])
        return {one.team_id: one for one in found if one is not None}
