"""Every route by everybody: nobody, somebody who has not joined, a member, an administrator, somebody banned."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Mapping
from datetime import date
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import totp
from sekkei.runtime.http import Http
from sekkei.web.server import bind, http_server
from sekkei.web.testing import Client, opened
from sekkei_systems import days
from sekkei_systems.q.design.models import (
    Answer,
    NGWord,
    QuestionStatus,
    QuestionType,
    ReportCategory,
    TargetType,
    User,
    Visibility,
)
from sekkei_systems.q.design.tables import answers, ng_words, questions, users
from sekkei_systems.q.service import Service
from sekkei_systems.q.service.people import Profile, Visitor
from sekkei_systems.q.system import SYSTEM
from tests.systems.q.conftest import NOON, World, png
from tests.web.authorisation import Rule, deviations, uncovered

TARGET = "demo-mei"
WHO = {"outsider": "demo-yui", "member": "demo-ren", "admin": "demo-aoi", "banned": "demo-sota"}
PICTURE = base64.b64encode(png()).decode()
TOKEN = {"token": "ExponentPushToken[x]", "deviceType": "ios"}
WISHES = {"question": True, "reaction": False, "follow": True, "digest": True}
BROWSER = {"p256dh": "x", "auth": "y"}
LIVE = "GET /q/live"


class Place:
    """The system with everybody in it."""

    def __init__(self, client: Client, world: World) -> None:
        self.client, self.world = client, world
        self.number = 0
        self.clients: dict[str, Client] = {"anonymous": client.another()}

    @property
    def service(self) -> Service:
        return self.world.service

    async def fill(self) -> None:
        for kind, person in WHO.items():
            self.clients[kind] = self.client.another()
            await self.clients[kind].sign_in(person)
            if kind != "outsider":
                await self.world.join(person, visibility=Visibility.FOLLOWERS)
        await self.world.join(TARGET)
        await self.world.make_admin(WHO["admin"])
        for kind in ("member", "admin", "banned"):
            await self.service.following.follow(WHO[kind], TARGET)
        await self.service.people.set_picture(TARGET, png())
        await self.world.ask()
        await self.world.answer(TARGET)
        await self.world.ban(WHO["banned"], by=WHO["admin"])
        assert (await self.clients["banned"].json("GET", "/q/api/me")).status == 401  # a ban signs out
        await self.clients["banned"].sign_in(WHO["banned"])

    async def fresh_user(self) -> Mapping[str, str]:
        self.number += 1
        name = f"fresh-{self.number}"
        await self.service.people.join(Visitor(name, f"{name}@example.com", name), date(2000, 1, 1))
        return {"user_id": name}

    async def banned_user(self) -> Mapping[str, str]:
        found = await self.fresh_user()
        await self.world.db.write(users.update(found["user_id"]).set(User.is_banned, True))
        return found

    async def fresh_question(self) -> Mapping[str, str]:
        self.number += 1
        made = await self.world.question(f"question-{self.number}", QuestionStatus.PENDING)
        return {"question_id": made.question_id}

    async def candidate(self) -> Mapping[str, str]:
        self.number += 1
        id = f"question-{self.number}"
        await self.world.question(id, type=QuestionType.USER)
        return {"question_id": id}

    async def fresh_word(self) -> Mapping[str, str]:

        await self.world.db.write(
            ng_words.put(NGWord(word="word", created_at=days.now(self.world.clock), created_by="x"))
        )
        return {}

    async def fresh_invite(self) -> Mapping[str, str]:
        host = await self.fresh_user()
        return {"token": (await self.service.invites.make(host["user_id"]))[0]}

    async def reported_picture(self) -> Mapping[str, str]:
        by = await self.fresh_user()
        sent = await self.service.reports.send(by["user_id"], TargetType.USER, TARGET, ReportCategory.SPAM)
        return {"report_id": sent.report_id}

    async def removed_answer(self) -> Mapping[str, str]:
        day = days.today(self.world.clock)
        update = answers.update(day, TARGET).set(Answer.is_deleted, True).set(Answer.deleted_by_admin, True)
        await self.world.db.write(update)
        return {}


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    clock = ManualClock(NOON)
    async with opened(SYSTEM, clock=clock) as client:
        deployment = client.shell.deployment
        system = deployment.systems["q"]
        found = Place(client, World(deployment, system, clock, system.parts.service))
        await found.fill()
        yield found


def api(member: int, admin: int | None = None, *, banned: int = 403, outsider: int = 403, **rule: Any) -> Rule:
    expect = {"anonymous": 401, "outsider": outsider, "banned": banned, "member": member}
    return Rule({**expect, "admin": member if admin is None else admin}, **rule)


def everybody(status: int, **rule: Any) -> Rule:
    return Rule(dict.fromkeys(("anonymous", *WHO), status), **rule)


def members(status: int, **rule: Any) -> Rule:
    """Something that a page shows."""
    return Rule({"anonymous": 303, "outsider": 403, "banned": 403, "member": status, "admin": status}, **rule)


def admins(status: int, **rule: Any) -> Rule:
    return Rule({"anonymous": 303, "outsider": 403, "banned": 403, "member": 403, "admin": status}, **rule)


def matrix(place: Place) -> dict[str, Rule]:
    fresh = place.fresh_user
    person, post = "/q/api/users/{user_id}", "/q/api/answers/{day}/{user_id}"
    report = {"targetType": "user", "targetId": TARGET, "category": "spam"}
    return {
        "GET /q/": everybody(200),
        "GET /q/manifest.webmanifest": everybody(200),
        "GET /q/sw.js": everybody(200),
        "GET /q/openapi.json": everybody(200),
        "GET /q/docs": everybody(200),
        "GET /q/pictures/{user_id}/{digest}": members(200),
        "POST /q/api/sign-in/code": everybody(201, json={"email": "x@example.com"}),
        "POST /q/api/sign-in": everybody(410, json={"challenge": "x", "code": "123456"}),
        "POST /q/api/sign-in/password": everybody(422, json={"email": "x@example.com", "password": "x"}),
        "POST /q/api/sign-in/refresh": everybody(401, json={"refreshToken": "x"}),
        "DELETE /q/api/sign-in": api(410, banned=410, outsider=410),
        "GET /q/api/me": api(200, banned=200),
        "PATCH /q/api/me": api(200, json={"bio": "x"}),
        "PUT /q/api/me/app-id": api(409, json={"appId": "another"}),
        "PUT /q/api/me/username": api(200, 409, json={"username": "Same_name"}),
        "PUT /q/api/me/picture": api(200, json={"content": PICTURE}),
        "DELETE /q/api/me/picture": api(204),
        "PUT /q/api/me/devices": api(204, json=TOKEN),
        "GET /q/api/me/browsers": api(200),
        "PUT /q/api/me/browsers": api(409, json={"endpoint": "https://fcm.googleapis.com/x", "keys": BROWSER}),
        "POST /q/api/me/devices/forget": api(404, 204, json={"token": TOKEN["token"]}),
        "GET /q/api/me/questions": api(200),
        "GET /q/api/me/requests": api(200),
        "POST /q/api/me/requests/{user_id}": api(404),
        "DELETE /q/api/me/requests/{user_id}": api(404),
        "DELETE /q/api/me/followers/{user_id}": api(409),
        "GET /q/api/me/blocks": api(200),
        "GET /q/api/me/look-back": api(200),
        "GET /q/api/me/digest": api(200),
        "GET /q/api/me/mutes": api(200),
        "GET /q/api/me/notifications": api(200),
        "PUT /q/api/me/notifications": api(200, json=WISHES),
        "GET /q/api/terms": api(200, banned=200, outsider=200),
        "PUT /q/api/me/terms": api(204, banned=204, json={"version": "x"}),
        "GET /q/api/me/inbox": api(200, banned=200),
        "GET /q/api/me/inbox/unread": api(200, banned=200),
        "POST /q/api/me/inbox/read": api(204, banned=204, json={}),
        "GET /q/api/me/standing": api(200, banned=200),
        "POST /q/api/me/standing/{decision_id}/appeal": api(404, banned=404, json={"text": "ちがいます"}),
        "GET /q/api/users": api(422),
        f"GET {person}": api(200),
        f"GET {person}/following": api(200),
        f"GET {person}/followers": api(200),
        f"GET {person}/answers": api(200),
        f"PUT {person}/follow": api(200, prepare=fresh),
        f"DELETE {person}/follow": api(409, prepare=fresh),
        f"PUT {person}/block": api(204, prepare=fresh),
        f"DELETE {person}/block": api(404, prepare=fresh),
        f"PUT {person}/mute": api(204, prepare=fresh),
        f"DELETE {person}/mute": api(404, prepare=fresh),
        "GET /q/i/{token}": Rule({"anonymous": 200, "outsider": 303, "banned": 303, "member": 303, "admin": 303}),
        "GET /q/api/me/suggestions": api(200),
        "GET /q/api/me/invites": api(200),
        "POST /q/api/me/invites": api(201),
        "DELETE /q/api/me/invites/{invite_id}": api(404),
        "GET /q/api/invites/{token}": api(200),
        "POST /q/api/invites/{token}": api(200, prepare=place.fresh_invite),
        "PUT /q/api/me/findable": api(204, json={"findable": True}),
        "POST /q/api/me/contacts": api(200, json={"hashes": ["0" * 64]}),
        "POST /q/api/reports": api(204, json=report),
        "POST /q/api/questions": api(201, json={"text": "提案？"}),
        "GET /q/api/questions/candidates": api(200),
        "PUT /q/api/questions/{question_id}/vote": api(200, prepare=place.candidate),
        "DELETE /q/api/questions/{question_id}/vote": api(404, prepare=place.candidate),
        "GET /q/api/today": api(200),
        "GET /q/api/timeline": api(200),
        "POST /q/api/answers": api(201, json={"text": "答え"}),
        "GET /q/code.svg": members(200),
        "GET /q/cards/{day}.svg": members(200),
        "DELETE /q/api/answers/{day}": api(200),
        "POST /q/api/answers/{day}/restore": api(200),
        f"GET {post}": api(200),
        f"GET {post}/reactions": api(200),
        f"PUT {post}/reaction": api(200, json={"reaction": "🔥"}),
        f"DELETE {post}/reaction": api(200),
        **console(place),
        # These change who somebody is, so they come last.
        "POST /q/api/me/withdrawal": api(202, 409, banned=202),
        "DELETE /q/api/me/withdrawal": api(200, 409, banned=200),
        "POST /q/api/me": api(409, banned=409, outsider=201, json={"birthDate": "2000-01-01"}),
    }


def console(place: Place) -> dict[str, Rule]:
    names = ("queue", "submissions", "questions", "days", "flagged", "reports", "users", "words", "log", "numbers")
    return {
        "GET /q/admin": admins(200),
        **{f"GET /q/admin/{name}": admins(200) for name in names},
        **{f"GET /q/admin/numbers/{name}.csv": admins(200) for name in ("days", "cohorts")},
        "POST /q/admin/questions": admins(303, form={"text": "新しいお題？"}),
        "POST /q/admin/questions/{question_id}": admins(
            303, form={"decision": "approve"}, prepare=place.fresh_question
        ),
        "POST /q/admin/days/{day}": admins(409, form={"time": "12:00"}),
        "POST /q/admin/answers/{day}/{user_id}": admins(
            303, form={"decision": "restore"}, prepare=place.removed_answer
        ),
        "POST /q/admin/reports/{report_id}": admins(404, form={"status": "resolved"}),
        "GET /q/admin/users/{user_id}": admins(200),
        "POST /q/admin/users/{user_id}/ban": admins(303, form={"reason": "x"}, prepare=place.fresh_user),
        "POST /q/admin/users/{user_id}/unban": admins(303, form={}, prepare=place.banned_user),
        "GET /q/admin/pictures/{user_id}": admins(200),
        "GET /q/admin/reports/{report_id}/picture": admins(200, prepare=place.reported_picture),
        "POST /q/admin/users/{user_id}/profile": admins(
            303, form={"part": "name", "decision": "remove", "reason": "x"}, prepare=place.fresh_user
        ),
        "POST /q/admin/users/{user_id}/warn": admins(303, form={"reason": "x"}, prepare=place.fresh_user),
        "POST /q/admin/users/{user_id}/suspend": admins(
            303, form={"reason": "x", "days": "3"}, prepare=place.fresh_user
        ),
        "POST /q/admin/users/{user_id}/verify": admins(303, form={"verified": "yes"}, prepare=place.fresh_user),
        "POST /q/admin/users/{user_id}/look": admins(303, form={"reason": "x"}, prepare=place.fresh_user),
        "POST /q/admin/users/{user_id}/decisions/{decision_id}": admins(404, form={"decision": "uphold"}),
        "POST /q/admin/words": admins(303, form={"word": "ことば"}),
        "POST /q/admin/words/delete": admins(303, form={"word": "word"}, prepare=place.fresh_word),
    }


async def test_every_route_by_everybody(place: Place) -> None:
    rules = matrix(place)
    assert uncovered(place.client.app, "q", {**rules, LIVE: everybody(200)}) == []
    target = await place.world.user(TARGET)
    parameters = {
        "user_id": TARGET,
        "day": str(days.today(place.world.clock)),
        "digest": (target.profile_image_url or "").rpartition("/")[2],
        "report_id": "nothing",
        "question_id": "nothing",
        "decision_id": "nothing",
        "invite_id": "nothing",
        "token": (await place.service.invites.make(TARGET))[0],
    }
    found = await deviations(rules, place.clients, parameters)
    assert found == []


async def test_only_members_hear_of_a_new_question(place: Place) -> None:
    for kind, status in (("outsider", 403), ("banned", 403), ("anonymous", 303)):
        assert (await place.clients[kind].get("/q/live")).status == status
    reply = await place.clients["member"].events("/q/live", 0)
    assert reply.status == 200
    assert reply.header("content-type") == "text/event-stream; charset=utf-8"


async def test_actions_of_a_page_need_its_token(place: Place) -> None:
    reply = await place.clients["admin"].post("/q/admin/words", {"word": "x"}, token="0" * 64)
    assert reply.status == 403
    reply = await place.clients["member"].json("POST", "/q/api/answers", {"text": "x"}, token="0" * 64)
    assert (reply.status, reply.json()["code"]) == (403, "csrf")
    assert await place.world.db.get(questions("nothing")) is None


async def test_settings_of_one_do_not_open_another(place: Place) -> None:
    """Private lists stay closed through the API too."""
    await place.service.people.change(TARGET, Profile(is_private=True))
    stranger = (await place.fresh_user())["user_id"]
    await place.service.people.choose_app_id(stranger, "stranger")
    client = place.client.another()
    account = await client.sign_in_by_email("stranger@example.org", "Stranger")
    await place.service.people.join(Visitor(account, "stranger@example.org", "S"), date(2000, 1, 1))
    profile = (await client.json("GET", f"/q/api/users/{TARGET}")).json()
    assert (profile["bio"], profile["followerCount"], profile["isPrivate"]) == (None, None, True)
    assert (await client.json("GET", f"/q/api/users/{TARGET}/followers")).json()["code"] == "private"
    assert (await client.json("GET", f"/q/api/users/{TARGET}/answers")).json()["code"] == "no-such-answer"


async def test_whoever_bans_shows_again_who_they_are(place: Place) -> None:
    admin, target = place.clients["admin"], (await place.fresh_user())["user_id"]
    place.world.clock.advance(11 * 60)
    token = await admin.token()
    reply = await admin.post(f"/q/admin/users/{target}/ban", {"reason": "x"}, token=token)
    assert (reply.status, reply.location.partition("?")[0]) == (303, "/prove")
    assert not (await place.world.user(target)).is_banned
    await admin.sign_in(WHO["admin"])
    await admin.post(f"/q/admin/users/{target}/ban", {"reason": "x"})
    assert (await place.world.user(target)).is_banned


async def test_with_an_authenticator_the_console_opens_only_by_its_code(place: Place) -> None:
    shell, admin = place.client.shell, place.clients["admin"]
    key = await shell.authenticators.offer(WHO["admin"])
    await shell.authenticators.confirm(WHO["admin"], totp.code(key, totp.step_at(place.world.clock.now())))
    await admin.sign_in(WHO["admin"])
    reply = await admin.get("/q/admin/log")
    assert (reply.status, reply.location) == (303, "/prove?next=%2Fq%2Fadmin%2Flog")
    place.world.clock.advance(60)
    await admin.post("/prove", {"code": totp.code(key, totp.step_at(place.world.clock.now()))})
    assert (await admin.get("/q/admin/log")).status == 200
    app = place.client.another()
    app.bearer = await shell.accounts.make_token(WHO["admin"], "found somewhere")
    assert (await app.get("/q/admin/log")).status == 403  # a token is not a person


@pytest.mark.parametrize(("trusted", "logged"), [("", "127.0.0.1"), ("127.0.0.1", "203.0.113.9")])
async def test_the_log_believes_only_a_trusted_proxy(place: Place, trusted: str, logged: str) -> None:
    """SEKKEI_FORWARDED: anybody can write into the header where they come from."""
    admin, socket, ready = place.clients["admin"], bind("127.0.0.1", 0), asyncio.Event()
    server = http_server(place.client.app, ready.set, trusted)
    server.config.lifespan = "off"
    task = asyncio.create_task(server.serve([socket]))
    await ready.wait()
    headers = {
        "Cookie": "; ".join(f"{name}={value}" for name, value in admin.cookies.items()),
        "X-CSRF-Token": await admin.token(),
        "X-Forwarded-For": "203.0.113.9",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    place.world.clock.advance(1)  # newer than what the log has
    http = Http()
    url = f"http://127.0.0.1:{socket.getsockname()[1]}/q/admin/words"
    try:
        assert (await http.request("POST", url, headers=headers, body=b"word=somewhere")).status == 303
    finally:
        http.close()
        server.should_exit = True
        await task
    page = await place.service.logs.page(WHO["admin"])
    assert next(iter(page)).ip_address == logged
