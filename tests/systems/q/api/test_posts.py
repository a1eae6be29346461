"""The timeline and answers over the API."""

from __future__ import annotations

import json
from datetime import date

from sekkei.web.testing import Client
from sekkei_systems.q.rules import times
from sekkei_systems.q.service.people import Visitor
from tests.systems.q.conftest import World


async def test_pages_of_the_timeline(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    names = [f"user{n}" for n in range(7)]
    await world.join("demo-aoi", *names)
    await world.ask()
    for name in names:
        await world.follow(("demo-aoi", name))
        await world.answer(name)
        world.clock.advance(1)
    await world.answer("demo-aoi")
    found: list[str] = []
    path = "/q/api/timeline?limit=3"
    while path:
        page = (await client.json("GET", path)).json()
        found += [one["author"]["userId"] for one in page["items"]]
        path = f"/q/api/timeline?limit=3&after={page['cursor']}" if page["cursor"] else ""
    assert found == [*names, "demo-aoi"]
    assert (await client.json("GET", "/q/api/timeline?after=nonsense")).status == 400
    assert (await client.json("GET", "/q/api/timeline?limit=0")).status == 422


async def test_others_learn_nothing_of_what_became_of_a_post(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", "author")
    await world.follow(("demo-aoi", "author"))
    day = (await world.ask()).day
    await world.answer("author")
    assert (await client.json("GET", f"/q/api/answers/{day}/author")).json()["code"] == "answer-first"
    await world.answer("demo-aoi")
    shown = (await client.json("GET", f"/q/api/answers/{day}/author")).json()
    assert (shown["answer"]["text"], shown["question"]) == ("秋が好き", "好きな季節は？")
    assert "email" not in json.dumps(shown)
    await world.service.answers.delete("author", day)
    assert (await client.json("GET", f"/q/api/answers/{day}/author")).json()["code"] == "no-such-answer"
    assert (await client.json("GET", f"/q/api/answers/{day}/nobody")).json()["code"] == "no-such-answer"


async def test_cursors_of_others_are_refused(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", "star", *(f"fan{n}" for n in range(35)))
    for n in range(35):
        await world.follow((f"fan{n}", "star"))
        await world.service.people.join(Visitor(f"x{n}", f"x{n}@example.com", "x"), date(2000, 1, 1))
        await world.follow((f"x{n}", "demo-aoi"))
    page = (await client.json("GET", "/q/api/users/star/followers")).json()
    assert len(page["items"]) == 30
    reply = await client.json("GET", f"/q/api/users/demo-aoi/followers?after={page['cursor']}")
    assert (reply.status, reply.json()["code"]) == (400, "cursor")


async def test_a_device_that_asks_again_hears_that_undoing_is_over(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    day = (await world.ask()).day
    await world.answer("demo-aoi")
    assert (await client.json("DELETE", f"/q/api/answers/{day}")).json()["canRestore"]
    kept = await client.json("GET", "/q/api/today")
    again = {"If-None-Match": kept.header("etag") or ""}
    assert (await client.json("GET", "/q/api/today", headers=again)).status == 304
    world.clock.advance(times.UNDO.total_seconds() + 61)
    await client.sign_in("demo-aoi")
    await client.work()
    answer = (await client.json("GET", "/q/api/today", headers=again)).json()["answer"]
    assert (answer["canRestore"], answer["text"]) == (False, "")
