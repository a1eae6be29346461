"""What administrators do about people and posts. Every action and its line in the log are one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, Page, Put, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.design import JobRun
from sekkei.runtime.jobs import Jobs
from sekkei.web.identity.accounts import Accounts
from sekkei_systems.q import design
from sekkei_systems.q.design.models import AdminAction, AdminLog, Answer, NGWord, Report, ReportStatus, TargetType, User
from sekkei_systems.q.design.tables import (
    answers,
    daily_questions,
    ng_words,
    reports,
    unique_app_id,
    unique_email,
    unique_username,
    users,
)
from sekkei_systems.q.refusals import AdminsStay, BadText, NoSuchThing, NoSuchUser, Taken, WrongState
from sekkei_systems.q.rules import writing
from sekkei_systems.q.rules.ng_words import WORD_MAX, normalised
from sekkei_systems.q.service.access import Admin, ProvenAdmin
from sekkei_systems.q.service.editing import Count, count_of
from sekkei_systems.q.service.logs import Logs
from sekkei_systems.q.service.reports import profile_text
from sekkei_systems.q.service.words import ForbiddenWords

PAGE = 50
COUNT_BANNED = "count-banned"
LATELY = 20
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
    user: User | None
    answer: Answer | None

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
    posts: list[Post]
    reports: list[Report]
    """About the account itself, newest first."""


class Moderation:
    def __init__(
        self,
        db: Database,
        clock: Clock,
        logs: Logs,
        words: ForbiddenWords,
        accounts: Accounts,
        jobs: Jobs,
    ) -> None:
        self._db = db
        self._jobs = jobs
        self._accounts = accounts
        self._clock = clock
        self._logs = logs
        self._words = words

    async def waiting(self, by: Admin) -> dict[str, Count]:
        """How much there is to look at: posts with a forbidden word, and open reports."""
        flagged, told = await asyncio.gather(
            self._db.page(design.flagged_answers(), size=PAGE),
            self._db.page(design.reports_with_status(ReportStatus.PENDING), size=PAGE),
        )
        return {"flagged": count_of(flagged), "reports": count_of(told)}

    # Reports

    async def reports(self, by: Admin, status: ReportStatus, after: str | None = None) -> Page[Case]:
        page = await self._db.page(design.reports_with_status(status), size=PAGE, after=after)
        return Page(await asyncio.gather(*(self._case(one) for one in page)), page.cursor)

    async def _case(self, report: Report) -> Case:
        reporter = await self._db.get(users(report.reporter_id))
        if report.target_type is TargetType.USER:
            return Case(report, reporter, await self._db.get(users(report.target_id)), None)
        day, _, author = report.target_id.partition("#")
        if not author:  # the author has left
            return Case(report, reporter, None, None)
        answer = await self._db.get(answers(date.fromisoformat(day), author))
        return Case(report, reporter, await self._db.get(users(author)), answer)

    async def settle(self, by: Admin, report_id: str, status: ReportStatus) -> None:
        if status is ReportStatus.PENDING:
            raise WrongState()
        update = (
            reports.update(report_id)
            .set(Report.status, status)
            .set(Report.resolved_at, days.now(self._clock))
            .set(Report.resolved_by, by.id)
            .when(Report.status == ReportStatus.PENDING)
        )
        entry = self._logs.entry(by, AdminAction.UPDATE_REPORT, "report", report_id, {"to": status.value})
        try:
            await self._db.transact(update, entry)
        except TransactionFailed as failed:
            raise (WrongState() if failed.old(update) else NoSuchThing()) from failed

    # Posts

    async def flagged(self, by: Admin, after: str | None = None) -> Page[Post]:
        page = await self._db.page(design.flagged_answers(), size=PAGE, after=after)
        return Page(await self._posts(page.items), page.cursor)

    async def _posts(self, found: Sequence[Answer]) -> list[Post]:
        authors = await self._db.get_many([users(one.user_id) for one in found])
        asked = await self._db.get_many([daily_questions(one.day) for one in found])
        return [
            Post(answer, author, question.question_text if question else "")
            for answer, author, question in zip(found, authors, asked, strict=True)
        ]

    async def review_post(self, by: Admin, day: date, author: str, remove: bool) -> None:
        """Let a post stand, without its flag, or take it down for good."""
        update = answers.update(day, author).set(Answer.is_flagged, False)
        if remove:
            update = update.set(Answer.is_deleted, True).set(Answer.deleted_by_admin, True)
            update = update.set(Answer.deleted_at, days.now(self._clock)).when(Answer.deleted_by_admin.is_(False))
        else:
            update = update.when(Answer.is_flagged.is_(True))
        entry = self._logs.entry(by, AdminAction.REVIEW_FLAGGED_POST, "answer", f"{day}#{author}", {"removed": remove})
        try:
            await self._db.transact(update, entry)
        except TransactionFailed as failed:
            raise (WrongState() if failed.old(update) else NoSuchThing()) from failed
        if remove:
            await self._close_reports(by, f"{day}#{author}")

    async def _close_reports(self, by: Admin, target: str) -> None:
        """What they asked for is done. One that somebody settles meanwhile stays as that moderator left it."""
        for one in await self._db.all(design.reports_about(target)):
            if one.status is ReportStatus.PENDING:
                with suppress(WrongState, NoSuchThing):
                    await self.settle(by, one.report_id, ReportStatus.RESOLVED)

    async def restore_post(self, by: Admin, day: date, author: str) -> None:
        """What was taken down by mistake is there again."""
        update = answers.update(day, author).set(Answer.is_deleted, False).set(Answer.deleted_by_admin, False)
        update = update.set(Answer.deleted_at, None).when(Answer.is_deleted.is_(True))
        entry = self._logs.entry(
            by, AdminAction.REVIEW_FLAGGED_POST, "answer", f"{day}#{author}", {"removed": False, "restored": True}
        )
        try:
            await self._db.transact(update, entry)
        except TransactionFailed as failed:
            raise (WrongState() if failed.old(update) else NoSuchThing()) from failed

    # People

    async def ban(self, by: ProvenAdmin, user_id: str, reason: str = "") -> None:
        """Locked out and signed out at once, and unseen."""
        await self._set_banned(by, user_id, True, reason)

    async def unban(self, by: ProvenAdmin, user_id: str, reason: str = "") -> None:
        await self._set_banned(by, user_id, False, reason)

    async def _set_banned(self, by: ProvenAdmin, user_id: str, banned: bool, reason: str) -> None:
        details = {}
        if reason.strip():
            details["reason"] = writing.text_of(reason, writing.DESCRIPTION_MAX, "reason", lines=True)
        action = AdminAction.BAN_USER if banned else AdminAction.UNBAN_USER
        update = users.update(user_id).set(User.is_banned, banned).set(User.updated_at, days.now(self._clock))
        update = update.when(User.is_banned.is_(not banned), User.is_admin.is_(False))
        entry = self._logs.entry(by, action, "user", user_id, details or None)
        actions: list[Action[Any, Any]] = [update, entry, self._counting(entry.instance)]
        if banned and await self._accounts.get(user_id) is not None:
            actions.append(self._accounts.signing_out(user_id))
        try:
            await self._db.transact(*actions)
        except TransactionFailed as failed:
            old = failed.old(update)
            if old is None:
                raise NoSuchUser() from failed
            raise (AdminsStay() if old.is_admin else WrongState()) from failed
        if banned:
            self._accounts.signed_out(user_id)

    def _counting(self, entry: AdminLog) -> Put[JobRun]:
        """Others' counters follow in a job. It names the line of the log and not the user, whom a withdrawal takes
        out of the log; the worker's notes stay for a month."""
        payload = {"timestamp": entry.timestamp.isoformat(), "log_id": entry.log_id}
        return self._jobs.start_action(COUNT_BANNED, payload, id=f"{COUNT_BANNED}/{entry.log_id}")

    async def people(self, by: Admin, after: str | None = None) -> Page[User]:
        return await self._db.page(design.all_users(), size=PAGE, after=after)

    async def dossier(self, by: Admin, user_id: str) -> Dossier:
        user = await self._db.get(users(user_id).consistent())
        if user is None:
            raise NoSuchUser()
        said = await self._db.page(design.answers_of_user(user_id), size=LATELY)
        told = await self._db.page(design.reports_about(user_id).backwards(), size=PAGE)
        return Dossier(user, await self._posts(said.items), list(told))

    async def search(self, by: Admin, text: str) -> list[User]:
        """By user id, app id, user name or mail address, whole; there is no index for parts of them."""
        wanted = text.strip().lstrip("@")
        if not wanted or "#" in wanted or len(wanted) > 254:
            return []
        found = [
            await self._db.get(users(wanted).consistent()),
            await self._db.holder(unique_app_id, User.app_id == wanted.lower()),
            await self._db.holder(unique_username, User.username_folded == wanted.casefold()),
            await self._db.holder(unique_email, User.email == wanted.lower()),
        ]
        return list({user.user_id: user for user in found if user is not None}.values())

    # Forbidden words

    async def words(self, by: Admin) -> list[NGWord]:
        found = await self._db.all(design.all_ng_words().consistent())
        return sorted(found, key=lambda one: one.created_at, reverse=True)

    async def add_word(self, by: Admin, text: str, *, allowed: bool = False) -> NGWord:
        """Forbid a word, or name a harmless one that a forbidden one is part of."""
        original = writing.text_of(text, WORD_MAX, "word")
        word = normalised(original)
        if not word:
            raise BadText(field="word", most=WORD_MAX)
        made = NGWord(
            word=word, created_at=days.now(self._clock), created_by=by.id, original=original, is_allowed=allowed
        )
        details = {"word": original, "allowed": allowed}
        try:
            await self._db.transact(
                ng_words.create(made), self._logs.entry(by, AdminAction.ADD_NG_WORD, "ngWord", word, details)
            )
        except TransactionFailed as failed:
            raise Taken(field="word") from failed
        self._words.forget()
        return made

    async def delete_word(self, by: Admin, word: str) -> None:
        gone = ng_words.delete(word).must_exist()
        try:
            await self._db.transact(gone, self._logs.entry(by, AdminAction.DELETE_NG_WORD, "ngWord", word))
        except TransactionFailed as failed:
            raise NoSuchThing() from failed
        self._words.forget()
