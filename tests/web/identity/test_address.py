"""Another e-mail address: both mailboxes must agree."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from sekkei.clock import ManualClock
from sekkei.kit.signing import OneTimeCode
from sekkei.runtime.design import newest_messages
from sekkei.web.identity.proof import GOOD_FOR
from sekkei.web.testing import Client, opened
from tests.web.example import SYSTEM

OLD, NEW = "old@example.com", "new@example.com"


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with opened(SYSTEM, clock=ManualClock()) as found:
        await found.sign_in_by_email(OLD)
        yield found


async def codes(client: Client) -> dict[str, str]:
    """By address, the newest that was mailed there."""
    page = await client.shell.deployment.runtime.page(newest_messages(), size=20)
    found: dict[str, str] = {}
    for message in page.items:
        digits = re.search(r"\d{6}", message.body["subject"])
        assert digits is not None
        found.setdefault(message.to, digits[0])
    return found


async def email(client: Client) -> str | None:
    for one in (OLD, NEW):
        if await client.shell.accounts.by_email(one):
            return one
    return None


def another(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06d}"


async def test_both_codes_change_it(client: Client) -> None:
    assert (await client.post("/account/email", {"email": " New@Example.com "})).location == "/account/email"
    mailed = await codes(client)
    assert set(mailed) == {OLD, NEW}
    assert NEW in (await client.get("/account/email")).text
    assert await email(client) == OLD
    reply = await client.post("/account/email/confirm", {"code": mailed[NEW], "old_code": mailed[OLD]})
    assert reply.location == "/account"
    assert await client.shell.accounts.by_email(OLD) is None
    assert NEW in (await client.get("/account")).text
    assert (await client.post("/account/email/confirm", {"code": mailed[NEW], "old_code": mailed[OLD]})).status == 410


@pytest.mark.parametrize("wrong", [NEW, OLD])
async def test_one_code_alone_changes_nothing(client: Client, wrong: str) -> None:
    await client.post("/account/email", {"email": NEW})
    mailed = await codes(client)
    given = {"code": mailed[NEW], "old_code": mailed[OLD]}
    given["code" if wrong == NEW else "old_code"] = another(mailed[wrong])
    for _ in range(OneTimeCode.TRIES_MAX):
        assert (await client.post("/account/email/confirm", given)).status == 422
    right = {"code": mailed[NEW], "old_code": mailed[OLD]}
    assert (await client.post("/account/email/confirm", right)).status == 410
    assert await email(client) == OLD


async def test_it_needs_a_proof_and_comes_in_time(client: Client) -> None:
    await client.post("/account/email", {"email": NEW})
    mailed = await codes(client)
    assert isinstance(client.shell.clock, ManualClock)
    client.shell.clock.advance(max(OneTimeCode.LIFE, GOOD_FOR).total_seconds() + 1)
    right = {"code": mailed[NEW], "old_code": mailed[OLD]}
    assert (await client.post("/account/email/confirm", right)).status == 410
    assert (await client.post("/account/email", {"email": NEW})).location.startswith("/prove")
    assert await email(client) == OLD


async def test_an_address_of_somebody_else_stays_theirs(client: Client) -> None:
    await client.post("/account/email", {"email": NEW})
    mailed = await codes(client)
    await client.shell.accounts.create(NEW, "somebody")
    reply = await client.post("/account/email/confirm", {"code": mailed[NEW], "old_code": mailed[OLD]})
    assert reply.status == 409
    assert "ほかのアカウント" in reply.text
    holder = await client.shell.accounts.by_email(NEW)
    assert holder is not None
    assert holder.name == "somebody"


@pytest.mark.parametrize("wrong", ["x", OLD, ""])
async def test_what_is_no_new_address_is_refused(client: Client, wrong: str) -> None:
    assert (await client.post("/account/email", {"email": wrong})).status == 422
    assert await codes(client) == {}
