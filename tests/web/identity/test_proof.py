"""Showing again that it is you: by password, by a mailed code, by an authenticator app, and by nothing else."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import totp
from sekkei.runtime.design import newest_messages
from sekkei.web.identity.design import sessions_of
from sekkei.web.identity.proof import GOOD_FOR
from sekkei.web.testing import Client, opened, test_settings
from tests.web.example import SYSTEM

EMAIL = "boss@example.com"


class Desk:
    def __init__(self, client: Client, account: str) -> None:
        self.client, self.account = client, account

    @property
    def clock(self) -> ManualClock:
        clock = self.client.shell.clock
        assert isinstance(clock, ManualClock)
        return clock

    async def is_sure(self) -> bool:
        """What needs a recent proof is let through."""
        return (await self.client.get("/account/authenticator")).status == 200

    def wait(self) -> None:
        self.clock.advance(GOOD_FOR.total_seconds() + 1)

    async def set_up(self) -> bytes:
        key = await self.client.shell.authenticators.offer(self.account)
        reply = await self.client.post("/account/authenticator", {"code": self.code(key)})
        assert reply.status == 200, "the recovery codes are shown"
        return key

    def code(self, key: bytes) -> str:
        return totp.code(key, totp.step_at(self.clock.now()))


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with opened(SYSTEM, clock=ManualClock()) as client:
        yield Desk(client, await client.sign_in_by_email(EMAIL))


async def test_signing_in_is_proof_for_ten_minutes(desk: Desk) -> None:
    assert await desk.is_sure()
    desk.clock.advance(GOOD_FOR.total_seconds())
    assert await desk.is_sure()
    desk.clock.advance(1)
    reply = await desk.client.get("/account/authenticator?x=1")
    assert (reply.status, reply.location) == (303, "/prove?next=%2Faccount%2Fauthenticator%3Fx%3D1")


async def test_by_password(desk: Desk) -> None:
    await desk.client.shell.accounts.set_password(desk.account, "correct horse")
    desk.wait()
    assert 'name="password"' in (await desk.client.get("/prove")).text
    assert (await desk.client.post("/prove", {"password": "wrong horse"})).status == 422
    assert not await desk.is_sure()
    reply = await desk.client.post("/prove", {"password": "correct horse", "next": "/example/"})
    assert (reply.status, reply.location) == (303, "/example/")
    assert await desk.is_sure()


async def test_a_new_password_is_no_way_around_the_proof(desk: Desk) -> None:
    """Whoever finds a session open must not choose a password and be sure with that."""
    desk.wait()
    reply = await desk.client.post("/account/password", {"password": "of a thief"})
    assert (reply.status, reply.location) == (303, "/prove?next=%2F")
    assert not await desk.is_sure()
    account = await desk.client.shell.accounts.get(desk.account)
    assert account is not None
    assert account.password is None


async def test_a_token_is_made_only_by_whoever_is_sure(desk: Desk) -> None:
    """It outlives the session, a new password and signing out everywhere."""
    desk.wait()
    reply = await desk.client.post("/account/tokens", {"name": "of a thief"})
    assert (reply.status, reply.location) == (303, "/prove?next=%2F")
    assert await desk.client.shell.accounts.tokens(desk.account) == []


async def test_the_console_of_an_operator_with_an_app_opens_with_its_code() -> None:
    """The outbox has the codes that everybody signs in with."""
    settings = test_settings(demo=False, values={"operators": EMAIL})
    async with opened(SYSTEM, settings=settings, clock=ManualClock()) as client:
        desk = Desk(client, await client.sign_in_by_email(EMAIL))
        assert (await client.get("/console/outbox")).status == 200, "without an app signing in is enough"
        key = await desk.set_up()
        await client.sign_in_by_email(EMAIL)
        for path in ("/console/outbox", "/console/tables", "/console/patterns"):
            reply = await client.get(path)
            assert (reply.status, reply.location) == (303, f"/prove?next={path.replace('/', '%2F')}")
        desk.clock.advance(60)
        await client.post("/prove", {"code": desk.code(key)})
        assert (await client.get("/console/outbox")).status == 200


async def test_by_a_mailed_code_and_not_by_somebody_elses(desk: Desk) -> None:
    desk.wait()
    page = await desk.client.post("/prove/mail", {"next": "/example/"})
    challenge = re.search(r'name="challenge" value="([^"]+)"', page.text)
    assert challenge is not None
    (mail,) = (await desk.client.shell.deployment.runtime.page(newest_messages(), size=1)).items
    code = re.search(r"\d{6}", mail.body["text"])
    assert code is not None
    assert mail.to == EMAIL
    theirs, their_code = await desk.client.shell.accounts.challenge("other@example.com")
    assert (await desk.client.post("/prove", {"challenge": theirs, "code": their_code})).status == 422
    assert not await desk.is_sure()
    reply = await desk.client.post("/prove", {"challenge": challenge[1], "code": code[0], "next": "/example/"})
    assert (reply.status, reply.location) == (303, "/example/")
    assert await desk.is_sure()
    desk.wait()
    assert (await desk.client.post("/prove", {"challenge": challenge[1], "code": code[0]})).status == 410


async def test_an_account_without_a_password_is_not_proved_by_an_empty_one(desk: Desk) -> None:
    desk.wait()
    assert (await desk.client.post("/prove", {"password": ""})).status == 422
    assert not await desk.is_sure()


async def test_with_an_app_only_its_codes_count_and_each_once(desk: Desk) -> None:
    await desk.client.shell.accounts.set_password(desk.account, "correct horse")
    key = await desk.set_up()
    desk.wait()
    assert (await desk.client.post("/prove", {"password": "correct horse"})).status == 422
    challenge, mailed = await desk.client.shell.accounts.challenge(EMAIL)
    assert (await desk.client.post("/prove", {"challenge": challenge, "code": mailed})).status == 422
    code = desk.code(key)
    assert (await desk.client.post("/prove", {"code": code})).status == 303
    assert await desk.is_sure()
    desk.clock.advance(1)
    assert (await desk.client.post("/prove", {"code": code})).status == 422
    other = desk.client.another()
    await other.sign_in_by_email(EMAIL)
    found = await desk.client.shell.db.all(sessions_of(desk.account).consistent())
    assert [one.proved_at for one in sorted(found, key=lambda one: one.created_at)][-1] is None


async def test_the_key_is_nowhere_in_the_table(desk: Desk) -> None:
    key = await desk.set_up()
    account = await desk.client.shell.accounts.get(desk.account)
    assert account is not None
    assert account.totp is not None
    assert totp.base32(key) not in repr(account)
    assert key.hex() not in repr(account)


async def test_removed_only_by_whoever_is_sure(desk: Desk) -> None:
    key = await desk.set_up()
    desk.wait()
    reply = await desk.client.post("/account/authenticator/remove")
    assert (reply.status, reply.location.partition("?")[0]) == (303, "/prove")
    assert (await desk.client.post("/prove", {"code": desk.code(key)})).status == 303
    assert (await desk.client.post("/account/authenticator/remove")).status == 303
    account = await desk.client.shell.accounts.get(desk.account)
    assert account is not None
    assert account.totp is None


async def test_a_wrong_code_sets_nothing_up(desk: Desk) -> None:
    await desk.client.get("/account/authenticator")
    assert (await desk.client.post("/account/authenticator", {"code": "000000"})).status == 422
    account = await desk.client.shell.accounts.get(desk.account)
    assert account is not None
    assert account.totp is None


async def test_guessing_is_slowed_down() -> None:
    async with opened(SYSTEM, clock=ManualClock(), settings=test_settings(values={"rate_limit": "on"})) as client:
        await client.sign_in_by_email(EMAIL)
        token = await client.token()
        replies = [await client.post("/prove", {"password": f"guess {n}"}, token=token) for n in range(11)]
        assert [one.status for one in replies] == [422] * 10 + [429]
