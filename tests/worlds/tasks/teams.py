"""What people do with teams, invitations and their accounts: found and delete, revoke and send again, leave."""

from __future__ import annotations

import asyncio
from typing import Any

from sekkei.worlds import Person
from sekkei.worlds.promises import noting, refused
from sekkei_systems.tasks.design import Comment, Invitation, Role, Team, TeamUser
from tests.worlds.tasks.people import TABLE, WORLD, accept, api, invitations, outsiders, somebody, user_of

INVITATIONS = "task-table-invitation-v3"
THINKING_SECONDS = 4.0
"""In which a mail arrives, as often as not."""
ALIKE = {"name": "Ours", "key": None}
IN_A_TEAM: tuple[tuple[str, str, Any], ...] = (
    ("GET", "/tasks", None),
    ("GET", "/trash", None),
    ("GET", "/tags", None),
    ("POST", "/tasks", {"title": "theirs"}),
    ("POST", "/views", {"name": "A view", "place": "list", "query": "assignee=me"}),
    ("PUT", "", ALIKE),
    ("DELETE", "", None),
)
OF_ADMINS: tuple[tuple[str, str, Any], ...] = (
    ("GET", "/invitations", None),
    ("POST", "/invitations", {"email": "guest-4@example.com", "role": "admin"}),
    ("POST", "/tags", {"name": "tag 100", "color": "#2563eb"}),
    ("PUT", "", ALIKE),
    ("DELETE", "", None),
)


async def _found(me: Person) -> int:
    made = await me.json("POST", "/tasks/api/teams", {"name": f"Side {me.asker.name}"})
    if made.status == 201:
        me.memory["team"] = made.json()["id"]
    return made.status


@WORLD.does("member", 0.5)
async def founds_a_team(me: Person) -> str:
    """And asks somebody in."""
    status = await _found(me)
    other = await somebody(me)
    body = {"email": f"{other.name}@example.com", "role": "admin"}
    reply = await me.json("POST", api(me, "/invitations"), body)
    return f"founds a team, inviting: {reply.status if status == 201 else status}"


@WORLD.does("member", 1.5)
async def goes_to_another_team(me: Person) -> str:
    """To the first, as often as not: that is where the others are. Whoever is in none founds one."""
    reply = await me.json("GET", "/tasks/api/teams")
    if reply.status == 401:  # they left, and did not hear of it
        await me.sign_in(f"{me.name}@example.com")
    found = [each["id"] for each in reply.json()["items"]] if reply.status == 200 else []
    if not found:
        return f"has no team, founds one: {await _found(me)}"
    home = me.world.people[0].memory.get("first")
    me.memory["team"] = home if home in found and me.dice.chance(0.5) else me.dice.choice(sorted(found))
    return f"goes to another team: {reply.status}"


@WORLD.does("member", 0.5)
async def renames_the_team(me: Person) -> str:
    body = {"name": f"Name {me.dice.randint(1, 9)}", "key": me.dice.choice(["DEV", "OPS", None])}
    return f"renames the team: {(await me.json('PUT', api(me), body)).status}"


@WORLD.does("member", 0.8)
async def deletes_the_team(me: Person) -> str | None:
    """The first seldom: most of what people do, they do there."""
    if me.memory["team"] == me.world.people[0].memory.get("first") and me.dice.chance(0.8):
        return None
    return f"deletes the team: {(await me.json('DELETE', api(me))).status}"


# Invitations


async def _open_invitation(me: Person) -> dict[str, Any] | None:
    """One that is open; a new one to a guest, if there is none."""
    reply = await me.json("GET", api(me, "/invitations"))
    found = reply.json()["items"] if reply.status == 200 else []
    if found:
        chosen: dict[str, Any] = me.dice.choice(found)
        return chosen
    body = {"email": f"guest-{me.dice.randint(1, 3)}@example.com", "role": "member"}
    made = await me.json("POST", api(me, "/invitations"), body)
    return made.json() if made.status == 201 else None


@WORLD.does("member", 0.7)
async def revokes_an_invitation(me: Person) -> str | None:
    found = await _open_invitation(me)
    if found is None:
        return None
    reply = await me.json("DELETE", api(me, f"/invitations/{found['id']}"))
    if reply.status < 300:
        me.world.given.setdefault("revoked", set()).add(found["id"])
    return f"revokes an invitation: {reply.status}"


@WORLD.does("member", 0.7)
async def sends_an_invitation_again(me: Person) -> str | None:
    found = await _open_invitation(me)
    if found is None:
        return None
    reply = await me.json("POST", api(me, f"/invitations/{found['id']}/again"))
    return f"sends an invitation again: {reply.status}"


@WORLD.does("member", 1)
async def invites_and_thinks_better_of_it(me: Person) -> str | None:
    """Somebody who may follow the mail in that very moment; where everybody is in, they found a team."""
    if not outsiders(me):
        await _found(me)
    outside = outsiders(me)
    other = me.dice.choice(outside) if outside else await somebody(me)
    made = await me.json("POST", api(me, "/invitations"), {"email": f"{other.name}@example.com", "role": "admin"})
    if made.status != 201:
        return f"does not invite {other.name}: {made.status}"
    id = made.json()["id"]
    await asyncio.sleep(me.dice.uniform(0.0, THINKING_SECONDS))
    reply = await me.json("DELETE", api(me, f"/invitations/{id}"))
    if reply.status < 300:
        me.world.given.setdefault("revoked", set()).add(id)
    return f"invites {other.name} and revokes it: {reply.status}"


@WORLD.does("member", 1.5)
async def follows_an_invitation(me: Person) -> str | None:
    """The newest; or, as often, one that was revoked, if they have one."""
    vain = await follows_what_was_revoked(me) if me.dice.chance(0.5) else None
    if vain is not None:
        return vain
    reply = await accept(me)
    return None if reply is None else f"follows the newest invitation: {reply.status}"


