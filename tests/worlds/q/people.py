"""Q. in simulated time: people who follow, block, hide, answer, react, leave and come back, and one who bans them.

What they are shown is compared with `_Sight`, who may see what by the original document, written down a second time and
kept up to date with every commit. A request takes a while: what was to be seen at any moment of it may be shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from sekkei.worlds import Broken, Person, Script, World, promises
from sekkei.worlds.seam import STORM
from sekkei_fakes.expo import PATH, ExpoCounterpart, Phone
from sekkei_systems.q.design.models import (
    Answer,
    Decision,
    ReactionType,
    Report,
    ReportStatus,
    User,
)
from sekkei_systems.q.system import SYSTEM
from tests.worlds.q.hearing import hear

HOUR, DAY = 3600.0, 86400.0
EVENING = HOUR * 22 - 10
"""Ten seconds before the last minute in which a question comes out."""
QUESTION_SECONDS = 120
API = "/q/api"
EXPO_TOKEN = "expo-token"

WORLD = Script(
    "q",
    [SYSTEM],
    seconds=36.0,
    settle_seconds=100.0,
    starts=(EVENING,),
    rests=(DAY * 8, HOUR),
    settings={"expo_url": f"https://exp.host{PATH}", "expo_token": EXPO_TOKEN},
)


# Sight


@dataclass
class _Sight:
    """Until when somebody could see something; for ever as long as they can."""

    until: dict[tuple[str, ...], float] = field(default_factory=dict)

    def look(self, world: World) -> None:
        now, can = world.loop.time(), set(_seen(world))
        for one in can:
            self.until[one] = float("inf")
        for one, until in self.until.items():
            if until == float("inf") and one not in can:
                self.until[one] = now

    def check(self, asked_at: float, shown: Iterable[tuple[str, ...]]) -> None:
        for one in shown:
            until = self.until.get(one, -1.0)
            if until < asked_at:
                since = "never" if until < 0 else f"until {asked_at - until:.3f} s before they asked"
                raise Broken("nobody_is_shown_what_sight_forbids", f"{' '.join(one)}: to be seen {since}")


def _seen(world: World) -> Iterable[tuple[str, ...]]:
    """Everything that somebody may see of somebody else now."""
    users: dict[str, User] = {one.user_id: one for one in world.decoded("Users")}
    follows = {(one.follower_id, one.followee_id) for one in world.decoded("Follows")}
    blocks = {(one.blocker_id, one.blocked_id) for one in world.decoded("Blocks")}
    muted = {(one.muter_id, one.muted_id) for one in world.decoded("Mutes")}
    answers: list[Answer] = list(world.decoded("Answers"))
    answered = {(one.day, one.user_id) for one in answers if not one.is_deleted}
    published = [one.day for one in world.decoded("DailyQuestions") if one.published_at is not None]
    newest = max(published, default=None)
    for viewer in users:
        for other, user in users.items():
            if viewer == other or user.is_banned or user.deleting_at is not None or (other, viewer) in blocks:
                continue
            yield "profile", viewer, other
            if (viewer, other) in blocks:
                continue
            yield "name", viewer, other
            if (viewer, other) not in muted:
                yield "heard", viewer, other
            if not user.is_private or (viewer, other) in follows:
                yield "bio", viewer, other
            mutual = (other, viewer) in follows or user.visibility_type.value == "followers"
            if (viewer, other) in follows and mutual:
                for one in (each for each in answers if each.user_id == other):
                    if one.day != newest or (one.day, viewer) in answered:
                        yield "answers", viewer, other, one.day.isoformat()
                        if not one.is_deleted and not one.is_flagged:
                            yield "answer", viewer, other, one.day.isoformat()


def _sight(world: World) -> _Sight:
    found: _Sight = world.given["sight"]
    return found


@WORLD.prepares
def begin_to_watch(world: World) -> None:
    world.given |= {"sight": _Sight(), "published": {}}


# Phones


@WORLD.prepares
def open_expo(world: World) -> None:
    expo = world.given["expo"] = world.internet.services["exp.host"] = ExpoCounterpart(world.clock, EXPO_TOKEN)
    expo.heard = lambda phone, message: hear(world, phone, message)
    world.given |= {"told_of_who_is_apart": [], "told_again": []}


def expo_of(world: World) -> ExpoCounterpart:
    found: ExpoCounterpart = world.given["expo"]
    return found


def phone_of(me: Person) -> Phone | None:
    return expo_of(me.world).phones.get(_token(me))


def _token(me: Person) -> str:
    return f"ExponentPushToken[{me.name}]"


async def _install(me: Person) -> int:
    """The app tells its token as soon as it is there."""
    phone = expo_of(me.world).install(_token(me))
    return (await me.json("PUT", f"{API}/me/devices", {"token": phone.token, "deviceType": "ios"})).status


@WORLD.always_in("Users", "Follows", "Blocks", "Mutes", "Answers", "DailyQuestions")
def nobody_is_shown_what_sight_forbids(world: World) -> None:
    """Remembers who may see what; those who look compare."""
    _sight(world).look(world)


# People


@WORLD.role(1)
async def keeper(me: Person) -> None:
    await _join(me)
    key = {"userId": {"S": me.memory["id"]}}
    made = {"UpdateExpression": "SET isAdmin = :yes", "ExpressionAttributeValues": {":yes": {"BOOL": True}}}
    me.world.truth.now("UpdateItem", {"TableName": me.world.table_name("Users"), "Key": key, **made})


@WORLD.role(4)
async def member(me: Person) -> None:
    """Everybody follows those who were here before them, and the first two follow back."""
    await _join(me)
    await me.json("PATCH", f"{API}/me", {"visibilityType": me.dice.choice(["mutual", "followers"]), "bio": "hello"})
    await _install(me)
    for other in _members(me):
        await me.json("PUT", f"{API}/users/{other.memory['id']}/follow")
        if me.dice.chance(0.5):
            await other.json("PUT", f"{API}/users/{me.memory['id']}/follow")
    if me.name.endswith("4"):
        await _until_there_is_a_question(me)
        for other in (me, *_members(me)):
            if me.dice.chance(0.8):
                await other.json("POST", f"{API}/answers", {"text": f"{other.name} says"})
        _sight(me.world).look(me.world)


async def _join(me: Person) -> None:
    await me.sign_in(f"{me.name}@example.com")
    joined = await me.json("POST", f"{API}/me", {"birthDate": "2000-01-01", "displayName": me.name})
    assert joined.status == 201, joined.text
    me.memory["id"] = joined.json()["userId"]
    chosen = await me.json("PUT", f"{API}/me/app-id", {"appId": me.name.replace("-", "_")})
    assert chosen.status == 200, chosen.text


async def _until_there_is_a_question(me: Person) -> None:
    for _ in range(QUESTION_SECONDS):
        if _open_day(me.world) is not None:
            return
        await asyncio.sleep(1)
    raise AssertionError("no question came out")


def _open_day(world: World) -> date | None:
    published = [one.day for one in world.decoded("DailyQuestions") if one.published_at is not None]
    return max(published, default=None)


def _members(me: Person) -> list[Person]:
    return [one for one in me.world.people if one.role == "member" and one is not me]


def _somebody(me: Person) -> tuple[str, str]:
    """Name and id."""
    other = me.dice.choice(_members(me))
    return other.name, other.memory["id"]


def _an_answer(me: Person) -> tuple[str, str]:
    """Of the newest question: name of its author, and its path. Mostly somebody who has answered."""
    day = _open_day(me.world)
    there = {one.user_id for one in me.world.decoded("Answers") if one.day == day}
    authors = [one for one in _members(me) if one.memory["id"] in there]
    other = me.dice.choice(authors if authors and me.dice.chance(0.9) else _members(me))
    return other.name, f"{API}/answers/{day}/{other.memory['id']}"


@WORLD.does("member", 3)
async def follows_somebody(me: Person) -> str | None:
    mine = {one.followee_id for one in me.world.decoded("Follows") if one.follower_id == me.memory["id"]}
    others = [one for one in _members(me) if one.memory["id"] not in mine]
    if not others:
        return None
    chosen = me.dice.choice(others)
    name, other = chosen.name, chosen.memory["id"]
    return f"follows {name}: {(await me.json('PUT', f'{API}/users/{other}/follow')).status}"


@WORLD.does("member", 2)
async def follows_no_longer(me: Person) -> str:
    name, other = _somebody(me)
    way = me.dice.choice([f"users/{other}/follow", f"me/followers/{other}"])
    return f"ends a follow with {name}: {(await me.json('DELETE', f'{API}/{way}')).status}"


@WORLD.does("member", 4)
async def decides_who_may_follow(me: Person) -> str | None:
    reply = await me.json("GET", f"{API}/me/requests")
    asking = reply.json()["items"] if reply.status == 200 else []
    if not asking:
        return None
    other, verb = me.dice.choice(asking), me.dice.choice(["POST", "POST", "DELETE"])
    answer = await me.json(verb, f"{API}/me/requests/{other['userId']}")
    return f"answers the request of {other['appId']} by {verb}: {answer.status}"


@WORLD.does("member", 1.5)
async def blocks_or_forgives(me: Person) -> str:
    name, other = _somebody(me)
    verb = me.dice.choice(["PUT", "DELETE"])
    said = "blocks" if verb == "PUT" else "forgives"
    return f"{said} {name}: {(await me.json(verb, f'{API}/users/{other}/block')).status}"


@WORLD.does("member", 1)
async def mutes_or_listens(me: Person) -> str:
    name, other = _somebody(me)
    reply = await me.json(me.dice.choice(["PUT", "DELETE"]), f"{API}/users/{other}/mute")
    return f"mutes {name} or listens again: {reply.status}"


@WORLD.does("member", 2)
async def changes_who_may_see(me: Person) -> str:
    private, kind = me.dice.chance(0.5), me.dice.choice(["mutual", "followers"])
    reply = await me.json("PATCH", f"{API}/me", {"isPrivate": private, "visibilityType": kind})
    return f"is {'private' if private else 'open'}, for {kind}: {reply.status}"


@WORLD.does("member", 3)
async def answers(me: Person) -> str:
    reply = await me.json("POST", f"{API}/answers", {"text": f"答え {me.dice.randint(1, 99)}"})
    return f"answers: {reply.status}"


@WORLD.does("member", 1)
async def takes_an_answer_back(me: Person) -> str:
    day = _open_day(me.world)
    if me.dice.chance(0.5):
        return f"deletes the answer: {(await me.json('DELETE', f'{API}/answers/{day}')).status}"
    return f"restores the answer: {(await me.json('POST', f'{API}/answers/{day}/restore')).status}"


@WORLD.does("member", 4)
async def reacts(me: Person) -> str:
    name, path = _an_answer(me)
    if me.dice.chance(0.3):
        return f"takes a reaction to {name} back: {(await me.json('DELETE', f'{path}/reaction')).status}"
    kind = me.dice.choice([one.value for one in ReactionType])
    return f"reacts to {name}: {(await me.json('PUT', f'{path}/reaction', {'reaction': kind})).status}"


@WORLD.does("member", 0.5)
async def reports_somebody(me: Person) -> str:
    name, other = _somebody(me)
    body = {"targetType": "user", "targetId": other, "category": "spam", "description": "too much"}
    return f"reports {name}: {(await me.json('POST', f'{API}/reports', body)).status}"


@WORLD.does("member", 0.3)
async def leaves(me: Person) -> str:
    reply = await me.json("POST", f"{API}/me/withdrawal")
    return f"leaves: {reply.status}"


@WORLD.does("member", 3)
async def comes_back(me: Person) -> str | None:
    """After a ban they are signed out everywhere."""
    if (await me.json("GET", f"{API}/me")).status != 401:
        return None
    await me.sign_in(f"{me.name}@example.com")
    return "signs in again"


@WORLD.does("member", 0.3)
async def loses_the_app_or_has_it_again(me: Person) -> str:
    phone = phone_of(me)
    if phone is None or not phone.has_app:
        return f"installs the app: {await _install(me)}"
    expo_of(me.world).uninstall(phone)
    return "deletes the app"


@WORLD.does("member", 0.8)
async def stays_after_all(me: Person) -> str:
    return f"stays after all: {(await me.json('DELETE', f'{API}/me/withdrawal')).status}"


OF_ADMINS = (
    *(("GET", page) for page in ("", "/users", "/reports", "/queue", "/numbers", "/log")),
    *(("POST", f"/users/{{other}}/{what}") for what in ("ban", "unban", "warn", "suspend")),
)


@WORLD.does("member", 0.5)
async def tries_what_is_not_theirs(me: Person) -> str:
    """What the keeper does."""
    method, path = me.dice.choice(OF_ADMINS)
    path = f"/q/admin{path}".format(other=_somebody(me)[1])
    reply = await (me.get(path) if method == "GET" else me.post(path, {"reason": "world", "days": "1"}))
    promises.refused(reply, f"{me.name} is no keeper, and does {method} {path}")
    return f"tries {method} {path.removeprefix('/q')}: {reply.status}"


# Looking


@WORLD.does("member", 6)
async def reads_the_timeline(me: Person) -> str:
    """Who may read whom is asked of the store as it is; the answers themselves for half the price, so that one that
    was deleted can be there for a moment more."""
    asked_at, viewer = me.world.loop.time(), me.memory["id"]
    reply = await me.json("GET", f"{API}/timeline")
    items = reply.json()["items"] if reply.status == 200 else []
    others = [one["answer"] for one in items if one["answer"]["userId"] != viewer]
    read = [(viewer, one["userId"], one["date"]) for one in others]
    _sight(me.world).check(asked_at, [("answers", *one) for one in read])
    _sight(me.world).check(asked_at, [("heard", viewer, author) for _, author, _ in read])
    _sight(me.world).check(asked_at - STORM.base_lag, [("answer", *one) for one in read])
    return f"reads the timeline: {reply.status}, {len(items)} answers"


@WORLD.does("member", 2)
async def looks_at_an_answer(me: Person) -> str:
    asked_at, viewer, (name, path) = me.world.loop.time(), me.memory["id"], _an_answer(me)
    reply = await me.json("GET", path)
    if reply.status == 200:
        one = reply.json()["answer"]
        _sight(me.world).check(asked_at, [("answer", viewer, one["userId"], one["date"])])
    return f"looks at the answer of {name}: {reply.status}"


@WORLD.does("member", 2)
async def looks_who_reacted(me: Person) -> str:
    asked_at, viewer, (name, path) = me.world.loop.time(), me.memory["id"], _an_answer(me)
    reply = await me.json("GET", f"{path}/reactions")
    found = [one["user"]["userId"] for one in reply.json()] if reply.status == 200 else []
    _sight(me.world).check(asked_at, [("name", viewer, one) for one in found if one != viewer])
    return f"looks who reacted to {name}: {reply.status}, {len(found)}"


@WORLD.does("member", 2)
async def looks_at_somebody(me: Person) -> str:
    asked_at, viewer, (name, other) = me.world.loop.time(), me.memory["id"], _somebody(me)
    reply = await me.json("GET", f"{API}/users/{other}")
    if reply.status == 200:
        shown: list[tuple[str, ...]] = [("profile", viewer, other)]
        shown += [("bio", viewer, other)] if reply.json()["bio"] is not None else []
        _sight(me.world).check(asked_at, shown)
    return f"looks at {name}: {reply.status}"


@WORLD.does("member", 2)
async def looks_at_somebodys_past(me: Person) -> str:
    asked_at, viewer, (name, other) = me.world.loop.time(), me.memory["id"], _somebody(me)
    way = me.dice.choice(["answers", "followers", "following"])
    reply = await me.json("GET", f"{API}/users/{other}/{way}")
    found: list[dict[str, Any]] = reply.json()["items"] if reply.status == 200 else []
    shown: list[tuple[str, ...]]
    if way == "answers":
        shown = [("answer", viewer, one["answer"]["userId"], one["answer"]["date"]) for one in found]
    else:
        shown = [("name", viewer, one["userId"]) for one in found if one["userId"] != viewer]
        shown += [("bio", viewer, other)] if reply.status == 200 else []
    _sight(me.world).check(asked_at, shown)
    return f"looks at the {way} of {name}: {reply.status}, {len(found)}"


# The keeper, who administers


@WORLD.does("keeper", 0.7)
async def bans_or_pardons(me: Person) -> str:
    name, other = _somebody(me)
    what = me.dice.choice(["ban", "unban", "unban"])
    reply = await me.post(f"/q/admin/users/{other}/{what}", {"reason": "world"})
    return f"{what}s {name}: {reply.status}"


@WORLD.does("keeper", 0.4)
async def warns(me: Person) -> str:
    name, other = _somebody(me)
    return f"warns {name}: {(await me.post(f'/q/admin/users/{other}/warn', {'reason': 'world'})).status}"


@WORLD.does("keeper", 0.2)
async def suspends(me: Person) -> str:
    name, other = _somebody(me)
    wanted = {"reason": "world", "days": me.dice.choice(["1", "3"])}
    return f"suspends {name}: {(await me.post(f'/q/admin/users/{other}/suspend', wanted)).status}"


@WORLD.does("keeper", 0.8)
async def decides_an_appeal(me: Person) -> str | None:
    found: list[Decision] = [one for one in me.world.decoded("Decisions") if one.waits == "appeal"]
    if not found:
        return None
    one, ruling = me.dice.choice(found), me.dice.choice(["uphold", "overturn"])
    reply = await me.post(f"/q/admin/users/{one.user_id}/decisions/{one.decision_id}", {"decision": ruling})
    return f"{ruling}s a decision: {reply.status}"


@WORLD.does("keeper", 0.8)
async def settles_a_report(me: Person) -> str | None:
    found: list[Report] = [one for one in me.world.decoded("Reports") if one.status is ReportStatus.PENDING]
    if not found:
        return None
    one, status = me.dice.choice(found), me.dice.choice(["resolved", "dismissed"])
    return f"settles a report: {(await me.post(f'/q/admin/reports/{one.report_id}', {'status': status})).status}"


@WORLD.does("member", 0.8)
async def appeals(me: Person) -> str | None:
    """Against what was decided last, also while locked out."""
    reply = await me.json("GET", f"{API}/me/standing")
    found = reply.json()["decisions"] if reply.status == 200 else []
    if not found:
        return None
    sent = await me.json("POST", f"{API}/me/standing/{found[0]['decisionId']}/appeal", {"text": "違います"})
    return f"appeals: {sent.status}"


@WORLD.does("keeper", 2)
async def looks_at_the_desk(me: Person) -> str:
    page = me.dice.choice(["", "/users", "/reports", "/queue", "/numbers", "/log"])
    return f"opens the desk{page}: {(await me.get(f'/q/admin{page}')).status}"
