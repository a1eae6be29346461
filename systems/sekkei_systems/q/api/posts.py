"""The question, answers, the timeline, reactions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date

from starlette.requests import Request
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.runtime import days
from sekkei.web import Answer, Operations, PageOf, etag
from sekkei_systems.q.api import shapes
from sekkei_systems.q.api.shapes import (
    AnswerOut,
    AnswerPage,
    Digest,
    DigestAnswer,
    Id,
    LookBack,
    Memory,
    NewAnswer,
    NewReaction,
    Paging,
    QuestionOut,
    Reactor,
    TimelineOut,
    TimelinePaging,
    Today,
)
from sekkei_systems.q.design import models as stored
from sekkei_systems.q.rules import times
from sekkei_systems.q.service.access import Author, Member
from sekkei_systems.q.service.answers import Answers
from sekkei_systems.q.service.reactions import Reactions, reaction_of
from sekkei_systems.q.service.timeline import Timelines

operations = Operations()


@dataclass
class Shown:
    """Answers and questions as a viewer is shown them at this moment."""

    clock: Clock

    def answer(self, one: stored.Answer, viewer: str) -> AnswerOut:
        return shapes.answer(one, viewer, days.now(self.clock), times.UNDO.total_seconds())

    def question(self, row: stored.DailyQuestion) -> QuestionOut:
        assert row.published_at is not None
        return shapes.question(row, row.published_at + times.ON_TIME)


@operations.get("/today", summary="The open question, and one's answer to it", tag="answers")
async def today(request: Request, member: Member, answers: Answers, shown: Shown) -> Answer[Today]:
    found = await answers.today(member)
    answer = None if found.answer is None else shown.answer(found.answer, member.id)
    body = Today(question=shown.question(found.question), answer=answer)
    version = hashlib.sha256(repr(body).encode()).hexdigest()[:16]  # of all that is said: undoing ends by itself
    if request.headers.get("if-none-match") == etag(version):
        return Response(None, 304, {"ETag": etag(version)})  # type: ignore[return-value]
    return Answer(body, etag=version)


@operations.get("/timeline", summary="What those whom one follows have answered", tag="answers")
async def timeline(member: Member, timelines: Timelines, shown: Shown, query: TimelinePaging) -> TimelineOut:
    """On time first, then the earlier one. Locked while one wants to answer first and has not."""
    found = await timelines.show(member, query.after, query.limit)
    return TimelineOut(
        question=shown.question(found.question),
        items=[shapes.post(one, shown.answer(one.answer, member.id), member.id) for one in found.entries],
        total=found.total,
        more=found.more,
        locked=found.locked,
        cursor=found.cursor,
    )


@operations.get("/me/look-back", summary="Days in a row, and a year ago", tag="answers")
async def look_back(member: Member, answers: Answers, shown: Shown) -> LookBack:
    found = await answers.look_back(member)
    before = found.year_ago
    memory = None if before is None else shapes.memory(before, shown.answer(before.answer, member.id))
    return LookBack(streak=found.streak, year_ago=memory)


@operations.get("/me/digest", summary="The reactions of the last seven days", tag="answers")
async def digest(member: Member, reactions: Reactions, shown: Shown) -> Digest:
    found = await reactions.digest(member)
    return Digest(
        since=found.since,
        until=found.until,
        total=found.total,
        counts=shapes.counts(found.counts),
        answers=[
            DigestAnswer(
                question=one.question_text, answer=shown.answer(one.answer, member.id), counts=shapes.counts(got)
            )
            for one, got in found.answers
        ],
    )


@operations.post("/answers", summary="Answer the open question", status=201, tag="answers")
async def post_answer(author: Author, answers: Answers, shown: Shown, body: NewAnswer) -> AnswerOut:
    """Once. `date` says which question was on the screen, and is refused when another one is out."""
    return shown.answer(await answers.answer(author, body.text, body.date), author.id)


@operations.get("/users/{user_id}/answers", summary="Somebody's answers, newest first", tag="answers")
async def history(member: Member, answers: Answers, shown: Shown, user_id: Id, query: Paging) -> PageOf[Memory]:
    page = await answers.history(member, user_id, query.after)
    return PageOf([shapes.memory(one, shown.answer(one.answer, member.id)) for one in page], page.cursor)


@operations.get("/answers/{day}/{user_id}", summary="One answer", tag="answers")
async def show_answer(
    member: Member, answers: Answers, reactions: Reactions, shown: Shown, day: date, user_id: Id
) -> AnswerPage:
    answer, author, text = await answers.show(member, day, user_id)
    (summary,) = await reactions.summaries(member.id, [answer])
    return AnswerPage(
        question=text,
        answer=shown.answer(answer, member.id),
        author=shapes.person(member.id, author, None),
        reactions=shapes.reactions(summary),
    )


@operations.delete("/answers/{day}", summary="Delete one's answer", status=200, tag="answers")
async def delete_answer(member: Member, answers: Answers, shown: Shown, day: date) -> AnswerOut:
    """It cannot be answered again, but for half an hour the deletion can be undone."""
    return shown.answer(await answers.delete(member, day), member.id)


@operations.post("/answers/{day}/restore", summary="Undo the deletion", tag="answers")
async def restore_answer(member: Member, answers: Answers, shown: Shown, day: date) -> AnswerOut:
    return shown.answer(await answers.restore(member, day), member.id)


@operations.get("/answers/{day}/{user_id}/reactions", summary="Who reacted", tag="answers")
async def reactors(member: Member, reactions: Reactions, day: date, user_id: Id) -> list[Reactor]:
    found = await reactions.of(member, day, user_id)
    return [
        Reactor(reaction=one.reaction_type.value, user=shapes.person(member.id, by, None), created_at=one.created_at)
        for one, by in found
    ]


@operations.put("/answers/{day}/{user_id}/reaction", summary="React, or change it", tag="answers")
async def react(member: Member, reactions: Reactions, day: date, user_id: Id, body: NewReaction) -> shapes.Reactions:
    kind = reaction_of(body.reaction)
    return shapes.reactions(await reactions.react(member, day, user_id, kind))


@operations.delete("/answers/{day}/{user_id}/reaction", summary="Take a reaction back", status=200, tag="answers")
async def take_back(member: Member, reactions: Reactions, day: date, user_id: Id) -> shapes.Reactions:
    return shapes.reactions(await reactions.take_back(member, day, user_id))
