"""Everything that can be seen of somebody × every situation × every route: generated, so that none is left out.

The author has a marker in each thing that can be seen of them. A viewer asks every GET route of Q., with everybody and
every day in its path, and the markers that come back anywhere must be exactly those that the situation allows: one
more is a leak, one less a feature that is broken. Then they do all that can be done, by every other route, and no
answer to that may hold a marker that the situation does not allow. A route with a parameter that is not in PARAMETERS
fails, and so does one that takes something and is not in SENT.
"""

from __future__ import annotations

import base64
import io
import itertools
import zipfile
from collections.abc import Awaitable, Callable, Iterator
from datetime import date
from typing import Any

import pytest
from starlette.routing import Mount, Route

from sekkei.runtime import days
from sekkei.web.testing import Client
from sekkei_systems.q.design.models import Answer, ReactionType, User, Visibility
from sekkei_systems.q.design.tables import answers, users
from sekkei_systems.q.service.finding import hashed
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World, picture, png

VIEWER, AUTHOR, FRIEND = "demo-aoi", "author", "friend"
NAME, BIO, TODAY, YESTERDAY = "名前の印", "紹介の印", "今日の印", "昨日の印"
COUNT = "7654321"
"""What the author's number of followers begins with."""
REACTED = '"❤️":1'
"""The author's heart for what the friend said, as it is counted."""
PICTURE = "picture"
TOKEN = "ExponentPushToken[viewer]"
SEARCH, EXPORT = f"/q/api/users?appId={AUTHOR}_id", "/account/export"
STREAMS = {"/live"}
"""Events without an end; they tell a day and nothing of anybody (tests/systems/q/test_authorisation.py)."""
CONTACTS = "POST /q/api/me/contacts"
SENT: dict[str, Any] = {
    "POST /q/api/sign-in/code": {"email": f"{AUTHOR}@example.com"},
    "POST /q/api/sign-in": {"challenge": "x", "code": "123456"},
    "POST /q/api/sign-in/password": {"email": f"{AUTHOR}@example.com", "password": "x"},
    "POST /q/api/sign-in/refresh": {"refreshToken": "x"},
    "POST /q/api/me": {"birthDate": "2000-01-01"},
    "PATCH /q/api/me": {"bio": "わたし"},
    "PUT /q/api/me/terms": {"version": "x"},
    "PUT /q/api/me/app-id": {"appId": f"{AUTHOR}_id"},
    "PUT /q/api/me/username": {"username": f"{AUTHOR}_id"},
    "PUT /q/api/me/picture": {"content": base64.b64encode(png()).decode()},
    "PUT /q/api/me/devices": {"token": TOKEN, "deviceType": "ios"},
    "PUT /q/api/me/browsers": {"endpoint": "https://fcm.googleapis.com/x", "keys": {"p256dh": "x", "auth": "y"}},
    "POST /q/api/me/devices/forget": {"token": TOKEN},
    "PUT /q/api/me/notifications": {"question": True, "reaction": True, "follow": True, "digest": True},
    "PUT /q/api/me/findable": {"findable": True},
    CONTACTS: {"hashes": [hashed(f"{AUTHOR}@example.com")]},
    "POST /q/api/reports": {"targetType": "user", "targetId": AUTHOR, "category": "spam"},
    "POST /q/api/questions": {"text": "提案？"},
    "POST /q/api/answers": {"text": "答え"},
    "PUT /q/api/answers/{day}/{user_id}/reaction": {"reaction": "🔥"},
    "POST /q/api/me/standing/{decision_id}/appeal": {"text": "ちがいます"},
}
"""What the routes are given that take something."""
ALL = frozenset({NAME, BIO, PICTURE, COUNT, REACTED, TODAY, YESTERDAY})
PROFILE = frozenset({NAME, BIO, PICTURE, COUNT, REACTED})

Prepare = Callable[[World], Awaitable[None]]


async def nothing(world: World) -> None: ...


async def follows(world: World) -> None:
    await world.follow((VIEWER, AUTHOR))


async def both(world: World) -> None:
    await world.follow((VIEWER, AUTHOR), (AUTHOR, VIEWER))


async def private(world: World) -> None:
    await world.service.people.change(AUTHOR, Profile(is_private=True))


