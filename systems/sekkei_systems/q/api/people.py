"""Other people: finding, following, blocking, their lists; and reports about them."""

from __future__ import annotations

from dataclasses import replace

from starlette.requests import Request

from sekkei.runtime.settings import Settings
from sekkei.web import Operations, PageOf, Rate, limit
from sekkei_systems.q.api import shapes
from sekkei_systems.q.api.shapes import (
    Addresses,
    Candidate,
    Findable,
    FollowOutcome,
    Id,
    InviteOut,
    NewQuestion,
    NewReport,
    Paging,
    Person,
    Search,
    SentQuestion,
    Suggested,
)
from sekkei_systems.q.design.models import Invite
from sekkei_systems.q.service.access import Author, Member
from sekkei_systems.q.service.cases import Reports
from sekkei_systems.q.service.finding import Contacts, Invites, Suggestions
from sekkei_systems.q.service.following import Following
from sekkei_systems.q.service.people import People
from sekkei_systems.q.service.questions import Submissions

_SEARCHES = Rate.per_minute(60)

_REPORTS = Rate.per_hour(60)
FOLLOWS = Rate.per_hour(60)

operations = Operations()


@operations.get("/users", summary="Find somebody by their ID", tag="people")
async def find(request: Request, member: Member, people: People, following: Following, query: Search) -> Person:
    limit(request, _SEARCHES, "q-search")  # so that nobody reads the list of all users this way
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
    limit(request, _REPORTS, "q-report")
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


# How people find each other: friends of friends, links that invite, addresses that both agreed to.


_INVITES = Rate.per_hour(20)
TAKEN = Rate.per_hour(30)


@operations.get("/me/suggestions", summary="Friends of friends", tag="people")
async def suggestions(member: Member, suggestions: Suggestions) -> list[Suggested]:
    """Those whom some of one's own circle follow. Nobody who blocks one or is blocked, no matter who follows them."""
    found = await suggestions.show(member)
    return [Suggested(shapes.card(member.id, one.card), one.through) for one in found]


@operations.get("/me/invites", summary="One's links that invite", tag="people")
async def my_invites(member: Member, invites: Invites) -> list[InviteOut]:
    return [_out(one) for one in await invites.mine(member)]


@operations.post("/me/invites", summary="Make a link that invites", status=201, tag="people")
async def make_invite(request: Request, author: Author, invites: Invites, settings: Settings) -> InviteOut:
    """Whoever takes it and its maker follow each other. Good for two weeks and twenty people."""
    limit(request, _INVITES, "q-invite")
    token, made = await invites.make(author)
    return _out(made, f"{settings.public_url}/q/i/{token}")


@operations.delete("/me/invites/{invite_id}", summary="Take a link back", tag="people")
async def end_invite(member: Member, invites: Invites, invite_id: Id) -> None:
    await invites.end(member, invite_id)


@operations.get("/invites/{token}", summary="Who invites", tag="people")
async def open_invite(request: Request, member: Member, invites: Invites, token: Id) -> Person:
    limit(request, TAKEN, "q-invited")
    found = await invites.open(member, token)
    return shapes.person(member.id, found.inviter, found.relation)


@operations.post("/invites/{token}", summary="Take an invite", status=200, tag="people")
async def take_invite(request: Request, member: Member, invites: Invites, token: Id) -> FollowOutcome:
    """Both follow each other; a private account is asked instead."""
    limit(request, TAKEN, "q-take-invite")
    return FollowOutcome(outcome=await invites.take(member, token))


@operations.put("/me/findable", summary="Be found by one's address, or not", status=204, tag="people")
async def be_findable(member: Member, contacts: Contacts, body: Findable) -> None:
    await contacts.be_findable(member, body.findable)


@operations.post("/me/contacts", summary="Find people by addresses one knows", status=200, tag="people")
async def find_contacts(member: Member, contacts: Contacts, body: Addresses) -> list[Person]:
    """Only those who want to be found, and only for those who want it too. 200 addresses a day."""
    return [shapes.card(member.id, one) for one in await contacts.find(member, body.hashes)]


def _out(one: Invite, url: str | None = None) -> InviteOut:
    return InviteOut(one.invite_id, one.expires_at, one.uses_left, url)
