"""What stays of somebody who has left: nothing of theirs in any table, the runtime's and those of signing in too."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from sekkei.runtime import days
from sekkei.runtime.design import newest_set_aside
from sekkei.web.testing import Client
from sekkei_systems.q.design.models import (
    Answer,
    DeviceType,
    PushToken,
    ReactionType,
    ReportCategory,
    TargetType,
)
from sekkei_systems.q.design.tables import push_tokens, users
from sekkei_systems.q.service.people import Profile, Visitor, reserved
from tests.systems.q.conftest import World, png

DAY = timedelta(days=1).total_seconds()
WEEK = timedelta(days=7, minutes=1).total_seconds()
EMAIL, NAME, BIO, APP_ID, USERNAME = "gone@private.example", "消える太郎", "自己紹介の印", "gone_soon", "Gone_Soon"
PHONE, BROWSER = "ExponentPushToken[gone-soon]", "https://push.invalid/gone-soon"
ANSWER, DELETED, FLAGGED = "答えの印", "消した答えの印", "禁句の印"
REPORT, APPEAL, PROPOSED, ADDRESS = "通報の印", "異議の印", "提案の印？", "203.0.113.77"
WRITTEN = (EMAIL, NAME, BIO, APP_ID, USERNAME, PHONE, BROWSER, ANSWER, DELETED, REPORT, APPEAL, PROPOSED, ADDRESS)


async def items_with(world: World, *marks: str) -> list[str]:
    """Every item of every table that holds one of these, and is not due to go by itself already."""
    store, found, now = world.deployment.store, [], world.clock.now()
    for table in (await store.call("ListTables", {}))["TableNames"]:
        start: dict[str, Any] = {}
        while True:
            answer = await store.call("Scan", {"TableName": table, "ConsistentRead": True, **start})
            kept = [one for one in answer["Items"] if float(one.get("expires", {"N": "inf"})["N"]) > now]
            found += [f"{table}: {one}" for one in kept if any(mark in str(one) for mark in marks)]
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    return found


async def work(world: World) -> None:
    """Until what fails has failed for good."""
    for _ in range(6):
        world.clock.advance(61)
        await world.deployment.worker.run_until_idle()


async def sign_up(client: Client, world: World) -> str:
    """In a browser, in an app and with a token; found by others, told things, and about to sign in once more."""
    id = await client.sign_in_by_email(EMAIL, NAME)
    accounts = client.shell.accounts
    account = await accounts.get(id)
    assert account is not None
    app = client.another(bearer=(await client.shell.apps.begin(account, "q")).access)
    phone = {"token": PHONE, "deviceType": "ios"}
    for by, method, path, body in (
        (client, "POST", "/me", {"birthDate": "2000-01-01", "displayName": NAME}),
        (client, "PUT", "/me/app-id", {"appId": APP_ID}),
        (client, "PUT", "/me/username", {"username": USERNAME}),
        (client, "PATCH", "/me", {"bio": BIO}),
        (client, "PUT", "/me/findable", {"findable": True}),
        (client, "POST", "/me/invites", None),
        (client, "POST", "/sign-in/code", {"email": EMAIL, "name": NAME}),
        (app, "PUT", "/me/devices", phone),
    ):
        reply = await by.json(method, f"/q/api{path}", body)
        assert reply.status < 300, (path, reply.text)
    now = days.now(world.clock)
    browser = PushToken(user_id=id, token=BROWSER, device_type=DeviceType.WEB, created_at=now, updated_at=now)
    await world.db.write(push_tokens.put(browser))
    await world.service.people.set_picture(id, png())
    await accounts.make_token(id, "script")
    return id


async def live(client: Client, world: World, id: str) -> None:
    """Do much, and have much done to one."""
    service, now = world.service, days.now
    await world.join("friend", "harasser", "private", "boss")
    await world.make_admin("boss")
    await service.people.change("private", Profile(is_private=True))
    await service.moderation.add_word("boss", FLAGGED)
    await world.follow((id, "friend"), ("friend", id), (id, "harasser"), ("harasser", id), (id, "private"))
    await service.devices.register("friend", "ExponentPushToken[friend]", DeviceType.IOS)
    for text in (ANSWER, DELETED, FLAGGED):
        day = (await world.ask()).day
        await world.answer(id, text)
        await world.answer("friend", "友だちの答え")
        await service.reactions.react(id, day, "friend", ReactionType.HEART)
        await service.submissions.submit(id, PROPOSED)
        if text == ANSWER:
            await service.reactions.react("friend", day, id, ReactionType.FIRE)
            await service.reports.send("friend", TargetType.ANSWER, f"{day}#{id}", ReportCategory.SPAM)
        elif text == DELETED:
            await service.answers.delete(id, day)
        world.clock.advance(DAY)
    await service.reports.send(id, TargetType.USER, "harasser", ReportCategory.HARASSMENT, REPORT)
    await service.reports.send("friend", TargetType.USER, id, ReportCategory.SPAM)
    await service.following.block(id, "harasser")
    await service.following.block("harasser", id)
    await service.following.mute("friend", id)
    await world.make_admin(id)
    await service.moderation.look(id, "friend", "通報のため", address=ADDRESS)
    await world.db.write(users.update(id).set(type(await world.user(id)).is_admin, False))
    warning = await service.sanctions.warn("boss", id, "おだやかに")
    await client.json("POST", f"/q/api/me/standing/{warning.decision_id}/appeal", {"text": APPEAL})
    await service.moderation.review_post("boss", day, id, remove=True)
    await service.sanctions.suspend("boss", id, 3, "少し休んで", proved_at=now(world.clock))


@pytest.fixture
async def busy(site: tuple[Client, World], monkeypatch: pytest.MonkeyPatch) -> tuple[Client, World, str]:
    """Word of every answer fails, and stands among the dead letters with all that is in it."""
    client, world = site

    async def fails(sequence: str, old: Answer | None, new: Answer | None) -> bool:
        raise RuntimeError("cannot be counted")

    monkeypatch.setattr(world.proven.numbers, "answer", fails)
    id = await sign_up(client, world)
    await live(client, world, id)
    await work(world)
    return client, world, id


async def test_nothing_is_left_in_any_table(busy: tuple[Client, World, str]) -> None:
    client, world, id = busy
    tables = {one.partition(":")[0] for one in await items_with(world, id)}
    assert len(tables) > 20, tables
    assert any(id in str(one.record) for one in await world.deployment.runtime.all(newest_set_aside()))
    await client.sign_in_by_email(EMAIL)
    assert (await client.get("/account/export")).status == 200
    assert (await client.json("POST", "/q/api/me/withdrawal")).status == 202
    world.clock.advance(WEEK)
    await client.json("POST", "/q/api/sign-in/code", {"email": EMAIL, "name": NAME})  # and nobody takes it
    await work(world)
    assert await world.db.get(users(id).consistent()) is None
    world.clock.advance(DAY + 3600)
    await work(world)
    left = await items_with(world, id, *WRITTEN)
    assert [one for one in left if reserved(APP_ID) not in one and "JOB#q/withdraw/" not in one] == []
    assert len(left) == 2


async def test_whoever_has_come_back_keeps_what_is_new(fair: World) -> None:
    """With the account that other systems need, too."""
    await fair.join("a")
    await fair.service.leaving.ask("a")
    fair.clock.advance(WEEK)
    await fair.settle()
    assert await fair.db.get(users("a").consistent()) is None
    await fair.service.people.join(Visitor("a", "a@example.com", "また"), date(2000, 1, 1))
    outbox = fair.opened.context.outbox
    await outbox.put("mail", "a@example.com", {"text": "新しい"}, id="new", people={"a"}, after=timedelta(days=3))
    fair.clock.advance(DAY + 3600)
    await fair.settle()
    assert await outbox.get("new") is not None
    assert await items_with(fair, "q/traces/") == []
