"""Identities of providers: found from both sides, one account each, gone with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sekkei.clock import ManualClock
from sekkei.web.identity import identities as module
from sekkei.web.identity.design import Identity, identities
from sekkei.web.identity.identities import hash_of
from sekkei.web.testing import Client, opened
from tests.web.example import SYSTEM

ISSUER = "https://id.example"


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with opened(SYSTEM, clock=ManualClock()) as found:
        yield found


async def test_one_account_wins(client: Client) -> None:
    known = client.shell.accounts.identities
    owners = await asyncio.gather(*(known.link(f"a{n}", ISSUER, "s1") for n in range(5)))
    assert len(set(owners)) == 1
    found = await known.known(ISSUER, "s1")
    assert found is not None
    assert found.account_id == owners[0]
    assert [one.issuer for one in await known.of(owners[0])] == [ISSUER]
    others = [await known.of(f"a{n}") for n in range(5) if f"a{n}" != owners[0]]
    assert others == [[], [], [], []]


async def test_it_can_be_taken_off_by_its_owner_alone(client: Client) -> None:
    known = client.shell.accounts.identities
    await known.link("a1", ISSUER, "s1")
    assert not await known.unlink("a2", hash_of(ISSUER, "s1"))
    assert await known.unlink("a1", hash_of(ISSUER, "s1"))
    assert await known.known(ISSUER, "s1") is None
    assert await known.of("a1") == []


async def test_identities_of_an_earlier_version_are_linked_once(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_ITEMS", 2)
    for number in range(5):
        row = Identity(hash=f"h{number}", account_id=f"a{number}", issuer=ISSUER, subject=str(number))
        await client.shell.db.write(identities.create(row))
    worker = client.shell.deployment.worker
    await worker.tick(10)
    known = client.shell.accounts.identities
    assert [len(await known.of(f"a{number}")) for number in range(5)] == [1] * 5
    await known.forget("a3")
    assert await client.shell.db.get(identities("h3")) is None