async def asked(world: World) -> None:
    await private(world)
    await world.follow((VIEWER, AUTHOR))


async def accepted(world: World) -> None:
    await asked(world)
    await world.service.following.accept(AUTHOR, VIEWER)


async def muted(world: World) -> None:
    await both(world)
    await world.service.following.mute(VIEWER, AUTHOR)


async def viewer_blocks(world: World) -> None:
    await both(world)
    await world.service.following.block(VIEWER, AUTHOR)


async def author_blocks(world: World) -> None:
    await both(world)
    await world.service.following.block(AUTHOR, VIEWER)


async def unblocked(world: World) -> None:
    await author_blocks(world)
    await world.service.following.unblock(AUTHOR, VIEWER)


async def banned(world: World) -> None:
    await both(world)
    await world.ban(AUTHOR, by="boss")


async def suspended(world: World) -> None:
    await both(world)
    proved_at = days.now(world.clock)
    await world.service.sanctions.suspend("boss", AUTHOR, 3, "少し休んでください", proved_at=proved_at)


async def suspension_over(world: World) -> None:
    """Only what is read by day changes: nothing new came out meanwhile."""
    await suspended(world)
    proved_at = days.now(world.clock)
    await world.service.sanctions.unban("boss", AUTHOR, proved_at=proved_at)


async def flagged(world: World) -> None:
    """Everything of the author waits for a moderator."""
    await both(world)
    update = users.update(AUTHOR).set(User.name_flagged, True).set(User.bio_flagged, True)
    await world.db.write(update.set(User.picture_flagged, True))
    for one in await world.service.answers.history(AUTHOR, AUTHOR):
        await world.db.write(answers.update(one.answer.day, AUTHOR).set(Answer.is_flagged, True))


async def leaving(world: World) -> None:
    await both(world)
    await world.service.leaving.ask(AUTHOR)


async def deleted(world: World) -> None:
    await both(world)
    for one in await world.service.answers.history(AUTHOR, AUTHOR):
        await world.service.answers.delete(AUTHOR, one.answer.day)


SITUATIONS: list[tuple[Prepare, frozenset[str], frozenset[str]]] = [
    # What may be seen of an author who shows answers to mutual friends, and of one who shows them to followers
    (nothing, PROFILE, PROFILE),
    (follows, PROFILE, ALL),
    (both, ALL, ALL),
    (private, PROFILE - {BIO, COUNT}, PROFILE - {BIO, COUNT}),
    (asked, PROFILE - {BIO, COUNT}, PROFILE - {BIO, COUNT}),
    (accepted, PROFILE, ALL),
    (muted, ALL, ALL),
    (viewer_blocks, frozenset({NAME, PICTURE}), frozenset({NAME, PICTURE})),
    (author_blocks, frozenset(), frozenset()),
    (unblocked, PROFILE, PROFILE),
    (banned, frozenset(), frozenset()),
    (suspended, frozenset(), frozenset()),
    (suspension_over, ALL, ALL),
    (flagged, frozenset({COUNT, REACTED}), frozenset({COUNT, REACTED})),
    (leaving, frozenset(), frozenset()),
    (deleted, PROFILE, PROFILE),
]


async def people(world: World, visibility: Visibility) -> tuple[date, date]:
    """The viewer, the author and a friend of both; yesterday's answers and today's."""
    await world.join(VIEWER, FRIEND, "boss", visibility=Visibility.FOLLOWERS)
    await world.join(AUTHOR, visibility=visibility)
    await world.make_admin("boss")
    await world.service.people.change(AUTHOR, Profile(display_name=NAME, bio=BIO))
    await world.service.people.set_picture(AUTHOR, picture("PNG", (8, 8)))
    await world.db.write(users.update(AUTHOR).set(User.follower_count, int(f"{COUNT}00")))
    for one in (VIEWER, AUTHOR):
        await world.service.contacts.be_findable(one, True)
    await world.follow((VIEWER, FRIEND), (AUTHOR, FRIEND), (FRIEND, AUTHOR))
    yesterday = (await world.ask()).day
    for who, text in ((AUTHOR, YESTERDAY), (FRIEND, "友だち"), (VIEWER, "わたし")):
        await world.answer(who, text)
    await world.service.reactions.react(AUTHOR, yesterday, FRIEND, ReactionType.HEART)
    await be_told_of(world, yesterday)
    world.clock.advance(24 * 3600)
    today = (await world.ask()).day
    await world.answer(AUTHOR, TODAY)
    await world.answer(FRIEND, "きょう")
    return yesterday, today


