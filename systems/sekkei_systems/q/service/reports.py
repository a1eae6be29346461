"""What users report: a person or an answer, once each, and only what they can see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, TransactionFailed, replace
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design import picture_of
from sekkei_systems.q.design.models import (
    ProfileImage,
    Report,
    ReportAbout,
    ReportCategory,
    TargetType,
    User,
)
from sekkei_systems.q.design.tables import answers, profile_images, reports_concerning, users
from sekkei_systems.q.refusals import AlreadyReported, NoSuchAnswer, NoSuchUser, Oneself
from sekkei_systems.q.rules import writing
from sekkei_systems.q.rules.profile import TEXTS
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.visibility import Visibility as Sight


@dataclass
class Reports:
    db: Database
    clock: Clock
    sight: Sight

    async def send(
        self, member: Member, kind: TargetType, target: str, category: ReportCategory, description: str = ""
    ) -> Report:
        """Once for each target: what one can see, and whoever blocks one."""
        target, seen = await self._must_see(member, kind, target)
        image = await self.db.get(picture_of(target).consistent()) if kind is TargetType.USER else None
        words = None
        if description.strip():
            words = writing.text_of(description, writing.DESCRIPTION_MAX, "description", lines=True)
        made = Report(
            report_id=self.clock.uuid(),
            reporter_id=member.id,
            target_type=kind,
            target_id=target,
            category=category,
            description=words,
            created_at=days.now(self.clock),
            seen_text=seen,
            seen_picture=image.digest if image else None,
        )
        about = ReportAbout(user_id=concerned(made), report_id=made.report_id, created_at=made.created_at)
        try:
            await self.db.transact(design.send_report(made), reports_concerning.put(about), *_copied(made, image))
        except TransactionFailed as failed:
            raise AlreadyReported() from failed
        return made

    async def _must_see(self, member: Member, kind: TargetType, target: str) -> tuple[str, str | None]:
        """The target in its one form (a day can be written in several, and each would be another target), and as it
        reads now: moderators judge what was reported, whatever its author makes of it afterwards."""
        day, _, author = target.partition("#") if kind is TargetType.ANSWER else ("", "", target)
        if author == member.id:
            raise Oneself()
        if kind is TargetType.USER:
            return target, profile_text(await self._must_be_there(target))
        try:
            asked = date.fromisoformat(day)
        except ValueError:
            raise NoSuchAnswer() from None
        if not (await self.sight.relation(member.id, author)).blocked:
            await self.sight.answer(member, asked, author)
        # Whoever is blocked saw it before, perhaps. Whether it is there they are not told: it is taken in any case.
        answer = await self.db.get(answers(asked, author).consistent())
        return f"{asked}#{author}", None if answer is None else answer.text

    async def _must_be_there(self, user: str) -> User:
        found = await self.db.get(users(user).consistent())
        if found is None:
            raise NoSuchUser()
        return found


def copy_of(report_id: str) -> str:
    """Under which the picture is kept that was reported, whatever its owner makes of it afterwards."""
    return f"report-{report_id}"


def _copied(report: Report, image: ProfileImage | None) -> list[Action[Any, Any]]:
    return [profile_images.put(replace(image, user_id=copy_of(report.report_id)))] if image else []


def concerned(report: Report) -> str:
    """Whom it is about: the account, or the author of the answer; nobody, when they have left."""
    return report.target_id.rpartition("#")[2]


def profile_text(user: User) -> str:
    """What a profile says in words: the name, and the lines about oneself."""
    return "\n".join(text for part in TEXTS.values() if (text := getattr(user, part.field.name)))
