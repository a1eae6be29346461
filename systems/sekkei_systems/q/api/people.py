"""Other people: finding, following, blocking, their lists; and reports about them."""

from __future__ import annotations

from dataclasses import replace

from starlette.requests import Request

from sekkei.web import Api, PageOf, Rate, User, limit
from sekkei_systems.q.api import shapes
from sekkei_systems.q.api.shapes import (
    Candidate,
    FollowOutcome,
    Id,
    NewQuestion,
    NewReport,
    Paging,
    Person,
    Search,
    SentQuestion,
)
from sekkei_systems.q.service import Service

SEARCHES = Rate.per_minute(60)
REPORTS = Rate.per_hour(60)


def declare(api: Api, service: Service) -> None:
    _finding(api, service)
    _following(api, service)
    _telling(api, service)


def _finding(api: Api, service: Service) -> None:
    @api.get("/users", summary="Find somebody by their ID", tag="people")
    async def find(request: Request, user: User, query: Search) -> Person:
        limit(request, SEARCHES, "q-search")  # so that nobody reads the list of all users this way
        found, relation = await service.people.find(await service.access.member(user.id), query.app_id)
        asked, muted = await service.graph.standing(await service.access.member(user.id), found.user_id)
        return shapes.person(user.id, found, replace(relation, mutes=muted), asked)

    @api.get("/users/{user_id}", summary="Somebody's profile", tag="people")
    async def show_user(user: User, user_id: Id) -> Person:
        found, relation = await service.people.show(await service.access.member(user.id), user_id)
        asked, muted = await service.graph.standing(await service.access.member(user.id), user_id)
        return shapes.person(user.id, found, replace(relation, mutes=muted), asked)

    @api.get("/users/{user_id}/following", summary="Whom somebody follows", tag="people")
    async def following(user: User, user_id: Id, query: Paging) -> PageOf[Person]:
        page = await service.graph.following(await service.access.member(user.id), user_id, query.after)
        return PageOf([shapes.card(user.id, one) for one in page], page.cursor)

    @api.get("/users/{user_id}/followers", summary="Who follows somebody", tag="people")
    async def followers(user: User, user_id: Id, query: Paging) -> PageOf[Person]:
        page = await service.graph.followers(await service.access.member(user.id), user_id, query.after)
        return PageOf([shapes.card(user.id, one) for one in page], page.cursor)


def _following(api: Api, service: Service) -> None:
    @api.put("/users/{user_id}/follow", summary="Follow, or ask to", tag="people")
    async def follow(user: User, user_id: Id) -> FollowOutcome:
        return FollowOutcome(outcome=await service.graph.follow(await service.access.member(user.id), user_id))

    @api.delete("/users/{user_id}/follow", summary="Stop following, or asking", tag="people")
    async def unfollow(user: User, user_id: Id) -> None:
        await service.graph.unfollow(await service.access.member(user.id), user_id)

    @api.put("/users/{user_id}/block", summary="Block", status=204, tag="people")
    async def block(user: User, user_id: Id) -> None:
        """Ends the follows of both sides; neither sees anything of the other any more."""
        await service.graph.block(await service.access.member(user.id), user_id)

    @api.delete("/users/{user_id}/block", summary="End a block", tag="people")
    async def unblock(user: User, user_id: Id) -> None:
        await service.graph.unblock(await service.access.member(user.id), user_id)

    @api.put("/users/{user_id}/mute", summary="Mute", status=204, tag="people")
    async def mute(user: User, user_id: Id) -> None:
        """Out of one's timeline and pushes; everything else stays, and they never learn of it."""
        await service.graph.mute(await service.access.member(user.id), user_id)

    @api.delete("/users/{user_id}/mute", summary="End a mute", tag="people")
    async def unmute(user: User, user_id: Id) -> None:
        await service.graph.unmute(await service.access.member(user.id), user_id)


def _telling(api: Api, service: Service) -> None:
    @api.post("/reports", summary="Report a user or an answer", status=204, tag="reports")
    async def report(request: Request, user: User, body: NewReport) -> None:
        """An answer's id is its date, `#` and its author's id."""
        limit(request, REPORTS, "q-report")
        await service.reports.send(
            await service.access.member(user.id), body.target_type, body.target_id, body.category, body.description
        )

    @api.post("/questions", summary="Propose a question, one a day", status=201, tag="questions")
    async def propose(user: User, body: NewQuestion) -> SentQuestion:
        return shapes.sent_question(await service.submissions.submit(await service.access.author(user.id), body.text))

    @api.get("/questions/candidates", summary="Proposals to vote for", tag="questions")
    async def candidates(user: User) -> list[Candidate]:
        """Approved ones that were not asked yet. Those with more votes are drawn more often."""
        return [
            shapes.candidate(one, mine)
            for one, mine in await service.submissions.candidates(await service.access.member(user.id))
        ]

    @api.put("/questions/{question_id}/vote", summary="Vote for a proposal", tag="questions")
    async def vote(user: User, question_id: Id) -> Candidate:
        return shapes.candidate(await service.submissions.vote(await service.access.member(user.id), question_id), True)

    @api.delete("/questions/{question_id}/vote", summary="Take the vote back", status=200, tag="questions")
    async def unvote(user: User, question_id: Id) -> Candidate:
        return shapes.candidate(
            await service.submissions.unvote(await service.access.member(user.id), question_id), False
        )
