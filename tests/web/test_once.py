"""Requests with an Idempotency-Key, through the shell."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from sekkei.runtime.refusals import Conflict
from sekkei.runtime.system import Context, Parts, System
from sekkei.web import Answer, Api, Given, NotGiven, User
from sekkei.web.testing import Client, Reply, opened
from tests.web.example import SYSTEM


class Number(msgspec.Struct):
    n: int = 0
    why: str = ""


class Counter:
    """Counts what happens, and can be stopped in the midst of it."""

    def __init__(self) -> None:
        self.happened: list[int] = []
        self.refusing = self.waiting = False
        self.begun = asyncio.Event()


def counting(counter: Counter) -> System:
    def build(context: Context) -> Parts:
        api = Api("count", title="Count", repeatable_in="box")

        @api.post("/{box}/numbers", summary="Count", status=201)
        async def count(user: User, box: str, body: Number) -> Answer[list[int]]:
            if counter.refusing:
                raise Conflict()
            if counter.waiting:
                counter.begun.set()
                await asyncio.Event().wait()
            counter.happened.append(body.n)
            return Answer(counter.happened, etag=len(counter.happened))

        @api.delete("/{box}/numbers", summary="Begin anew")
        async def clear(user: User, box: str) -> None:
            counter.happened.clear()

        return Parts(routes=api.routes(Given(context.idempotency)))

    async def demo(context: Context, parts: Parts) -> None: ...

    return System(name="count", title={}, about={}, design=SYSTEM.design, build=build, demo=demo)


async def send(client: Client, body: Any, key: str = "k", box: str = "a", **headers: str) -> Reply:
    sent: Mapping[str, str] = {"Idempotency-Key": key, **headers}
    return await client.json("POST", f"/count/api/{box}/numbers", body, headers=sent)


async def test_one_effect_and_the_answer_of_that_time() -> None:
    counter = Counter()
    async with opened(counting(counter)) as client:
        await client.sign_in()
        first = await send(client, {"n": 1, "why": "x"})
        await send(client, {"n": 2}, "other")
        again = await send(client, {"why": "x", "n": 1})
        assert (first.status, first.json(), first.header("idempotency-replayed")) == (201, [1], None)
        assert (again.status, again.json(), again.header("etag")) == (201, [1], '"1"')
        assert again.header("idempotency-replayed") == "true"
        assert again.header("content-type") == "application/json"
        assert counter.happened == [1, 2]
        for other in (send(client, {"n": 3}), send(client, {"n": 1, "why": "x"}, **{"If-Match": '"1"'})):
            refused = await other
            assert (refused.status, refused.json()["code"]) == (422, "key-reused")
        assert (await send(client, {"n": 3}, box="b")).status == 201, "keys are apart for each box"
        another = client.another()
        await another.sign_in("demo-ren")
        assert (await send(another, {"n": 4})).status == 201, "keys are one's own"
        assert counter.happened == [1, 2, 3, 4]


async def test_a_body_that_nobody_reads_is_part_of_the_question() -> None:
    async with opened(counting(Counter())) as client:
        await client.sign_in()
        headers = {"Idempotency-Key": "k", "X-CSRF-Token": await client.token()}
        replies = [
            await client.request("DELETE", "/count/api/a/numbers", body, headers)
            for body in (b"{", b"{", b"", b"[" * 9999)
        ]
        assert [reply.status for reply in replies] == [204, 204, 422, 422]


async def test_a_refusal_is_not_kept() -> None:
    counter = Counter()
    async with opened(counting(counter)) as client:
        await client.sign_in()
        counter.refusing = True
        assert (await send(client, {"n": 1})).status == 409
        counter.refusing = False
        assert (await send(client, {"n": 1})).json() == [1]
        assert (await send(client, {"n": "x"}, "y")).status == 422
        assert (await send(client, {"n": 2}, "y")).json() == [1, 2], "what cannot be read takes no key"
        assert (await send(client, {"n": 2}, "y" * 256)).json()["code"] == "validation"
        client.sign_out()
        assert (await send(client, {"n": 1})).status == 401, "an answer is only for whoever may ask"


async def test_what_has_begun_and_not_ended_never_happens_twice() -> None:
    """Also when the server was stopped in the midst of it: nobody knows then whether it happened."""
    counter = Counter()
    counter.waiting = True
    async with opened(counting(counter)) as client:
        await client.sign_in()
        first = asyncio.create_task(send(client, {"n": 1}))
        await counter.begun.wait()
        second = await send(client, {"n": 1})
        assert (second.status, second.json()["code"]) == (409, "key-in-use")
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        counter.waiting = False
        assert (await send(client, {"n": 1})).status == 409
        assert (await send(client, {"n": 1}, "new")).json() == [1]


async def test_an_api_without_a_place_for_keys_does_not_load() -> None:
    with pytest.raises(NotGiven, match="takes Idempotency-Keys"):
        Api("x", title="X", repeatable_in="").routes(Given())
