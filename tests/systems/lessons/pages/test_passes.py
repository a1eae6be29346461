from __future__ import annotations

import re

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.web.testing import Client
from tests.systems.lessons.steps import act

MEI = next(person.email for person in DEMO_PEOPLE if person.id == "demo-mei")
DESK = "/lessons/desk/gnz/passes"


async def test_the_desk_gives_tickets_and_a_member_books_with_one(client: Client) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    await client.post("/lessons/desk/gnz/rules", {"needs_pass": "on", "no_show_days": "30", "blocked_days": "7"})
    assert "この日に使える会員証か回数券がありません。" in await act(mei, "book")
    assert "会員証も回数券もありません" in (await mei.get("/lessons/passes")).text
    fields = {"email": MEI, "name": "4 回券", "valid_from": "2025-07-01", "valid_until": "2025-08-31", "tickets": "4"}
    given = await client.post(DESK, fields, follow=True)
    assert "渡しました。" in given.text
    assert "残り 4 枚" in given.text
    assert "予約しました。" in await act(mei, "book")
    assert "残り 3 枚" in (await mei.get("/lessons/passes")).text
    shown = (await client.get(f"{DESK}?email={MEI}")).text
    found = re.search(r'name="pass_id" value="([^"]+)"', shown)
    assert found is not None
    gone = await client.post(f"{DESK}/delete", {"email": MEI, "pass_id": found[1]}, follow=True)
    assert "取り消しました。" in gone.text
    assert "予約を取り消しました。" in await act(mei, "cancel")


async def test_what_is_wrong_is_said(client: Client) -> None:
    nobody = await client.get(f"{DESK}?email=nobody@example.com")
    assert "そのメールアドレスの会員は見つかりません。" in nobody.text
    await client.another().sign_in("demo-mei")
    past = {"email": MEI, "name": "x", "valid_from": "2025-07-01", "valid_until": "2025-07-02"}
    assert "確認してください" in (await client.post(DESK, past, follow=True)).text
