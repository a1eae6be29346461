"""Other people: finding, following, blocking, their lists; and reports about them."""

from __future__ import annotations

from dataclasses import replace

from starlette.requests import Request

from sekkei.web import Operations, PageOf, Rate, limit
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
from sekkei_systems.q.service.access import Author, Member
from sekkei_systems.q.service.cases import Reports
from sekkei_systems.q.service.following import Following
from sekkei_systems.q.service.people import People
from sekkei_systems.q.service.questions import Submissions

SEARCHES = Rate.per_minute(60)

REPORTS = Rate.per_hour(60)
FOLLOWS = Rate.per_hour(60)

operations = Operations()


@operations.get("/users", summary="Find somebody by their ID", tag="people")
async def find(request: Request, member: Member, people: People, following: Following, query: Search) -> Person:
    limit(request, SEARCHES, "q-search")  # so that nobody reads the list of all users this way
    found, relation = await people.find(member, query.app_id)
    asked, muted = await following.standing(member, found.user_id)
    return shapes.person(member.id, found, replace(relation, mutes=muted), asked)


@operations.get("/users/{user_id}", summary="Somebody's profile", tag="people")
async def show_user(member: Member, people: People, following: Following, user_id: Id) -> Person:
    found, relation = await people.show(member, user_id)
    asked, muted = await following.standing(member, user_id)
    return shapes.person(member.id, found, replace(relation, mutes=muted), asked)


@operations.get("/users/{user_id}/following", summary="Whom somebody follows", tag="people")
async def following(member: Member, following: Following, user_id: Id, query: Paging) -> PageOf[Person]:
    page = await following.following(member, user_id, query.after)
    return PageOf([shapes.card(member.id, one) for one in page], page.cursor)


@operations.get("/users/{user_id}/followers", summary="Who follows somebody", tag="people")
async def followers(member: Member, following: Following, user_id: Id, query: Paging) -> PageOf[Person]:
    page = await following.followers(member, user_id, query.after)
    return PageOf([shapes.card(member.id, one) for one in page], page.cursor)


@operations.put("/users/{user_id}/follow", summary="Follow, or ask to", tag="people")
async def follow(request: Request, member: Member, following: Following, user_id: Id) -> FollowOutcome:
    limit(request, FOLLOWS, "q-follow")
    return FollowOutcome(outcome=await following.follow(member, user_id))


@operations.delete("/users/{user_id}/follow", summary="Stop following, or asking", tag="people")
async def unfollow(member: Member, following: Following, user_id: Id) -> None:
    await following.unfollow(member, user_id)


@operations.put("/users/{user_id}/block", summary="Block", status=204, tag="people")
async def block(member: Member, following: Following, user_id: Id) -> None:
    """Ends the follows of both sides; neither sees anything of the other any more."""
    await following.block(member, user_id)


@operations.delete("/users/{user_id}/block", summary="End a block", tag="people")
async def unblock(member: Member, following: Following, user_id: Id) -> None:
    await following.unblock(member, user_id)


@operations.put("/users/{user_id}/mute", summary="Mute", status=204, tag="people")
async def mute(member: Member, following: Following, user_id: Id) -> None:
    """Out of one's timeline and pushes; everything else stays, and they never learn of it."""
    await following.mute(member, user_id)


@operations.delete("/users/{user_id}/mute", summary="End a mute", tag="people")
async def unmute(member: Member, following: Following, user_id: Id) -> None:
    await following.unmute(member, user_id)


@operations.post("/reports", summary="Report a user or an answer", status=204, tag="reports")
async def report(request: Request, member: Member, reports: Reports, body: NewReport) -> None:
    """An answer's id is its date, `#` and its author's id."""
    limit(request, REPORTS, "q-report")
    await reports.send(member, body.target_type, body.target_id, body.category, body.description)


@operations.post("/questions", summary="Propose a question, one a day", status=201, tag="questions")
async def propose(author: Author, submissions: Submissions, body: NewQuestion) -> SentQuestion:
    return shapes.sent_question(await submissions.submit(author, body.text))


@operations.get("/questions/candidates", summary="Proposals to vote for", tag="questions")
async def candidates(member: Member, submissions: Submissions) -> list[Candidate]:
    """Approved ones that were not asked yet. Those with more votes are drawn more often."""
    return [shapes.candidate(one, mine) for one, mine in await submissions.candidates(member)]


@operations.put("/questions/{question_id}/vote", summary="Vote for a proposal", tag="questions")
async def vote(member: Member, submissions: Submissions, question_id: Id) -> Candidate:
    return shapes.candidate(await submissions.vote(member, question_id), True)


@operations.delete("/questions/{question_id}/vote", summary="Take the vote back", status=200, tag="questions")
async def unvote(member: Member, submissions: Submissions, question_id: Id) -> Candidate:
    return shapes.candidate(await submissions.unvote(member, question_id), False)
