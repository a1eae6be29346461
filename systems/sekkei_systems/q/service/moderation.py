"""What administrators do about people and posts. Every action and its line in the log are one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, First, Page, TransactionFailed
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import (
    AdminAction,
    Answer,
    Decision,
    DecisionKind,
    NGWord,
    ProfileReview,
    Report,
    ReportStatus,
    TargetType,
    User,
)
from sekkei_systems.q.design.tables import (
    admin_logs,
    answers,
    daily_questions,
    ng_words,
    reports,
    unique_app_id,
    unique_email,
    unique_username,
    users,
)
from sekkei_systems.q.refusals import BadText, NoSuchThing, NoSuchUser, ReasonNeeded, Taken, WrongState
from sekkei_systems.q.rules import writing
from sekkei_systems.q.rules.ng_words import WORD_MAX, normalised
from sekkei_systems.q.service.access import Admin, ProvenAdmin
from sekkei_systems.q.service.answers import APPEALED_WITHIN, ERASED, Erasing, restored
from sekkei_systems.q.service.cases import Cases, concerned, profile_text
from sekkei_systems.q.service.decisions import Decisions, reason_of
from sekkei_systems.q.service.logs import Logs
from sekkei_systems.q.service.questions import Count, count_of
from sekkei_systems.q.service.sanctions import Sanctions, takes_two
from sekkei_systems.q.service.words import ForbiddenWords

PAGE = 50
_LOOK_FOR = timedelta(minutes=30)
_LATELY = 20
"""How many answers of somebody moderators are shown."""


@dataclass(frozen=True, slots=True)
class Post:
    """An answer as moderators see it."""

    answer: Answer
    author: User | None
    question_text: str


@dataclass(frozen=True, slots=True)
class Case:
    """A report and what it is about."""

    report: Report
    reporter: User | None
    """Not told to the administrator whom it is about."""
    user: User | None
    answer: Answer | None
    is_own: bool
    """About the administrator who looks at it."""

    @property
    def now(self) -> str | None:
        """How the reported words read now; the report keeps how they read then."""
        if self.report.target_type is TargetType.ANSWER:
            return self.answer.text if self.answer else None
        return profile_text(self.user) if self.user else None


@dataclass(frozen=True, slots=True)
class Dossier:
    """Somebody as moderators look at them before they decide."""

    user: User
    looked: bool
    """Whether a reason was given for reading what they answered."""
    posts: list[Post]
    reports: list[Report]
    """About the account and about answers together, newest first."""
    decisions: First[Decision]
    waiting: list[ProfileReview]
    takes_two: bool
    """Whether two administrators are needed to ban them."""


@dataclass
class Moderation:
    db: Database
    clock: Clock
    logs: Logs
    forbidden: ForbiddenWords
    decisions: Decisions
    sanctions: Sanctions
    erasing: Erasing
    cases: Cases

    async def waiting(self, by: Admin) -> dict[str, Count]:
        """How much there is to look at: all that waits, and of it posts with a forbidden word and open reports."""
        flagged, told, profiles, appeals, approvals = await asyncio.gather(
            self.db.page(design.flagged_answers(), size=PAGE),
            self.db.page(design.reports_with_status(ReportStatus.PENDING), size=PAGE),
            self.db.page(design.profiles_to_review(), size=PAGE),
            self.decisions.waiting(by, "appeal"),
            self.decisions.waiting(by, "approval"),
        )
        more = [count_of(one) for one in (flagged, told, profiles, appeals, approvals)]
        queue = sum(count for count, _ in more), any(goes_on for _, goes_on in more)
        return {"queue": queue, "flagged": more[0], "reports": more[1]}

    # Reports

    async def reports(self, by: Admin, status: ReportStatus, after: str | None = None) -> Page[Case]:
        page = await self.db.page(design.reports_with_status(status), size=PAGE, after=after)
        return Page(await asyncio.gather(*(self._case(by, one) for one in page)), page.cursor)

    async def _case(self, by: Admin, report: Report) -> Case:
        about = concerned(report)
        reporter = None if about == by.id else await self.db.get(users(report.reporter_id))
        user = await self.db.get(users(about)) if about else None  # nobody: the author has left
        answer = None
        if report.target_type is TargetType.ANSWER and about:
            answer = await self.db.get(answers(date.fromisoformat(report.target_id.partition("#")[0]), about))
        return Case(report, reporter, user, answer, about == by.id)

    async def settle(self, by: Admin, report_id: str, status: ReportStatus) -> None:
        await self.cases.settle(by, report_id, status)

    # Posts

    async def flagged(self, by: Admin, after: str | None = None) -> Page[Post]:
        page = await self.db.page(design.flagged_answers(), size=PAGE, after=after)
        return Page(await self._posts(page.items), page.cursor)

    async def _posts(self, found: Sequence[Answer]) -> list[Post]:
        authors = await self.db.get_many([users(one.user_id) for one in found])
        asked = await self.db.get_many([daily_questions(one.day) for one in found])
        return [
            Post(answer, author, question.question_text if question else "")
            for answer, author, question in zip(found, authors, asked, strict=True)
        ]

    async def review_post(self, by: Admin, day: date, author: str, remove: bool, reason: str = "") -> None:
        """Let a post stand, without its flag, or take it down for good; then its author is told why."""
        await self.decisions.leave_to_another(by, author)
        also: list[Action[Any, Any]] = []
        if remove:
            made = self.decisions.new(by, author, DecisionKind.ANSWER, reason_of(reason), target=day.isoformat())
            also = self.decisions.actions(made)
        update = answers.update(day, author).set(Answer.is_flagged, False)
        if remove:
            update = update.set(Answer.is_deleted, True).set(Answer.deleted_by_admin, True)
            update = update.set(Answer.deleted_at, days.now(self.clock)).when(Answer.deleted_by_admin.is_(False))
        else:
            update = update.when(Answer.is_flagged.is_(True))
        entry = self.logs.entry(by, AdminAction.REVIEW_FLAGGED_POST, "answer", f"{day}#{author}", {"removed": remove})
        try:
            await self.db.transact(update, entry, *also)
        except TransactionFailed as failed:
            raise (WrongState() if failed.old(update) else NoSuchThing()) from failed
        if remove:
            await self.erasing.later(day, author, APPEALED_WITHIN)
            await self.cases.close(by, f"{day}#{author}")

    async def restore_post(self, by: Admin, day: date, author: str) -> None:
        """What was taken down by mistake is there again, if its words are. What its author deleted stays deleted."""
        await self.decisions.leave_to_another(by, author)
        found = await self.db.get(answers(day, author).consistent())
        if found is None:
            raise NoSuchThing()
        if not found.deleted_by_admin or found.text == ERASED:
            raise WrongState()
        ending = await self.decisions.undoing(by, author, day)
        details = {"removed": False, "restored": True}
        entry = self.logs.entry(by, AdminAction.REVIEW_FLAGGED_POST, "answer", f"{day}#{author}", details)
        try:
            await self.db.transact(restored(day, author), entry, *ending)
        except TransactionFailed as failed:
            raise WrongState() from failed

    # People

    async def ban(self, by: ProvenAdmin, user_id: str, reason: str = "") -> None:
        """As Sanctions does it; of a verified account it only proposes it."""
        await self.sanctions.ban(by, user_id, reason)

    async def unban(self, by: ProvenAdmin, user_id: str, reason: str = "") -> None:
        await self.sanctions.unban(by, user_id, reason)

    async def people(self, by: Admin, after: str | None = None) -> Page[User]:
        return await self.db.page(design.all_users(), size=PAGE, after=after)

    async def dossier(self, by: Admin, user_id: str, look: str = "") -> Dossier:
        """Without what they answered, unless `look` stands for a reason given a moment ago."""
        user = await self.db.get(users(user_id).consistent())
        if user is None:
            raise NoSuchUser()
        looked = bool(look) and await self._may_look(by, user_id, look)
        said = await self.db.page(design.answers_of_user(user_id), size=_LATELY) if looked else Page([], None)
        told, decided, waiting = await asyncio.gather(
            self._reports_on(user_id), self.decisions.about(user_id), self.db.all(design.reviews_of(user_id))
        )
        two = takes_two(user, days.now(self.clock))
        return Dossier(user, looked, await self._posts(said.items), told, decided, waiting, two)

    async def _reports_on(self, user_id: str) -> list[Report]:
        account, all_about = await asyncio.gather(
            self.db.page(design.reports_about(user_id).backwards(), size=PAGE),
            self.db.page(design.reports_on(user_id), size=PAGE),
        )
        known = {one.report_id: one for one in account}
        others = [reports(one.report_id) for one in all_about if one.report_id not in known]
        found = [*known.values(), *(one for one in await self.db.get_many(others) if one is not None)]
        return sorted(found, key=lambda one: one.created_at, reverse=True)

    async def look(self, by: Admin, user_id: str, reason: str) -> str:
        """Say why one reads what somebody answered for their friends; it stands in the log. Returns what opens it."""
        why = reason_of(reason)
        if why is None:
            raise ReasonNeeded(field="reason")
        if await self.db.get(users(user_id).consistent()) is None:
            raise NoSuchUser()
        entry = self.logs.entry(by, AdminAction.VIEW_ANSWERS, "user", user_id, {"reason": why})
        await self.db.write(entry)
        return f"{entry.instance.timestamp.isoformat()}_{entry.instance.log_id}"

    async def _may_look(self, by: Admin, user_id: str, look: str) -> bool:
        moment, _, log_id = look.partition("_")
        try:
            at = datetime.fromisoformat(moment)
        except ValueError:
            return False
        if at.tzinfo is None or not timedelta() <= days.now(self.clock) - at <= _LOOK_FOR:
            return False
        found = await self.db.get(admin_logs(at, log_id).consistent())
        is_view = found is not None and found.action is AdminAction.VIEW_ANSWERS
        return is_view and found is not None and (found.admin_id, found.target_id) == (by.id, user_id)

    async def search(self, by: Admin, text: str) -> list[User]:
        """By user id, app id, user name or mail address, whole; there is no index for parts of them."""
        wanted = text.strip().lstrip("@")
        if not wanted or "#" in wanted or len(wanted) > 254:
            return []
        found = [
            await self.db.get(users(wanted).consistent()),
            await self.db.holder(unique_app_id, User.app_id == wanted.lower()),
            await self.db.holder(unique_username, User.username_folded == wanted.casefold()),
            await self.db.holder(unique_email, User.email == wanted.lower()),
        ]
        return list({user.user_id: user for user in found if user is not None}.values())

    # Forbidden words

    async def words(self, by: Admin) -> list[NGWord]:
        found = await self.db.all(design.all_ng_words().consistent())
        return sorted(found, key=lambda one: one.created_at, reverse=True)

    async def add_word(self, by: Admin, text: str, *, allowed: bool = False) -> NGWord:
        """Forbid a word, or name a harmless one that a forbidden one is part of."""
        original = writing.text_of(text, WORD_MAX, "word")
        word = normalised(original)
        if not word:
            raise BadText(field="word", most=WORD_MAX)
        made = NGWord(
            word=word, created_at=days.now(self.clock), created_by=by.id, original=original, is_allowed=allowed
        )
        details = {"word": original, "allowed": allowed}
        try:
            await self.db.transact(
                ng_words.create(made), self.logs.entry(by, AdminAction.ADD_NG_WORD, "ngWord", word, details)
            )
        except TransactionFailed as failed:
            raise Taken(field="word") from failed
        self.forbidden.forget()
        return made

    async def delete_word(self, by: Admin, word: str) -> None:
        gone = ng_words.delete(word).must_exist()
        try:
            await self.db.transact(gone, self.logs.entry(by, AdminAction.DELETE_NG_WORD, "ngWord", word))
        except TransactionFailed as failed:
            raise NoSuchThing() from failed
        self.forbidden.forget()
