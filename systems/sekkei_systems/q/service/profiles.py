"""Looking at names, bios and pictures: let one stand, or remove it and say why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, TransactionFailed, UniqueKey, Update
from sekkei.runtime import days
from sekkei_systems.q.design import picture_of
from sekkei_systems.q.design.models import AdminAction, DecisionKind, ProfileImage, ProfilePart, User
from sekkei_systems.q.design.tables import profile_images, profile_reviews, unique_keys, users
from sekkei_systems.q.refusals import NoSuchThing, NoSuchUser, WrongState
from sekkei_systems.q.rules.profile import PARTS
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.cases import Cases
from sekkei_systems.q.service.decisions import Decisions, reason_of
from sekkei_systems.q.service.logs import Logs
from sekkei_systems.q.service.people import taken_down
from sekkei_systems.q.service.reports import copy_of


@dataclass
class Profiles:
    db: Database
    clock: Clock
    logs: Logs
    decisions: Decisions
    cases: Cases

    async def keep(self, by: Admin, user_id: str, part: ProfilePart) -> None:
        """It is seen by others from now on."""
        await self.decisions.leave_to_another(by, user_id)
        details = {"part": part.value, "removed": False}
        entry = self.logs.entry(by, AdminAction.REVIEW_PROFILE, "user", user_id, details)
        looked_at = profile_reviews.delete(user_id, part).must_exist()
        try:
            await self.db.transact(looked_at, _unflagged(users.update(user_id), part), entry)
        except TransactionFailed as failed:
            raise WrongState() from failed

    async def remove(self, by: Admin, user_id: str, part: ProfilePart, reason: str = "") -> None:
        """Gone, and its owner is told why; reports about the account are closed with it."""
        await self.decisions.leave_to_another(by, user_id)
        user = await self.db.get(users(user_id).consistent())
        if user is None:
            raise NoSuchUser()
        why = reason_of(reason)
        made = self.decisions.new(by, user_id, DecisionKind(part.value), why)
        details = {"part": part.value, "removed": True, **({"reason": why} if why else {})}
        entry = self.logs.entry(by, AdminAction.REVIEW_PROFILE, "user", user_id, details)
        gone = await self._removing(user, part)
        try:
            await self.db.transact(*gone, profile_reviews.delete(user_id, part), entry, *self.decisions.actions(made))
        except TransactionFailed as failed:
            raise WrongState() from failed
        await self.cases.close(by, user_id)

    async def _removing(self, user: User, part: ProfilePart) -> list[Action[Any, Any]]:
        field = PARTS[part].field
        update = users.update(user.user_id).set(field, None).set(User.updated_at, days.now(self.clock))
        update = _unflagged(update.when(field.exists()), part)
        if part is not ProfilePart.PICTURE:
            return [update]
        digest = (user.profile_image_url or "").rpartition("/")[2]
        never = unique_keys.put(UniqueKey(value=taken_down(digest), owner={"part": part.value}))
        return [update, profile_images.delete(user.user_id), *([never] if digest else [])]

    async def picture(self, by: Admin, user_id: str) -> ProfileImage:
        """As moderators see it, whatever state its owner is in."""
        return await self._found(user_id)

    async def reported_picture(self, by: Admin, report_id: str) -> ProfileImage:
        """As it was when somebody reported its owner."""
        return await self._found(copy_of(report_id))

    async def _found(self, key: str) -> ProfileImage:
        found = await self.db.get(picture_of(key).consistent())
        if found is None:
            raise NoSuchThing()
        return found


def _unflagged(update: Update[User], part: ProfilePart) -> Update[User]:
    return update.set(PARTS[part].flag, False)
