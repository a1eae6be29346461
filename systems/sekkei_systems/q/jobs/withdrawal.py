"""Withdrawal, stage by stage. In the end only tombstones are left: a reserved app id, nameless reports and log lines.

A stage goes through what it finds in bounded steps, and begins again until it has found nothing: an index may still
show what is gone. Done twice it does no harm. What joins a user to others goes first, so that nobody meets half of
somebody.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeVar

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, Page, Query, TransactionFailed, UniqueKey, Update
from sekkei.runtime.data_subjects import AFTER, Exported, Obstacle, Person, Personal, as_data
from sekkei.runtime.jobs import Jobs, Payload, Progress, Step
from sekkei.runtime.outbox import SHELL, Outbox
from sekkei.runtime.schedules import Schedules
from sekkei.web.identity.accounts import Accounts
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import (
    WITHDRAWN,
    AdminLog,
    Decision,
    Follow,
    NGWord,
    Question,
    QuestionStatus,
    Report,
    ReportStatus,
    User,
)
from sekkei_systems.q.design.tables import (
    admin_logs,
    answers,
    blocks,
    contacts,
    decisions,
    ended_blocks,
    follow_requests,
    follows,
    invites,
    mutes,
    ng_words,
    notices,
    profile_images,
    profile_reviews,
    push_tokens,
    question_votes,
    questions,
    reactions,
    reports,
    reports_concerning,
    submissions,
    unique_keys,
    users,
)
from sekkei_systems.q.rules import times
from sekkei_systems.q.service.answers import erasing_of
from sekkei_systems.q.service.cases import copy_of
from sekkei_systems.q.service.finding import Contacts
from sekkei_systems.q.service.numbers import leaving as counted_out
from sekkei_systems.q.service.people import People, free_name, reserved, schedule_of
from sekkei_systems.q.service.reactions import Reactions
from sekkei_systems.q.service.sanctions import suspension_of

# The log without the names of those who have left: its lines of 90 days say what was done, not to whom or by whom.


_LINES_PER_STEP = 100
_INDEXED_AFTER = timedelta(hours=1)


@dataclass
class _LogLines:
    db: Database
    clock: Clock

    async def about(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self.db.page(design.logs_about(user), size=_LINES_PER_STEP, after=after)
        return await self._without(user, page), page.cursor

    async def by(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self.db.page(design.logs_of_admin(user), size=_LINES_PER_STEP, after=after)
        return await self._without(user, page), page.cursor

    async def newest(self, user: str, after: str | None) -> tuple[int, str | None]:
        """Those that an index may not show yet."""
        query = design.logs_since(days.now(self.clock) - _INDEXED_AFTER).consistent()
        page = await self.db.page(query, size=_LINES_PER_STEP, after=after)
        await self._without(user, [one for one in page if user in (one.admin_id, one.about_id)])
        return 0, page.cursor

    async def _without(self, user: str, lines: Iterable[AdminLog]) -> int:
        count = 0
        for one in await self.db.get_many([admin_logs(one.timestamp, one.log_id).consistent() for one in lines]):
            if one is None or user not in (one.admin_id, one.about_id):
                continue  # an index may still show what is gone
            count += 1
            update = admin_logs.update(one.timestamp, one.log_id).knowing(one)
            if one.admin_id == user:
                update = update.set(AdminLog.admin_id, WITHDRAWN).set(AdminLog.admin_email, None)
                update = update.set(AdminLog.ip_address, None)
            if one.about_id == user:
                update = update.set(AdminLog.target_id, WITHDRAWN)
            with suppress(ConditionFailed):  # forgotten meanwhile
                await self.db.write(update)
        return count


# A day after somebody has left, what was set aside of them goes: by then the streams have forgotten them too.
#
# The deletions themselves are in the streams for a day. What cannot be handled of them is set aside among the dead
# letters, with all that was deleted in it, perhaps after the withdrawal was done.


JOB = "forget-traces"


@dataclass
class LateTraces:
    db: Database
    clock: Clock
    outbox: Outbox
    schedules: Schedules

    async def later(self, user_id: str) -> None:
        at = days.now(self.clock) + AFTER
        await self.schedules.put(f"q/traces/{user_id}", JOB, {"user_id": user_id}, at=at)

    async def forget(self, payload: Payload) -> None:
        """Whoever has come back meanwhile, with an account that other systems need too, keeps what is new."""
        if await self.db.get(users(payload["user_id"]).consistent()) is None:
            await self.outbox.forget(payload["user_id"])


_EDGES_PER_TRANSACTION = 30
_ITEMS_PER_STEP = 100
_ANSWERS_PER_STEP = 10
_EDGE_TRIES_MAX = 5

log = logging.getLogger("sekkei_systems.q.leave")
M = TypeVar("M")
Stage = Callable[[str, str | None], Awaitable[tuple[int, str | None]]]
"""Given the user and where to go on; returns how much was really done and where to go on then."""


@dataclass
class Withdrawal:
    db: Database
    runtime: Database
    clock: Clock
    jobs: Jobs
    schedules: Schedules
    outbox: Outbox
    accounts: Accounts
    reactions: Reactions
    people: People
    contacts: Contacts
    traces: LateTraces
    lines: _LogLines

    def __post_init__(self) -> None:
        self._codes = Outbox(self.runtime, self.clock, SHELL)

    async def begin(self, payload: Payload) -> None:
        """When the week is over; somebody who has cancelled stays."""
        user = await self.db.get(users(payload["user_id"]).consistent())
        if user is None or user.deleting_at is None or user.is_admin:
            return
        if user.deleting_at > days.now(self.clock) - times.GRACE:
            return
        asked = int(user.deleting_at.timestamp())
        payload = {"user_id": user.user_id, "leaves_house": user.leaves_house}
        await self.jobs.start("withdraw", payload, id=f"withdraw/{user.user_id}/{asked}")

    def steps(self) -> Sequence[tuple[str, Step]]:
        stages: list[tuple[str, Stage]] = [
            ("sign-ins", self._sign_ins),
            ("messages", self._messages),
            ("tokens", self._tokens),
            ("follows-out", self._follows_out),
            ("follows-in", self._follows_in),
            ("requests-to", self._requests_to),
            ("requests-of", self._requests_of),
            ("blocks-by", self._blocks_by),
            ("blocks-of", self._blocks_of),
            ("ended-blocks-by", self._ended_blocks_by),
            ("ended-blocks-of", self._ended_blocks_of),
            ("mutes-by", self._mutes_by),
            ("mutes-of", self._mutes_of),
            ("reactions", self._reactions),
            ("answers", self._answers),
            ("submissions", self._submissions),
            ("questions", self._questions),
            ("votes", self._votes),
            ("reports-made", self._reports_made),
            ("reports-about", self._reports_about),
            ("reports-on", self._reports_on),
            ("reports-settled", self._reports_settled),
            ("reports-dismissed", self._reports_dismissed),
            ("log", self.lines.about),
            ("log-by", self.lines.by),
            ("words", self._words),
            ("decisions", self._decisions),
            ("decided", self._decided),
            ("notices", self._notices),
            ("notices-about", self._notices_about),
            ("reviews", self._reviews),
            ("invites", self._invites),
            ("contact", self._contact),
            ("picture", self._picture),
            ("user", self._user),
            # From here on nobody writes about them; until then a suspension may have ended, and they were told of it.
            ("log-since", self.lines.about),
            ("log-newest", self.lines.newest),
            ("decisions-since", self._decisions),
            ("notices-since", self._notices),
            ("messages-since", self._messages),
        ]
        return [*((name, self._step(stage)) for name, stage in stages), ("account", self._account)]

    def _step(self, stage: Stage) -> Step:
        async def step(payload: Payload, cursor: str | None) -> Progress:
            before, _, at = (cursor or "0|").partition("|")
            done, following = await stage(payload["user_id"], at or None)
            total = int(before) + done
            if following is not None:
                return Progress(done, f"{total}|{following}")
            return Progress(done, "0|" if total else None)

        return step

    async def _page(self, query: Query[M], after: str | None, most: int = _ITEMS_PER_STEP) -> Page[M]:
        return await self.db.page(query, size=most, after=after)

    async def _sign_ins(self, user: str, after: str | None) -> tuple[int, str | None]:
        """Signed out everywhere; until now they could have changed their mind."""
        if await self.accounts.get(user) is not None:
            await self.accounts.end_all_sessions(user)
        return 0, None

    async def _account(self, payload: Payload, cursor: str | None) -> Progress:
        """What signing in knows of them, where nothing but Q. needs it."""
        user = payload["user_id"]
        await self.schedules.delete(schedule_of(user))  # still there when the job was started by hand
        await self.traces.later(user)
        if not payload.get("leaves_house"):
            return Progress(0)
        account = await self.accounts.get(user)
        if account is not None and account.email:
            await self._codes.forget(account.email)
        return Progress(int(await self.accounts.forget(user)))

    async def _messages(self, user: str, after: str | None) -> tuple[int, str | None]:
        """What was pushed to their devices or tells others of them, sent or not."""
        devices = await self.db.all(design.tokens_of(user).consistent())
        return await self.outbox.forget(user, *(one.token for one in devices)), None

    async def _tokens(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.tokens_of(user).consistent(), after)
        return await self._delete([push_tokens.delete(user, one.token) for one in page]), page.cursor

    # Edges

    async def _follows_out(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.following(user).consistent(), after, _EDGES_PER_TRANSACTION)
        await self._end(list(page), mine=User.following_count, theirs=User.follower_count, user=user)
        return len(page), page.cursor

    async def _follows_in(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.followers_of(user), after, _EDGES_PER_TRANSACTION)
        there = await self.db.get_many([follows(one.follower_id, one.followee_id).consistent() for one in page])
        edges = [one for one in there if one is not None]
        await self._end(edges, mine=User.follower_count, theirs=User.following_count, user=user)
        return len(edges), page.cursor

    async def _end(self, edges: list[Follow], *, mine: Any, theirs: Any, user: str) -> None:
        """Up to 30 edges with the counters of both sides in one transaction; one by one if others are at them too."""
        if not edges:
            return
        try:
            await self.db.transact(*self._ending(edges, mine, theirs, user))
        except TransactionFailed:
            for edge in edges:
                await self._end_one(edge, mine, theirs, user)

    async def _end_one(self, read: Follow, mine: Any, theirs: Any, user: str) -> None:
        """Read anew: a ban or its end may have changed which counters the edge stands in."""
        for _ in range(_EDGE_TRIES_MAX):
            edge = await self.db.get(follows(read.follower_id, read.followee_id).consistent())
            if edge is None:
                return
            end, *counters = self._ending([edge], mine, theirs, user)
            try:
                await self.db.transact(end, *counters)
                return
            except TransactionFailed as failed:
                if not failed.failed(end):
                    break
        await self._end_alone(read)

    def _ending(self, edges: list[Follow], mine: Any, theirs: Any, user: str) -> list[Action[Any, Any]]:
        """A counter that a ban has taken an edge out of stays as it is."""
        actions: list[Action[Any, Any]] = [design.ending(edge) for edge in edges]
        counted = 0
        for edge in edges:
            other, user_banned, other_banned = edge.followee_id, edge.follower_banned, edge.followee_banned
            if edge.followee_id == user:
                other, user_banned, other_banned = edge.follower_id, other_banned, user_banned
            counted += not other_banned
            if not user_banned:
                actions.append(users.update(other).add(theirs, -1).keeping_version().when(theirs > 0))
        if counted:
            actions.append(users.update(user).add(mine, -counted).keeping_version())
        return actions

    async def _end_alone(self, edge: Follow) -> None:
        """Without counters: the other side is gone, or its counter was wrong already (the nightly count mends that)."""
        log.warning("an edge was deleted without its counters", extra={"edge": repr(edge)})
        await self.db.write(follows.delete(edge.follower_id, edge.followee_id))

    async def _requests_to(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.requests_to(user).consistent(), after)
        return await self._delete([follow_requests.delete(user, one.follower_id) for one in page]), page.cursor

    async def _requests_of(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.requests_of(user), after)
        return await self._delete([follow_requests.delete(one.followee_id, user) for one in page]), page.cursor

    async def _blocks_by(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.blocked(user).consistent(), after)
        return await self._delete([blocks.delete(user, one.blocked_id) for one in page]), page.cursor

    async def _blocks_of(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.blockers_of(user), after)
        return await self._delete([blocks.delete(one.blocker_id, user) for one in page]), page.cursor

    async def _ended_blocks_by(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.ended_blocks_by(user).consistent(), after)
        return await self._delete([ended_blocks.delete(user, one.blocked_id) for one in page]), page.cursor

    async def _ended_blocks_of(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.ended_blocks_of(user), after)
        return await self._delete([ended_blocks.delete(one.blocker_id, user) for one in page]), page.cursor

    async def _mutes_by(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.muted(user).consistent(), after)
        return await self._delete([mutes.delete(user, one.muted_id) for one in page]), page.cursor

    async def _mutes_of(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.muters_of(user), after)
        return await self._delete([mutes.delete(one.muter_id, user) for one in page]), page.cursor

    async def _delete(self, deletes: list[Any]) -> int:
        """How many were really there; an index may still show what is gone."""
        count = 0
        for one in deletes:
            count += await self.db.write(one) is not None
        return count

    # What was said

    async def _reactions(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.reactions_by(user), after)
        there = await self.db.get_many([reactions(one.day, one.user_id, user).consistent() for one in page])
        for one in there:
            if one is not None:
                await self.reactions.end(one.day, one.user_id, user)
        return sum(one is not None for one in there), page.cursor

    async def _answers(self, user: str, after: str | None) -> tuple[int, str | None]:
        """Each answer with the reactions to it; reports about it stay, without its name."""
        page = await self._page(design.answers_of_user(user), after, _ANSWERS_PER_STEP)
        return sum([await self._delete_answer(one.day, user) for one in page]), page.cursor

    async def _delete_answer(self, day: date, user: str) -> int:
        await self.schedules.delete(erasing_of(day, user))
        for one in await self.db.all(design.reports_about(f"{day}#{user}")):
            nameless = reports.update(one.report_id).set(Report.target_id, f"{WITHDRAWN}-{one.report_id}")
            await self._rename(nameless.set(Report.seen_text, None))
        given = await self.db.all(design.reactions_to(day, user).consistent())
        await self.db.write_many(reactions.delete(day, user, one.reactor_id) for one in given)
        return int(await self.db.write(answers.delete(day, user)) is not None)

    async def _submissions(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.submissions_of(user), after)
        return await self._delete([submissions.delete(one.day, user) for one in page]), page.cursor

    async def _questions(self, user: str, after: str | None) -> tuple[int, str | None]:
        """What nobody has approved goes; what is asked stays, without a name."""
        page = await self._page(design.questions_by(user), after)
        count = 0
        for one in await self.db.get_many([questions(one.question_id).consistent() for one in page]):
            if one is None or one.submitted_by != user:
                continue
            count += 1
            if one.status in (QuestionStatus.PENDING, QuestionStatus.REJECTED):
                await self.db.write(questions.delete(one.question_id))
            else:
                await self._rename(questions.update(one.question_id).set(Question.submitted_by, None))
        return count, page.cursor

    async def _votes(self, user: str, after: str | None) -> tuple[int, str | None]:
        """Each with its count; a vote for a question that is gone goes alone."""
        page = await self._page(design.votes_of(user), after)
        count = 0
        for one in page:
            try:
                await self.db.transact(design.unvote(one.question_id, user))
                count += 1
            except TransactionFailed:
                count += await self._delete([question_votes.delete(one.question_id, user)])
        return count, page.cursor

    async def _rename(self, update: Update[Any]) -> None:
        try:
            await self.db.write(update)
        except ConditionFailed:
            pass  # gone meanwhile

    async def _reports_made(self, user: str, after: str | None) -> tuple[int, str | None]:
        return await self._rename_reports(design.reports_by(user), after, Report.reporter_id, user)

    async def _reports_about(self, user: str, after: str | None) -> tuple[int, str | None]:
        return await self._rename_reports(design.reports_about(user), after, Report.target_id, user)

    async def _rename_reports(
        self, query: Query[Report], after: str | None, field: Any, user: str
    ) -> tuple[int, str | None]:
        page = await self._page(query, after)
        count = 0
        for one in await self.db.get_many([reports(one.report_id).consistent() for one in page]):
            if one is not None and getattr(one, field.name) == user:
                count += 1
                # A name of its own for each: two of them about one thing must not meet in a uniqueness marker.
                nameless = reports.update(one.report_id).set(field, f"{WITHDRAWN}-{one.report_id}")
                if field.name == Report.reporter_id.name:
                    nameless = nameless.set(Report.description, None)
                else:
                    await self.db.write(profile_images.delete(copy_of(one.report_id)))
                    nameless = nameless.set(Report.seen_text, None).set(Report.seen_picture, None)
                await self._rename(nameless)
        return count, page.cursor

    # What an administrator of old has done, and what was done to a user

    async def _reports_settled(self, user: str, after: str | None) -> tuple[int, str | None]:
        return await self._rename_resolver(ReportStatus.RESOLVED, user, after)

    async def _reports_dismissed(self, user: str, after: str | None) -> tuple[int, str | None]:
        return await self._rename_resolver(ReportStatus.DISMISSED, user, after)

    async def _rename_resolver(self, status: ReportStatus, user: str, after: str | None) -> tuple[int, str | None]:
        found = await self.db.get(users(user).consistent())
        if found is None or not found.was_admin:
            return 0, None  # there is no index by who settled a report; few people ever have
        query = design.reports_with_status(status).filter(Report.resolved_by == user)
        page = await self._page(query, after)
        for one in page:
            await self._rename(reports.update(one.report_id).set(Report.resolved_by, WITHDRAWN))
        return 0, page.cursor

    async def _words(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.all_ng_words().consistent(), after)
        for one in page:
            if one.created_by == user:
                await self._rename(ng_words.update(one.word).set(NGWord.created_by, WITHDRAWN))
        return 0, page.cursor

    # What moderators decided, and what people were told

    async def _reports_on(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.reports_on(user).consistent(), after)
        return await self._delete([reports_concerning.delete(user, one.report_id) for one in page]), page.cursor

    async def _decisions(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.decisions_about(user).consistent(), after)
        return await self._delete([decisions.delete(user, one.decision_id) for one in page]), page.cursor

    async def _decided(self, user: str, after: str | None) -> tuple[int, str | None]:
        """There is no index by who decided; only of an administrator of old all are looked through."""
        found = await self.db.get(users(user).consistent())
        if found is None or not found.was_admin:
            return 0, None
        page = await self._page(design.all_decisions().consistent(), after)
        for one in page:
            update = decisions.update(one.user_id, one.decision_id)
            if one.decided_by == user:
                update = update.set(Decision.decided_by, WITHDRAWN)
            if one.approved_by == user:
                update = update.set(Decision.approved_by, WITHDRAWN)
            if one.appeal_by == user:
                update = update.set(Decision.appeal_by, WITHDRAWN)
            if update.changes:
                await self._rename(update)
        return 0, page.cursor

    async def _notices(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.notices_of(user).consistent(), after)
        return await self._delete([notices.delete(user, one.created_at, one.notice_id) for one in page]), page.cursor

    async def _notices_about(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.notices_on(user), after)
        gone = [notices.delete(one.user_id, one.created_at, one.notice_id) for one in page]
        return await self._delete(gone), page.cursor

    async def _reviews(self, user: str, after: str | None) -> tuple[int, str | None]:
        found = await self.db.all(design.reviews_of(user).consistent())
        return await self._delete([profile_reviews.delete(user, one.part) for one in found]), None

    # By which they were found

    async def _invites(self, user: str, after: str | None) -> tuple[int, str | None]:
        page = await self._page(design.invites_of(user), after)
        return await self._delete([invites.delete(one.invite_id) for one in page]), page.cursor

    async def _contact(self, user: str, after: str | None) -> tuple[int, str | None]:
        found = await self.db.get(users(user).consistent())
        keys = self.contacts.keys(found.email) if found else []
        return await self._delete([contacts.delete(key) for key in keys]), None

    # The user

    async def _picture(self, user: str, after: str | None) -> tuple[int, str | None]:
        return await self._delete([profile_images.delete(user)]), None

    async def _user(self, user: str, after: str | None) -> tuple[int, str | None]:
        """The row with its mail address and names; the app id stays taken, by nobody."""
        await self.schedules.delete(suspension_of(user))
        found = await self.db.get(users(user).consistent())
        if found is None:
            return 0, None
        last: list[Action[Any, Any]] = [
            users.delete(user).when(User.counted_present == found.counted_present),
            *counted_out(found, days.today(self.clock)),
        ]
        if found.was_admin:
            last += free_name(found.display_name)
        if found.is_banned and found.banned_until is None:
            address = self.people.banned_address(found.email)
            last.append(unique_keys.put(UniqueKey(value=address, owner={"left": "banned"})))
        if found.app_id is not None:
            last.append(unique_keys.put(UniqueKey(value=reserved(found.app_id), owner={"userId": WITHDRAWN})))
        await self.db.transact(*last)
        return 1, None


# People who take their data along, or leave with their account: the withdrawal of Q. itself, without its week.


ABOUT = {
    "ja": "回答・リアクション・フォロー・プロフィールがすべて消えます。"
    "出題された質問は名前なしで残り、アプリIDは誰も使えなくなります。",
    "en": "Your answers, reactions, follows and profile are deleted. Questions of yours that were asked stay without "
    "your name, and nobody can take your app id.",
}
_ADMINS_STAY = {
    "ja": "Q. の管理者です。ほかの管理者に権限を外してもらってください。",
    "en": "You are an administrator of Q. Ask another administrator to take that back.",
}

NOT_THEIRS = {
    "following": ("followee_banned", "follower_banned"),
    "followers": ("followee_banned", "follower_banned"),
    "decisions": ("decided_by", "approved_by", "appeal_by", "waits"),
    "reports": ("resolved_by", "seen_text", "seen_picture"),
    "devices": ("auth", "session"),
}
"""Who decided, who else is banned and what somebody wrote who was reported is the moderators' affair. What opens a door
is in no file."""


@dataclass
class QPeople:
    db: Database
    withdrawal: Withdrawal

    def personal(self) -> Personal:
        return Personal(ABOUT, self.export, self.withdrawal.steps(), self.obstacles)

    async def obstacles(self, person: Person) -> Sequence[Obstacle]:
        user = await self.db.get(users(person.user_id).consistent())
        return [Obstacle(_ADMINS_STAY, "/admin")] if user is not None and user.is_admin else []

    async def export(self, person: Person) -> AsyncIterator[Exported]:
        user = await self.db.get(users(person.user_id).consistent())
        if user is None:
            return
        yield "profile.json", as_data(user)
        for name, query in self._queries(person.user_id).items():
            rows = [as_data(row, *NOT_THEIRS.get(name, ())) async for row in self.db.each(query)]
            if rows:
                yield f"{name}.json", rows
        picture = await self.db.get(profile_images(person.user_id))
        if picture is not None:
            yield "picture.jpg", picture.content

    def _queries(self, user_id: str) -> dict[str, Query[Any]]:
        return {
            "answers": design.answers_of_user(user_id),
            "reactions": design.reactions_by(user_id),
            "following": design.following(user_id),
            "followers": design.followers_of(user_id),
            "requests": design.requests_of(user_id),
            "blocked": design.blocked(user_id),
            "muted": design.muted(user_id),
            "questions": design.questions_by(user_id),
            "votes": design.votes_of(user_id),
            "reports": design.reports_by(user_id),
            "devices": design.tokens_of(user_id),
            "decisions": design.decisions_about(user_id),
            "notices": design.notices_of(user_id),
            "invites": design.invites_of(user_id),
        }
