"""Recovery codes: ten, shown once, each good once in place of the authenticator app, and nothing more than that."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import AsyncIterator

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import totp
from sekkei.runtime.design import newest_messages
from sekkei.web.identity.accounts import WrongCode
from sekkei.web.identity.authenticators import RECOVERY_COUNT, TRIES_MAX, WINDOW_SECONDS
from sekkei.web.identity.design import Account, accounts
from sekkei.web.identity.proof import GOOD_FOR
from sekkei.web.testing import Client, Reply, opened
from sekkei.web.texts import COOKIE
from tests.lost import answer_lost
from tests.web.example import SYSTEM

EMAIL = "boss@example.com"


class Desk:
    def __init__(self, client: Client, account: str, clock: ManualClock) -> None:
        self.client, self.account, self.clock = client, account, clock

    async def set_up(self) -> list[str]:
        """An app; what its page shows are the codes."""
        key = await self.client.shell.authenticators.offer(self.account)
        code = totp.code(key, totp.step_at(self.clock.now()))
        return shown(await self.client.post("/account/authenticator", {"code": code}))

    def wait(self) -> None:
        self.clock.advance(GOOD_FOR.total_seconds() + 1)

    async def prove(self, code: str) -> Reply:
        return await self.client.post("/prove", {"code": code, "next": "/account/authenticator"})

    async def is_sure(self) -> bool:
        return (await self.client.get("/account/authenticator")).status == 200

    async def row(self) -> Account:
        return await self.client.shell.db.need(accounts(self.account).consistent())

    async def mails(self) -> list[str]:
        page = await self.client.shell.deployment.runtime.page(newest_messages(), size=20)
        return [one.body["text"] for one in page.items if one.to == EMAIL]


def shown(reply: Reply) -> list[str]:
    assert reply.status == 200
    found = re.search(r'id="recovery-codes">([^<]+)<', reply.text)
    assert found is not None
    return found[1].split()


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    clock = ManualClock()
    async with opened(SYSTEM, clock=clock) as client:
        yield Desk(client, await client.sign_in_by_email(EMAIL), clock)


async def test_ten_are_shown_once_and_stored_as_hashes_only(desk: Desk) -> None:
    codes = await desk.set_up()
    assert len(set(codes)) == RECOVERY_COUNT
    row = await desk.row()
    assert len(row.recovery) == RECOVERY_COUNT
    assert not [code for code in codes if code in repr(row) or code.replace("-", "") in repr(row)]
    page = (await desk.client.get("/account")).text
    assert "残り10個" in page
    assert not [code for code in codes if code in page]


async def test_each_is_good_once_in_place_of_a_code_and_its_owner_is_told(desk: Desk) -> None:
    codes = await desk.set_up()
    desk.wait()
    assert (await desk.prove(codes[3])).status == 303
    assert await desk.is_sure()
    (told,) = [text for text in await desk.mails() if "リカバリーコードが使われました" in text]
    assert "残りは9個" in told
    assert codes[3] not in told
    assert "残り9個" in (await desk.client.get("/account")).text
    desk.wait()
    assert (await desk.prove(codes[3])).status == 422
    assert not await desk.is_sure()
    assert (await desk.prove(codes[4])).status == 303


@pytest.mark.parametrize("nth", [1, 2])
async def test_one_whose_answer_was_lost_is_used_and_not_wrong(desk: Desk, nth: int) -> None:
    """First the try is counted, then the code is used up."""
    codes = await desk.set_up()
    with answer_lost(desk.client.shell.db, nth=nth):
        assert await desk.client.shell.authenticators.check(desk.account, codes[3]) == RECOVERY_COUNT - 1
    with pytest.raises(WrongCode):
        await desk.client.shell.authenticators.check(desk.account, codes[3])


async def test_an_app_s_code_whose_answer_was_lost_is_good_and_good_once(desk: Desk) -> None:
    key = await desk.client.shell.authenticators.offer(desk.account)
    await desk.client.shell.authenticators.confirm(desk.account, totp.code(key, totp.step_at(desk.clock.now())))
    desk.clock.advance(60)
    code = totp.code(key, totp.step_at(desk.clock.now()))
    with answer_lost(desk.client.shell.db, nth=2):
        await desk.client.shell.authenticators.check(desk.account, code)
    with pytest.raises(WrongCode):
        await desk.client.shell.authenticators.check(desk.account, code)


async def test_an_app_is_set_up_although_the_answer_was_lost(desk: Desk) -> None:
    key = await desk.client.shell.authenticators.offer(desk.account)
    code = totp.code(key, totp.step_at(desk.clock.now()))
    with answer_lost(desk.client.shell.db):
        codes = await desk.client.shell.authenticators.confirm(desk.account, code)
    assert await desk.client.shell.authenticators.check(desk.account, codes[0]) == RECOVERY_COUNT - 1


async def test_however_it_is_typed(desk: Desk) -> None:
    codes = await desk.set_up()
    wide = codes[1].translate(str.maketrans("0123456789", "０１２３４５６７８９"))
    for typed in (codes[0].replace("-", " "), f" {wide} ", codes[2].replace("-", "")):
        desk.wait()
        assert (await desk.prove(typed)).status == 303


async def test_tries_are_counted_with_those_of_the_app(desk: Desk) -> None:
    codes = await desk.set_up()
    desk.clock.advance(WINDOW_SECONDS * 2 - desk.clock.now() % WINDOW_SECONDS)
    wrong = [f"{number:012d}" for number in range(TRIES_MAX - 1)]
    assert [(await desk.prove(code)).status for code in [*wrong, "000000"]] == [422] * TRIES_MAX
    refused = await desk.prove(codes[0])
    assert (refused.status, refused.header("retry-after")) == (429, str(WINDOW_SECONDS))
    desk.clock.advance(WINDOW_SECONDS)
    assert (await desk.prove(codes[0])).status == 303, "the one that was refused is not used up"


async def test_they_are_of_one_account_only(desk: Desk) -> None:
    codes = await desk.set_up()
    other = Desk(desk.client.another(), "", desk.clock)
    other.account = await other.client.sign_in_by_email("other@example.com")
    await other.set_up()
    other.wait()
    assert (await other.prove(codes[0])).status == 422


async def test_made_anew_with_a_proof_which_ends_those_of_before(desk: Desk) -> None:
    codes = await desk.set_up()
    desk.wait()
    refused = await desk.client.post("/account/authenticator/codes")
    assert (refused.status, refused.location.partition("?")[0]) == (303, "/prove")
    await desk.prove(codes[0])
    fresh = shown(await desk.client.post("/account/authenticator/codes"))
    assert not set(fresh) & set(codes)
    assert [text for text in await desk.mails() if "新しいリカバリーコード" in text]
    desk.wait()
    assert (await desk.prove(codes[1])).status == 422
    assert (await desk.prove(fresh[0])).status == 303


async def test_they_end_with_the_app(desk: Desk) -> None:
    await desk.set_up()
    await desk.client.post("/account/authenticator/remove")
    assert (await desk.row()).recovery == frozenset()
    assert (await desk.client.post("/account/authenticator/codes")).status == 410


async def test_an_app_of_before_has_none_until_its_owner_makes_some(desk: Desk) -> None:
    await desk.set_up()
    await desk.client.shell.db.write(accounts.update(desk.account).remove(Account.recovery))
    assert "残り0個" in (await desk.client.get("/account")).text
    assert len(shown(await desk.client.post("/account/authenticator/codes"))) == RECOVERY_COUNT


async def test_no_export_has_them(desk: Desk) -> None:
    await desk.set_up()
    answer = await desk.client.get("/account/export")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        exported = archive.read("account.json").decode()
    assert EMAIL in exported
    assert "recovery" not in exported
    assert not [hash for hash in (await desk.row()).recovery if hash in exported]


async def test_in_english(desk: Desk) -> None:
    codes = await desk.set_up()
    desk.client.cookies[COOKIE] = "en"
    assert "10 codes left" in (await desk.client.get("/account")).text
    desk.wait()
    assert "Lost the app?" in (await desk.client.get("/prove")).text
    await desk.prove(codes[0])
    assert "9 recovery codes are left." in (await desk.client.get("/account")).text
