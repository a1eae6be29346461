"""How people find each other: friends of friends, links that invite, addresses that both agreed to."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.runtime.settings import Settings
from sekkei.web import Operations, Rate, limit
from sekkei_systems.q.api import shapes
from sekkei_systems.q.api.shapes import Addresses, Findable, FollowOutcome, Id, InviteOut, Person, Suggested
from sekkei_systems.q.design.models import Invite
from sekkei_systems.q.service.access import Author, Member
from sekkei_systems.q.service.finding import Contacts, Invites, Suggestions

INVITES = Rate.per_hour(20)
TAKEN = Rate.per_hour(30)

operations = Operations()


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
    limit(request, INVITES, "q-invite")
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