async def be_told_of(world: World, day: date) -> None:
    """The viewer's inbox tells of the author, who followed them for a while and liked what they said."""
    await world.follow((AUTHOR, VIEWER))
    await world.service.reactions.react(AUTHOR, day, VIEWER, ReactionType.FIRE)
    await world.deployment.worker.run_until_idle()
    await world.service.reactions.take_back(AUTHOR, day, VIEWER)
    await world.service.following.unfollow(AUTHOR, VIEWER)


async def report_all(client: Client, *days_asked: date) -> None:
    """A report keeps what was reported as it was, for the moderators alone; one can be sent whatever is shown."""
    await client.sign_in(VIEWER)
    targets = [("user", AUTHOR), *(("answer", f"{day}#{AUTHOR}") for day in days_asked)]
    for kind, target in targets:
        await client.json("POST", "/q/api/reports", {"targetType": kind, "targetId": target, "category": "spam"})


def routes(client: Client) -> Iterator[tuple[str, Route]]:
    """Every way into Q.: its method, and the route."""
    (mount,) = [one for one in client.app.routes if isinstance(one, Mount) and one.path == "/q"]
    for route in mount.routes:
        if isinstance(route, Route) and route.path not in STREAMS:
            yield from ((method, route) for method in sorted((route.methods or set()) - {"HEAD"}))


def filled(route: Route, parameters: dict[str, list[Any]]) -> Iterator[str]:
    """A route with everything in its path."""
    names = list(route.param_convertors)
    assert set(names) <= set(parameters), f"{route.path}: say in PARAMETERS what {names} can be"
    for values in itertools.product(*(parameters[name] for name in names)):
        yield "/q" + route.path_format.format(**dict(zip(names, values, strict=True)))


def paths(client: Client, parameters: dict[str, list[Any]]) -> Iterator[str]:
    """Every GET route of Q. with everything in its path."""
    for method, route in routes(client):
        if method == "GET":
            yield from filled(route, parameters)


async def deeds(client: Client, parameters: dict[str, list[Any]]) -> list[tuple[str, str]]:
    """Everything else that one can ask of Q., as it is described and where to.

    First what is answered by more than its being done: to be shown something, the situation must still be what it was.
    """
    described = (await client.get("/q/openapi.json")).json()["paths"]
    silent, telling = [], []
    for method, route in routes(client):
        if method == "GET":
            continue
        name = f"{method} /q{route.path_format}"
        operation = described.get(f"/q{route.path_format}", {}).get(method.lower(), {})
        assert "requestBody" not in operation or name in SENT, f"{name}: say in SENT what it is given"
        says_nothing = not operation or "204" in operation["responses"]
        (silent if says_nothing else telling).extend((name, path) for path in filled(route, parameters))
    return telling + silent


