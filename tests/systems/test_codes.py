"""Codes that people type are read alike wherever they are typed; what is no code costs no try."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import totp
from sekkei.runtime.design import newest_messages
from sekkei.web.identity.authenticators import WINDOW_SECONDS
from sekkei.web.testing import Client, opened, test_settings
from sekkei_systems.lessons.system import SYSTEM as LESSONS
from sekkei_systems.q.system import SYSTEM as Q
from tests.kit.test_codes import RIGHT, WRONG_FORM, typed
from tests.web.example import SYSTEM

EMAIL, OTHER = "typist@example.com", "other@example.com"
NOON = 1_753_844_400.0


@dataclass
class Entry:
    """One place where a code is typed: `ask` gives a new one, `give` says whether what was typed was taken."""

    ask: Callable[[], Awaitable[str]]
    give: Callable[[str], Awaitable[bool]]


async def mailed(client: Client, to: str) -> str:
    found = await client.shell.deployment.runtime.page(newest_messages(), size=20)
    message = next(one for one in found.items if one.to == to)
    code = re.search(r"\d{6}", message.body["subject"] + message.body["text"])
    assert code is not None
    return code[0]


async def signing_in(clock: ManualClock) -> AsyncIterator[Entry]:
    async with opened(SYSTEM, clock=clock) as client:

        async def ask() -> str:
            client.sign_out()
            await client.post("/sign-in/mail", {"email": EMAIL})
            return await mailed(client, EMAIL)

        async def give(text: str) -> bool:
            return (await client.post("/sign-in/code", {"code": text})).status == 303

        yield Entry(ask, give)


async def proving_by_mail(clock: ManualClock) -> AsyncIterator[Entry]:
    async with opened(SYSTEM, clock=clock) as client:
        await client.sign_in_by_email(EMAIL)
        challenge = ""

        async def ask() -> str:
            nonlocal challenge
            page = (await client.post("/prove/mail", {})).text
            challenge = re.findall(r'name="challenge"[^>]*value="([^"]+)"', page)[0]
            return await mailed(client, EMAIL)

        async def give(text: str) -> bool:
            return (await client.post("/prove", {"code": text, "challenge": challenge})).status == 303

        yield Entry(ask, give)


async def setting_an_app_up(clock: ManualClock) -> AsyncIterator[Entry]:
    async with opened(SYSTEM, clock=clock) as client:
        account = await client.sign_in_by_email(EMAIL)

        async def ask() -> str:
            await client.shell.authenticators.remove(account)
            key = await client.shell.authenticators.offer(account)
            return totp.code(key, totp.step_at(clock.now()))

        async def give(text: str) -> bool:
            await client.sign_in_by_email(EMAIL)  # a proof of who they are
            return (await client.post("/account/authenticator", {"code": text})).status == 200

        yield Entry(ask, give)


async def proving_by_app(clock: ManualClock) -> AsyncIterator[Entry]:
    async with opened(SYSTEM, clock=clock) as client:
        account = await client.sign_in_by_email(EMAIL)
        key = await client.shell.authenticators.offer(account)
        await client.shell.authenticators.confirm(account, totp.code(key, totp.step_at(clock.now())))

        async def ask() -> str:
            return totp.code(key, totp.step_at(clock.now()))

        async def give(text: str) -> bool:
            return (await client.post("/prove", {"code": text})).status == 303

        yield Entry(ask, give)


async def recovering(clock: ManualClock) -> AsyncIterator[Entry]:
    async with opened(SYSTEM, clock=clock) as client:
        account = await client.sign_in_by_email(EMAIL)
        key = await client.shell.authenticators.offer(account)
        await client.shell.authenticators.confirm(account, totp.code(key, totp.step_at(clock.now())))

        async def ask() -> str:
            return (await client.shell.authenticators.renew(account))[0].replace("-", "")

        async def give(text: str) -> bool:
            return (await client.post("/prove", {"code": text})).status == 303

        yield Entry(ask, give)


async def changing_the_address(clock: ManualClock, *, old: bool = False) -> AsyncIterator[Entry]:
    async with opened(SYSTEM, clock=clock) as client:
        here, there = EMAIL, OTHER
        codes = {EMAIL: "", OTHER: ""}
        await client.sign_in_by_email(here)

        async def ask() -> str:
            await client.sign_in_by_email(here)
            await client.post("/account/email", {"email": there})
            codes.update({to: await mailed(client, to) for to in codes})
            return codes[here if old else there]

        async def give(text: str) -> bool:
            nonlocal here, there
            given = {"code": codes[there], "old_code": text} if old else {"code": text, "old_code": codes[here]}
            if (await client.post("/account/email/confirm", given)).status != 303:
                return False
            here, there = there, here
            return True

        yield Entry(ask, give)


async def changing_the_old_address(clock: ManualClock) -> AsyncIterator[Entry]:
    async for entry in changing_the_address(clock, old=True):
        yield entry


async def the_app_of_q(clock: ManualClock) -> AsyncIterator[Entry]:
    async with opened(Q, clock=clock) as client:
        challenge = ""

        async def ask() -> str:
            nonlocal challenge
            challenge, code = await client.shell.accounts.challenge(EMAIL)
            return code

        async def give(text: str) -> bool:
            body = {"challenge": challenge, "code": text}
            return (await client.json("POST", "/q/api/sign-in", body)).status == 200

        yield Entry(ask, give)


async def lessons_contact(clock: ManualClock, *, page: bool = False) -> AsyncIterator[Entry]:
    async with opened(LESSONS, clock=clock) as client:
        await client.sign_in("demo-aoi")
        await client.json("GET", "/lessons/api/me/preferences")

        async def ask() -> str:
            await client.json("POST", "/lessons/api/me/addresses", {"channel": "mail", "address": EMAIL})
            return await mailed(client, EMAIL)

        async def give(text: str) -> bool:
            if page:
                return (await client.post("/lessons/settings/proof", {"channel": "mail", "code": text})).status == 303
            return (await client.json("POST", "/lessons/api/me/addresses/mail/proof", {"code": text})).status < 300

        yield Entry(ask, give)


async def lessons_page(clock: ManualClock) -> AsyncIterator[Entry]:
    async for entry in lessons_contact(clock, page=True):
        yield entry


async def lessons_chat(clock: ManualClock) -> AsyncIterator[Entry]:
    settings = test_settings(values={"line_channel_secret": "s3cret", "line_channel_token": "t0ken"})
    async with opened(LESSONS, clock=clock, settings=settings) as client:
        await client.sign_in("demo-aoi")

        async def ask() -> str:
            await client.json("DELETE", "/lessons/api/me/addresses/line")
            code = re.search(r"トークで (\d{8}) を", (await client.post("/lessons/settings/line")).text)
            assert code is not None
            return code[1]

        async def give(text: str) -> bool:
            message = {"type": "text", "text": text}
            event = {"type": "message", "source": {"type": "user", "userId": "U123"}, "message": message}
            event["webhookEventId"] = f"e{clock.now()}{hash(text)}"
            body = orjson.dumps({"events": [event]})
            signature = base64.b64encode(hmac.digest(b"s3cret", body, hashlib.sha256)).decode()
            headers = {"X-Line-Signature": signature, "Content-Type": "application/json"}
            assert (await client.another().request("POST", "/lessons/line", body, headers)).status == 200
            return "連携しています" in (await client.get("/lessons/settings")).text

        yield Entry(ask, give)


ENTRIES = [
    signing_in,
    proving_by_mail,
    setting_an_app_up,
    proving_by_app,
    recovering,
    changing_the_address,
    changing_the_old_address,
    the_app_of_q,
    lessons_contact,
    lessons_page,
    lessons_chat,
]


@pytest.mark.parametrize("place", ENTRIES)
async def test_a_code_is_taken_as_people_type_it(place: Callable[[ManualClock], AsyncIterator[Entry]]) -> None:
    clock = ManualClock(NOON)
    refused = []
    async with asynccontextmanager(place)(clock) as entry:
        for template in RIGHT:
            clock.advance(WINDOW_SECONDS + 3_600)
            if not await entry.give(typed(template, await entry.ask())):
                refused.append(template)
    assert refused == []


@pytest.mark.parametrize("place", ENTRIES)
async def test_what_is_no_code_costs_no_try(place: Callable[[ManualClock], AsyncIterator[Entry]]) -> None:
    clock = ManualClock(NOON)
    async with asynccontextmanager(place)(clock) as entry:
        clock.advance(WINDOW_SECONDS + 3_600)
        code = await entry.ask()
        for template in WRONG_FORM[:9]:
            assert not await entry.give(typed(template, code))
        assert await entry.give(code)
