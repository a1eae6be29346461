"""What waits for a moderator: reports, profiles to look at, and the queue of both; and how reports end.

The person who sent a report hears what came of it.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, TransactionFailed, UniqueKey, Update, replace
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design import picture_of
from sekkei_systems.q.design.models import (
    WITHDRAWN,
    AdminAction,
    Answer,
    Decision,
    DecisionKind,
    NoticeKind,
    ProfileImage,
    ProfilePart,
    Report,
    ReportAbout,
    ReportCategory,
    ReportStatus,
    TargetType,
    User,
)
from sekkei_systems.q.design.tables import (
    answers,
    profile_images,
    profile_reviews,
    reports,
    reports_concerning,
    unique_keys,
    users,
)
from sekkei_systems.q.refusals import AlreadyReported, NoSuchAnswer, NoSuchThing, NoSuchUser, Oneself, WrongState
from sekkei_systems.q.rules import writing
from sekkei_systems.q.rules.writing import PARTS, TEXTS
from sekkei_systems.q.service.access import Admin, Member
from sekkei_systems.q.service.decisions import Decisions, reason_of
from sekkei_systems.q.service.logs import Logs
from sekkei_systems.q.service.notices import entry as notice
from sekkei_systems.q.service.people import taken_down
from sekkei_systems.q.service.sight import Sight

# What users report: a person or an answer, once each, and only what they can see.


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


@dataclass
class Cases:
    db: Database
    clock: Clock
    logs: Logs
    decisions: Decisions

    async def settle(self, by: Admin, report_id: str, status: ReportStatus) -> None:
        if status is ReportStatus.PENDING:
            raise WrongState()
        update = (
            reports.update(report_id)
            .set(Report.status, status)
            .set(Report.resolved_at, days.now(self.clock))
            .set(Report.resolved_by, by.id)
            .when(Report.status == ReportStatus.PENDING)
        )
        entry = self.logs.entry(by, AdminAction.UPDATE_REPORT, "report", report_id, {"to": status.value})
        found = await self.db.get(reports(report_id).consistent())
        if found is None:
            raise NoSuchThing()
        await self.decisions.leave_to_another(by, concerned(found))
        also = [*self._word_to_reporter(found, status), *_copies_gone(found, status)]
        try:
            await self.db.transact(update, entry, *also)
        except TransactionFailed as failed:
            raise (WrongState() if failed.old(update) else NoSuchThing()) from failed

    def _word_to_reporter(self, report: Report, status: ReportStatus) -> list[Action[Any, Any]]:
        """What came of it; not what was done to whom."""
        if report.reporter_id.startswith(WITHDRAWN):
            return []
        reason, now = f"report#{report.report_id}", days.now(self.clock)
        return [notice(report.reporter_id, NoticeKind.OUTCOME, f"notice.outcome.{status.value}", reason, now)]

    async def close(self, by: Admin, target: str) -> None:
        """About one account or one answer: what they asked for is done."""
        await self._close(by, list(await self.db.all(design.reports_about(target))))

    async def close_concerning(self, by: Admin, user_id: str) -> None:
        """All that is about a person, their account or answers."""
        about = await self.db.all(design.reports_on(user_id).consistent())
        found = await self.db.get_many([reports(one.report_id).consistent() for one in about])
        await self._close(by, [one for one in found if one is not None])

    async def _close(self, by: Admin, found: list[Report]) -> None:
        """One that somebody settles meanwhile stays as that moderator left it."""
        for one in found:
            if one.status is ReportStatus.PENDING:
                with suppress(WrongState, NoSuchThing):
                    await self.settle(by, one.report_id, ReportStatus.RESOLVED)


def _copies_gone(report: Report, status: ReportStatus) -> list[Action[Any, Any]]:
    """Of a picture that nothing was wrong with no copy is kept."""
    is_needless = report.seen_picture is not None and status is ReportStatus.DISMISSED
    return [profile_images.delete(copy_of(report.report_id))] if is_needless else []


# All that waits for a moderator, of every kind, the oldest first: one place to begin.


PAGE = 50


@dataclass(frozen=True, slots=True)
class Waiting:
    """One thing to decide, about one person."""

    kind: str
    """reports, answer, name, bio, picture, appeal or approval"""
    since: datetime
    user_id: str
    user: User | None = None
    text: str = ""
    count: int = 1
    day: str = ""
    decision: Decision | None = None


@dataclass
class Queue:
    db: Database
    decisions: Decisions

    async def show(self, by: Admin) -> list[Waiting]:
        """The oldest fifty of each kind. Reports about one person, their account or answers, are one matter."""
        told, flagged, profiles, appeals, approvals = await asyncio.gather(
            self.db.page(design.reports_with_status(ReportStatus.PENDING), size=PAGE),
            self.db.page(design.flagged_answers(), size=PAGE),
            self.db.page(design.profiles_to_review(), size=PAGE),
            self.decisions.waiting(by, "appeal"),
            self.decisions.waiting(by, "approval"),
        )
        found = [
            *_by_person(list(told)),
            *map(_answer, flagged),
            *(Waiting(one.part.value, one.since, one.user_id) for one in profiles),
            *(_decision("appeal", one) for one in appeals),
            *(_decision("approval", one) for one in approvals),
        ]
        return sorted(await self._with_people(found), key=lambda one: one.since)

    async def _with_people(self, found: list[Waiting]) -> list[Waiting]:
        ids = list(dict.fromkeys(one.user_id for one in found))
        people = {one.user_id: one for one in await self.db.get_many([users(id) for id in ids]) if one is not None}
        return [_shown(one, people.get(one.user_id)) for one in found]


def _by_person(found: list[Report]) -> list[Waiting]:
    by_person: dict[str, list[Report]] = {}
    for one in found:
        by_person.setdefault(concerned(one), []).append(one)
    return [
        Waiting("reports", some[0].created_at, who, text=some[0].seen_text or "", count=len(some))
        for who, some in by_person.items()
    ]


def _answer(one: Answer) -> Waiting:
    return Waiting("answer", one.created_at, one.user_id, text=one.text, day=one.day.isoformat())


def _decision(kind: str, one: Decision) -> Waiting:
    text = (one.appeal_text if kind == "appeal" else one.reason) or ""
    return Waiting(kind, one.since, one.user_id, text=text, decision=one)


def _shown(one: Waiting, user: User | None) -> Waiting:
    text = one.text
    texts = {part.value: found.field.name for part, found in TEXTS.items()}
    if user is not None and one.kind in texts:
        text = getattr(user, texts[one.kind]) or ""
    return Waiting(one.kind, one.since, one.user_id, user, text, one.count, one.day, one.decision)


# Looking at names, bios and pictures: let one stand, or remove it and say why.


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
