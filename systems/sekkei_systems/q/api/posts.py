"""The question, answers, the timeline, reactions."""

from __future__ import annotations

from datetime import date

from starlette.requests import Request
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.runtime import days
from sekkei.web import Answer, Api, PageOf, User, etag
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
    Reactions,
    Reactor,
    TimelineOut,
    TimelinePaging,
    Today,
)
from sekkei_systems.q.design import models as stored
from sekkei_systems.q.rules import times
from sekkei_systems.q.service import Service
from sekkei_systems.q.service.reactions import reaction_of


class Shown:
    """Answers and questions as a viewer is shown them at this moment."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def answer(self, one: stored.Answer, viewer: str) -> AnswerOut:
        return shapes.answer(one, viewer, days.now(self._clock), times.UNDO.total_seconds())

    def question(self, row: stored.DailyQuestion) -> QuestionOut:
        assert row.published_at is not None
        return shapes.question(row, row.published_at + times.ON_TIME)


def declare(api: Api, service: Service, clock: Clock) -> None:
    shown = Shown(clock)
    _today(api, service, shown)
    _answers(api, service, shown)
    _reactions(api, service)


def _today(api: Api, service: Service, shown: Shown) -> None:
    @api.get("/today", summary="The open question, and one's answer to it", tag="answers")
    async def today(request: Request, user: User) -> Answer[Today]:
        found = await service.answers.today(await service.access.member(user.id))
        mine = found.answer
        version = f"{found.question.day}-{'none' if mine is None else f'{mine.is_deleted}-{mine.is_flagged}'}"
        if request.headers.get("if-none-match") == etag(version):
            return Response(None, 304, {"ETag": etag(version)})  # type: ignore[return-value]
        answer = None if mine is None else shown.answer(mine, user.id)
        return Answer(Today(question=shown.question(found.question), answer=answer), etag=version)

    @api.get("/timeline", summary="What those whom one follows have answered", tag="answers")
    async def timeline(user: User, query: TimelinePaging) -> TimelineOut:
        """On time first, then the earlier one. Locked while one wants to answer first and has not."""
        found = await service.timelines.show(await service.access.member(user.id), query.after, query.limit)
        return TimelineOut(
            question=shown.question(found.question),
            items=[shapes.post(one, shown.answer(one.answer, user.id), user.id) for one in found.entries],
            total=found.total,
            locked=found.locked,
            cursor=found.cursor,
        )

    @api.get("/me/look-back", summary="Days in a row, and a year ago", tag="answers")
    async def look_back(user: User) -> LookBack:
        found = await service.answers.look_back(await service.access.member(user.id))
        before = found.year_ago
        memory = None if before is None else shapes.memory(before, shown.answer(before.answer, user.id))
        return LookBack(streak=found.streak, year_ago=memory)

    @api.get("/me/digest", summary="The reactions of the last seven days", tag="answers")
    async def digest(user: User) -> Digest:
        found = await service.reactions.digest(await service.access.member(user.id))
        return Digest(
            since=found.since,
            until=found.until,
            total=found.total,
            counts=shapes.counts(found.counts),
            answers=[
                DigestAnswer(
                    question=one.question_text, answer=shown.answer(one.answer, user.id), counts=shapes.counts(got)
                )
                for one, got in found.answers
            ],
        )


def _answers(api: Api, service: Service, shown: Shown) -> None:
    @api.post("/answers", summary="Answer the open question", status=201, tag="answers")
    async def post_answer(user: User, body: NewAnswer) -> AnswerOut:
        """Once. `date` says which question was on the screen, and is refused when another one is out."""
        return shown.answer(
            await service.answers.answer(await service.access.author(user.id), body.text, body.date), user.id
        )

    @api.get("/users/{user_id}/answers", summary="Somebody's answers, newest first", tag="answers")
    async def history(user: User, user_id: Id, query: Paging) -> PageOf[Memory]:
        page = await service.answers.history(await service.access.member(user.id), user_id, query.after)
        return PageOf([shapes.memory(one, shown.answer(one.answer, user.id)) for one in page], page.cursor)

    @api.get("/answers/{day}/{user_id}", summary="One answer", tag="answers")
    async def show_answer(user: User, day: date, user_id: Id) -> AnswerPage:
        answer, author, text = await service.answers.show(await service.access.member(user.id), day, user_id)
        (summary,) = await service.reactions.summaries(user.id, [answer])
        return AnswerPage(
            question=text,
            answer=shown.answer(answer, user.id),
            author=shapes.person(user.id, author, None),
            reactions=shapes.reactions(summary),
        )

    @api.delete("/answers/{day}", summary="Delete one's answer", status=200, tag="answers")
    async def delete_answer(user: User, day: date) -> AnswerOut:
        """It cannot be answered again, but for half an hour the deletion can be undone."""
        return shown.answer(await service.answers.delete(await service.access.member(user.id), day), user.id)

    @api.post("/answers/{day}/restore", summary="Undo the deletion", tag="answers")
    async def restore_answer(user: User, day: date) -> AnswerOut:
        return shown.answer(await service.answers.restore(await service.access.member(user.id), day), user.id)


def _reactions(api: Api, service: Service) -> None:
    @api.get("/answers/{day}/{user_id}/reactions", summary="Who reacted", tag="answers")
    async def reactors(user: User, day: date, user_id: Id) -> list[Reactor]:
        found = await service.reactions.of(await service.access.member(user.id), day, user_id)
        return [
            Reactor(reaction=one.reaction_type.value, user=shapes.person(user.id, by, None), created_at=one.created_at)
            for one, by in found
        ]

    @api.put("/answers/{day}/{user_id}/reaction", summary="React, or change it", tag="answers")
    async def react(user: User, day: date, user_id: Id, body: NewReaction) -> Reactions:
        kind = reaction_of(body.reaction)
        return shapes.reactions(await service.reactions.react(await service.access.member(user.id), day, user_id, kind))

    @api.delete("/answers/{day}/{user_id}/reaction", summary="Take a reaction back", status=200, tag="answers")
    async def take_back(user: User, day: date, user_id: Id) -> Reactions:
        return shapes.reactions(await service.reactions.take_back(await service.access.member(user.id), day, user_id))
