"""What people do with a system once it is deployed. It ends in the outbox, by way of a stream; the event bot has no
stream, and its clock sees to what Discord is told."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from sekkei.runtime.transports.line import signature
from sekkei.worlds import Script
from sekkei_fakes.discord.end import API
from sekkei_systems.chiipochi.ports.stripe import sign_body
from sekkei_systems.chiipochi.service.donations import order_id_of
from tests.publish.aws.deployed import LONG_AGO, Stack, Visitor, until
from tests.systems.chiipochi.conftest import CHECKOUT
from tests.worlds.chiipochi import SECRET as LINE_SECRET
from tests.worlds.chiipochi import WEBHOOK_SECRET as STRIPE_SECRET
from tests.worlds.chiipochi import WORLD as chiipochi_world
from tests.worlds.eventbot import APPLICATION
from tests.worlds.eventbot import SIGNER as DISCORD
from tests.worlds.eventbot import WORLD as eventbot_world
from tests.worlds.lessons import WORLD as lessons_world
from tests.worlds.q import WORLD as q_world
from tests.worlds.tasks import WORLD as tasks_world

ASKING_OUTSIDE = ("chiipochi/books",)
"""What recurs and fails where the service is not there that it asks (Stripe)."""
NOBODY = 9
"""A port at which nobody answers, and at once."""
MOST_PEOPLE = 150
MOST_VILLAGES = 20
STEPS_OF_LEAVING = 4


def operator(system: str, number: int) -> str:
    """Short, because all of them stand in a setting of the functions."""
    return f"{system[0]}{number}@x.jp"


def operators(system: str) -> str:
    """Whoever walks, and of those who live in a village the one that has rights."""
    walking = [operator(system, number) for number in range(MOST_PEOPLE)]
    role = {"chiipochi": "operator", "lessons": "staff"}.get(system)
    return ",".join([*walking, *(f"{role}-{number}-1@example.com" for number in range(MOST_VILLAGES) if role)])


def parameters(system: str, ports: Mapping[str, int]) -> dict[str, str]:
    """What the system's world sets, with services outside where they are."""
    settings = WORLDS[system].settings
    given = {name: value for name, value in settings.items() if name != "operators" and not name.endswith("_api_url")}
    if system == "lessons":
        given["lessons_staff"] = operators(system)
        given["lessons_booking_url"] = f"sby=http://127.0.0.1:{ports.get('studio.example', NOBODY)}"
    return {name.title().replace("_", ""): value for name, value in given.items()}


OUTSIDE = {"DISCORD": ("discord.com", API), "LINE": ("api.line.me", ""), "STRIPE": ("api.stripe.com", "")}


def outside(template: dict[str, Any], ports: Mapping[str, int]) -> None:
    """Services outside at these ports by their names; the others are not there."""
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Lambda::Function":
            variables = resource["Properties"]["Environment"]["Variables"]
            for name, (host, path) in OUTSIDE.items():
                variables[f"SEKKEI_{name}_API_URL"] = f"http://127.0.0.1:{ports.get(host, NOBODY)}{path}"


Ending = tuple[str, str]
"""What waits in the runtime's table in the end: the kind of row, and how its name begins."""


PAGES = {"eventbot": "/"}
"""Not the first pages of the others: Ministack takes the slash off their paths, which API Gateway does not."""


SEEN = ("/account", "/console")
ALSO_SEEN = {
    "q": ("/q/admin", "/q/admin/users", "/q/admin/numbers"),
    "lessons": ("/lessons/mine", "/lessons/desk/gnz", "/lessons/settings"),
    "chiipochi": ("/chiipochi/ranking", "/chiipochi/day", "/chiipochi/operator", "/chiipochi/operator/books"),
    "eventbot": ("/eventbot/link", f"/eventbot/guilds/{'4' * 18}"),
    "tasks": ("/tasks/notes",),
}


def use(stack: Stack, number: int = 0) -> None:
    """Page → function → table → stream → function → outbox, and what recurs; each time by somebody else."""
    visit(stack, number)
    for name in recurring(stack):
        fire(stack, name)


def visit(stack: Stack, number: int) -> None:
    person = Visitor(stack, number)
    person.sign_up(operator(stack.name, number))
    assert person.follow(person.get(PAGES.get(stack.name, f"/{stack.name}/docs"))).status_code == 200
    before = {kind: set(stack.waiting(kind)) for kind in ("OUTBOX", "SCHEDULE")}
    kind, reason = WALKS[stack.name](stack, person)

    def came() -> list[str]:
        stack.invoke("work")
        return [name for name in stack.waiting(kind) if name.startswith(reason) and name not in before[kind]]

    until(came)
    for path in (*SEEN, *ALSO_SEEN.get(stack.name, ()), *person.places):
        person.look_round(path)