def unpacked(archive: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return b"".join(files.read(name) for name in files.namelist())


def markers_in(body: bytes) -> set[str]:
    return {one for one in (NAME, BIO, COUNT, REACTED, TODAY, YESTERDAY) if one.encode() in body}


async def seen(client: Client, asking: list[str]) -> dict[str, set[str]]:
    """The markers, and where each was found."""
    found: dict[str, set[str]] = {}
    for path in asking:
        reply = await client.get(path)
        markers = markers_in(unpacked(reply.body) if path == EXPORT else reply.body)
        if path.startswith(f"/q/pictures/{AUTHOR}/") and reply.status == 200:
            markers.add(PICTURE)
        for marker in markers:
            found.setdefault(marker, set()).add(path)
    return found


async def heard(client: Client, doing: list[tuple[str, str]]) -> dict[str, set[str]]:
    """The markers in what is answered to deeds."""
    found: dict[str, set[str]] = {}
    for name, path in doing:
        method = name.partition(" ")[0]
        is_form = name not in SENT and "/api/" not in path
        reply = await (client.post(path) if is_form else client.json(method, path, SENT.get(name)))
        assert "/admin" not in path or reply.status == 403, path
        for marker in markers_in(reply.body):
            found.setdefault(marker, set()).add(name)
    return found


@pytest.mark.parametrize("has_answered", [True, False], ids=["answered", "not answered"])
@pytest.mark.parametrize("visibility", list(Visibility))
@pytest.mark.parametrize(("prepare", "mutual", "followers"), SITUATIONS, ids=lambda one: getattr(one, "__name__", ""))
async def test_exactly_what_the_situation_allows(
    site: tuple[Client, World],
    prepare: Prepare,
    mutual: frozenset[str],
    followers: frozenset[str],
    visibility: Visibility,
    has_answered: bool,
) -> None:
    client, world = site
    await client.sign_in(VIEWER)
    yesterday, today = await people(world, visibility)
    if has_answered:
        await world.answer(VIEWER, "わたしも")
    token, _ = await world.service.invites.make(AUTHOR)
    digest = ((await world.user(AUTHOR)).profile_image_url or "").rpartition("/")[2]
    await prepare(world)
    parameters: dict[str, list[Any]] = {
        "user_id": [AUTHOR, VIEWER, FRIEND],
        "day": [str(yesterday), str(today)],
        "digest": [digest],
        "token": [token],
        **{name: ["0" * 32] for name in ("report_id", "question_id", "decision_id", "invite_id")},
    }
    allowed = mutual if visibility is Visibility.MUTUAL else followers
    if not has_answered:
        allowed -= {TODAY}  # opens with the viewer's own answer, on every way
    await report_all(client, yesterday, today)
    await client.sign_in(VIEWER)  # a day has passed, and who takes everything along has just shown who they are
    found = await seen(client, [*paths(client, parameters), SEARCH, EXPORT])
    assert {marker: sorted(found[marker]) for marker in found if marker not in allowed} == {}
    assert allowed <= set(found), f"nowhere to be seen: {allowed - set(found)}"
    told = await heard(client, await deeds(client, {**parameters, "user_id": [AUTHOR, FRIEND]}))
    assert {marker: sorted(told[marker]) for marker in told if marker not in allowed} == {}
    if prepare is both:  # so that elsewhere it is sight that keeps it out
        assert "/q/api/me/inbox" in found[NAME]
        assert CONTACTS in told[NAME]
        assert "PUT /q/api/answers/{day}/{user_id}/reaction" in told[REACTED]


async def test_why_somebody_is_not_there_is_never_said(site: tuple[Client, World]) -> None:
    """Blocking, banned, suspended, about to leave, or never heard of: every route answers the same."""
    client, world = site
    gone = ["blocker", "outlaw", "resting", "leaver"]
    await world.join(VIEWER, "boss", *gone)
    await world.make_admin("boss")
    for one in gone:
        await world.follow((VIEWER, one), (one, VIEWER))
    day = (await world.ask()).day
    for one in (VIEWER, *gone):
        await world.answer(one)
    await world.service.following.block("blocker", VIEWER)
    await world.ban("outlaw")
    await world.service.sanctions.suspend("boss", "resting", 3, "休み", proved_at=days.now(world.clock))
    await world.service.leaving.ask("leaver")
    world.pass_time()
    await client.sign_in(VIEWER)
    said: dict[str, dict[str, tuple[int, str]]] = {}
    for who in (*gone, "nobody"):
        parameters = {
            "user_id": [who],
            "day": [str(day)],
            "digest": ["0" * 16],
            "token": ["0" * 32],
            "report_id": ["0"],
        }
        asking = [("GET", path) for path in paths(client, parameters)]
        asking += [("GET", f"/q/api/users?appId={who}_id"), ("PUT", f"/q/api/users/{who}/follow")]
        asking += [("PUT", f"/q/api/answers/{day}/{who}/reaction")]
        for method, path in asking:
            if who in path and "/admin/" not in path:
                reply = await client.json(method, path, {"reaction": "🔥"} if method == "PUT" else None)
                heard = reply.json()["code"] if reply.body.startswith(b"{") else reply.text.partition("<h1")[2][:200]
                said.setdefault(path.replace(who, "…"), {})[who] = (reply.status, heard)
    assert len(said) >= 9
    assert {path: heard for path, heard in said.items() if len(set(heard.values())) > 1} == {}
    assert {status for heard in said.values() for status, _ in heard.values()} == {404}