@WORLD.does("member", 0.5)
async def follows_what_was_revoked(me: Person) -> str | None:
    """In vain, unless they are in the team already, or another invitation of theirs is open there."""
    revoked, user = me.world.given.get("revoked", ()), user_of(me)
    found = next((each for each in invitations(me) if each[1] in revoked), None)
    if found is None or user is None:
        return None
    team_id, invite_id, token = found
    outside = not _is_member(me, team_id, user.user_id) and not _is_invited(me, team_id, besides=invite_id)
    reply = await me.json("POST", f"/tasks/api/invitations/{team_id}/{invite_id}/accept", {"token": token})
    inside = _is_member(me, team_id, user.user_id)
    assert not (outside and inside and reply.status == 200), "a revoked invitation was good"
    return f"follows what was revoked: {reply.status}"


def _is_member(me: Person, team_id: str, user_id: str, role: Role | None = None) -> bool:
    """Of that role, or of any."""
    rows = (each for each in me.world.decoded(TABLE) if isinstance(each, TeamUser))
    found = (each for each in rows if (each.team_id, each.user_id) == (team_id, user_id))
    return any(role is None or each.role is role for each in found)


def _is_invited(me: Person, team_id: str, besides: str) -> bool:
    rows = (each for each in me.world.decoded(INVITATIONS) if isinstance(each, Invitation))
    others = (each for each in rows if each.invite_id != besides)
    return any((each.team_id, each.email) == (team_id, f"{me.name}@example.com") for each in others)


# Others'


@WORLD.does("member", 1)
async def tries_what_is_not_theirs(me: Person) -> str:
    """In a team that they are not in, with a comment of somebody else, or as a member what admins do; in vain, unless
    they may at some moment of it."""
    ways = [_rules_as_a_member, _takes_a_comment_of_another, _enters_where_they_are_not]
    for way in me.dice.sample(ways, len(ways)):
        said = await way(me)
        if said is not None:
            return said
    return f"founds a team that is not for the others: {await _found(me)}"


async def _enters_where_they_are_not(me: Person) -> str | None:
    user, teams = user_of(me), [one for one in me.world.decoded(TABLE) if isinstance(one, Team)]
    strange = [one.team_id for one in teams if user and not _is_member(me, one.team_id, user.user_id)]
    if user is None or not strange:
        return None
    team = me.dice.choice(sorted(strange))
    method, path, body = me.dice.choice(IN_A_TEAM)
    with noting(me.world, lambda: _is_member(me, team, user.user_id)) as inside:
        reply = await me.json(method, f"/tasks/api/teams/{team}{path}", body)
    if not inside():
        refused(reply, f"{me.name} is not in a team, and does {method} {path}")
    return f"tries {method} {path or 'the team'} where they are not: {reply.status}"


async def _takes_a_comment_of_another(me: Person) -> str | None:
    user, team = user_of(me), me.memory["team"]
    rows = [one for one in me.world.decoded(TABLE) if isinstance(one, Comment) and one.team_id == team]
    others = [one for one in rows if user and one.author != user.user_id]
    if not others:
        return None
    one = me.dice.choice(others)
    method, body = me.dice.choice((("PUT", {"text": "better"}), ("DELETE", None)))
    reply = await me.json(method, api(me, f"/tasks/{one.task_id}/comments/{one.comment_id}"), body)
    refused(reply, f"{me.name} takes a comment of somebody else by {method}")
    return f"tries {method} with a comment of another: {reply.status}"


async def _rules_as_a_member(me: Person) -> str | None:
    user, team = user_of(me), me.memory["team"]
    if user is None or _is_member(me, team, user.user_id, Role.ADMIN):
        return None
    method, path, body = me.dice.choice(OF_ADMINS)
    with noting(me.world, lambda: _is_member(me, team, user.user_id, Role.ADMIN)) as admin:
        reply = await me.json(method, api(me, path), body)
    if not admin():
        refused(reply, f"{me.name} is no admin, and does {method} {path}")
    return f"tries {method} {path or 'the team'} as a member: {reply.status}"


# One's own


@WORLD.does("member", 0.4)
async def reads_their_notes(me: Person) -> str:
    shown = await me.get("/tasks/notes")
    if shown.status != 200:
        return f"sees no notes: {shown.status}"
    return f"reads their notes: {(await me.json('POST', '/tasks/api/notes/read', {})).status}"


@WORLD.does("member", 0.5)
async def saves_a_view(me: Person) -> str:
    """Of the tasks of somebody."""
    user = user_of(await somebody(me))
    body = {"name": "A view", "place": "list", "query": f"assignee={user.user_id if user else 'me'}"}
    return f"saves a view: {(await me.json('POST', api(me, '/views'), body)).status}"


@WORLD.does("member", 0.4)
async def leaves_with_the_account(me: Person) -> str:
    """And comes back as somebody new, with the same address."""
    await me.sign_in(f"{me.name}@example.com")  # nobody leaves by a session of long ago
    account = _account(me)
    reply = await me.post("/account/leave", {"sure": "on"})
    if _account(me) == account or account is None:
        return f"may not leave with the account: {reply.status}"
    me.world.given.setdefault("left", set()).add(account)
    await me.sign_in(f"{me.name}@example.com")
    return f"leaves with the account: {reply.status}"


def _account(me: Person) -> str | None:
    theirs = [row for row in me.world.items("sekkei-web") if row.get("email") == {"S": f"{me.name}@example.com"}]
    return theirs[0]["PK"]["S"].partition("#")[2] if theirs else None