def recurring(stack: Stack) -> list[str]:
    return sorted(name for name, row in stack.waiting("SCHEDULE").items() if "cron" in row)


def fire(stack: Stack, name: str) -> None:
    """The clock sees to it and sets its next time."""
    stack.bring_forward(name)
    until(lambda: stack.invoke("work") or stack.waiting("SCHEDULE")[name]["due_at"]["S"] > LONG_AGO)
    error = stack.waiting("SCHEDULE")[name].get("last_error", {}).get("S")
    assert error is None or (name in ASKING_OUTSIDE and "not authorized" not in error), f"{name}: {error}"


def leave(stack: Stack, number: int) -> None:
    """Somebody takes their data along and goes; what they have left is removed in steps."""
    person = Visitor(stack, number)
    person.sign_up(operator(stack.name, number))
    WALKS[stack.name](stack, person)
    taken = person.get("/account/export")
    assert taken.status_code == 200, taken.text
    with ZipFile(BytesIO(taken.content)) as inside:  # written while it is read, and yet it comes whole
        assert operator(stack.name, number) in inside.read("account.json").decode()
    person.get("/account/leave")
    assert person.post("/account/leave", sure="1").status_code == 303
    for _ in range(STEPS_OF_LEAVING):
        stack.invoke("work")


def tasks(stack: Stack, person: Visitor) -> Ending:
    assert invite(person, f"friend-{person.number}@{stack.name}.example") == 303
    return "OUTBOX", "tasks/invitation"


def invite(person: Visitor, email: str) -> int:
    """Make a team and invite somebody to it; how that was answered."""
    person.get("/account")
    team = person.post("/tasks/teams", name="Team", description="")
    path = team.headers.get("Location", "")
    person.places.append(path)
    return person.post(f"{path}/invitations", email=email, role="member").status_code if path else team.status_code


def q(stack: Stack, person: Visitor) -> Ending:
    """Two join, one follows the other, whose telephone hears of it."""
    friend = Visitor(stack)
    friend.sign_up(f"friend-{person.number}@{stack.name}.example")
    people = []
    for number, one in enumerate((person, friend)):
        joined = one.json("POST", "/q/api/me", {"birthDate": "1990-01-01", "displayName": "Hana"})
        people.append(joined["userId"] if "userId" in joined else joined["id"])
        one.json("PUT", "/q/api/me/app-id", {"appId": f"person{person.number}{'ab'[number]}"})
    friend.json("PUT", "/q/api/me/devices", {"token": "ExponentPushToken[abcdefghijklmnopqrstuv]", "deviceType": "ios"})
    person.json("PUT", f"/q/api/users/{people[1]}/follow", {})
    return "OUTBOX", "q/"


def lessons(stack: Stack, person: Visitor) -> Ending:
    """Somebody looks for lessons of a studio; one appears, and what appeared is told together after a while."""
    person.json("GET", "/lessons/api/me/preferences", None)  # where they are told things is known from then on
    person.json("POST", "/lessons/api/me/searches", {"studio": "gnz"})
    day = date.today() + timedelta(days=5 + person.number % 10)
    hour, minute = 8 + person.number // 10 % 10, person.number // 100
    lesson = {"name": "ヨガ", "instructor": "Mei", "end": f"{hour + 1:02}:00", "capacity": 10}
    person.json("POST", f"/lessons/api/lessons/gnz/{day}/{hour:02}:{minute:02}", lesson)
    for gathered in until(lambda: [name for name in stack.waiting("SCHEDULE") if name.startswith("lessons/searches/")]):
        stack.bring_forward(gathered)
    return "OUTBOX", "lessons/"


def chiipochi(stack: Stack, person: Visitor) -> Ending:
    """An operator is at the desk. Somebody names a speciality, says yes, and pays."""
    at_the_desk(person)
    user = f"U{person.number:032x}"
    for words in ("ピーナッツ", "はい"):
        event = {
            "type": "message",
            "mode": "active",
            "timestamp": int(time.time() * 1000),
            "source": {"type": "user", "userId": user},
            "webhookEventId": f"EVT{time.time_ns()}",
            "deliveryContext": {"isRedelivery": False},
            "replyToken": f"{time.time_ns():032}",
            "message": {"id": f"{time.time_ns()}", "type": "text", "text": words, "quoteToken": "q"},
        }
        body = json.dumps({"destination": "U" + "0" * 32, "events": [event]}).encode()
        signature_line = signature(LINE_SECRET.encode(), body)
        assert person.send("/chiipochi/webhook", body, {"x-line-signature": signature_line}) == 200
        stack.invoke("work")
    (row,) = until(lambda: [row for row in stack.rows("donation_history") if row["user_id"]["S"] == user])
    paid = datetime.fromisoformat(row["created_at"]["S"])
    order_id = order_id_of(row["user_id"]["S"], paid)
    session = {**CHECKOUT, "id": f"cs_{person.number}", "metadata": {"order_id": order_id}}
    body = json.dumps(
        {"id": f"e{person.number}", "type": "checkout.session.completed", "data": {"object": session}}
    ).encode()
    headers = {"stripe-signature": sign_body(STRIPE_SECRET.encode(), time.time(), body)}
    assert person.send("/chiipochi/payments/stripe", body, headers) == 200
    return "OUTBOX", "chiipochi/thanks"


def at_the_desk(person: Visitor) -> None:
    """An appeal, texts and totals; it stays signed by whoever did it, until they leave."""
    day, desk = f"{date.today()}", "/chiipochi/operator"
    appeal = {"code": f"n{time.time_ns() // 1000}", "ja": "能登半島地震", "words": "能登", "goal": "1000", "first": day}
    person.get(desk)
    assert person.post(f"{desk}/appeals", **appeal, last=day).status_code == 303
    for path in ("reconcile", "repair", "export", "books/sync"):
        assert person.post(f"{desk}/{path}", day=day).status_code == 303, path


def _interacts(person: Visitor, interaction: Mapping[str, Any]) -> bool:
    """Once more is another interaction: whatever became of one, it is taken once."""
    body = json.dumps({**interaction, "id": f"{time.time_ns() // 10}"}).encode()
    status = person.send("/eventbot/interactions", body, DISCORD.headers(body, time.time()))
    assert status in (200, 409), status
    return status == 200


def eventbot(stack: Stack, person: Visitor) -> Ending:
    """Somebody makes an event, with its reminders."""
    start = (datetime.now(UTC) + timedelta(days=3)).strftime("%Y-%m-%d 21:00")
    before = {row["event_id"]["S"] for row in stack.rows("Events")}
    values = {"title": "もくもく会", "start": start, "capacity": "8"}
    components = [
        {"type": 18, "id": at, "component": {"type": 4, "id": at + 100, "custom_id": name, "value": value}}
        for at, (name, value) in enumerate(values.items(), 1)
    ]
    user = {"id": "2" * 18, "username": "aoi", "global_name": "Aoi", "discriminator": "0", "avatar": None}
    member: dict[str, Any] = {
        "user": user,
        "nick": None,
        "roles": [],
        "permissions": "8",
        "joined_at": "2020-01-01T00:00:00+00:00",
    }
    interaction = {
        "id": "",
        "application_id": APPLICATION,
        "type": 5,
        "token": "token",
        "version": 1,
        "guild_id": "4" * 18,
        "guild": {"id": "4" * 18, "locale": "ja", "features": []},
        "channel_id": "5" * 18,
        "channel": {"id": "5" * 18, "type": 0, "name": "bosyu", "guild_id": "4" * 18, "permissions": "8"},
        "member": {**member, "deaf": False, "mute": False, "flags": 0},
        "data": {"custom_id": "e1:create:", "components": components},
        "app_permissions": "8",
        "locale": "ja",
        "guild_locale": "ja",
        "context": 0,
        "entitlements": [],
        "authorizing_integration_owners": {"0": "4" * 18},
    }
    until(lambda: _interacts(person, interaction))
    # A request that failed half way, and was sent again, may have made one too.
    made, *_ = {row["event_id"]["S"] for row in stack.rows("Events")} - before
    return "SCHEDULE", f"evt-{made.partition('#')[2]}"


WORLDS: Mapping[str, Script] = {
    each.name: each for each in (chiipochi_world, eventbot_world, lessons_world, q_world, tasks_world)
}
WALKS: Mapping[str, Callable[[Stack, Visitor], Ending]] = {
    walked.__name__: walked for walked in (chiipochi, eventbot, lessons, q, tasks)
}
