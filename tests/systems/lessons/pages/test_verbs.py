"""The desk's verbs by their forms."""

from __future__ import annotations

import re

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.web.testing import Client
from tests.systems.lessons.steps import act, notices_of
from tests.systems.lessons.world import LESSON

REN = next(person.email for person in DEMO_PEOPLE if person.id == "demo-ren")
PEOPLE = f"/lessons/desk/gnz/people/{LESSON}"


async def said(client: Client, verb: str, **fields: str) -> str:
    return (await client.post(f"/lessons/desk/gnz/{verb}/{LESSON}", fields, follow=True)).text


async def test_places_messages_moves_and_undo(client: Client) -> None:
    ren = client.another()
    await ren.sign_in("demo-ren")
    await act(ren, "favorite")
    assert "当日受付で席を取りました。" in await said(client, "seat", name="飛び込み 花子")
    page = (await client.get(PEOPLE)).text
    assert "飛び込み 花子 さんを当日受付" in page
    assert "満席です" in await said(client, "seat", email=REN)
    assert "そのメールアドレスの会員は見つかりません。" in await said(client, "seat", email="nobody@example.com")
    found = re.search(r'name="act_id" value="([^"]+)"', page)
    assert found is not None
    assert "元に戻しました。" in await said(client, "undo", act_id=found[1])
    assert "予約にしました" in await said(client, "seat", email=REN)
    assert "1 人に送りました。" in await said(client, "message", words="タオルをお持ちください")
    assert "文字以内で入力してください" in await said(client, "message", words=" ")
    moved = await said(client, "move", lesson_date="2025-07-31", start_time="２０：００")
    assert "レッスンを移しました。" in moved
    assert "20:00" in moved
    subjects = {subject for _, subject in await notices_of(client)}
    assert {"予約が入りました", "スタジオからのお知らせ", "レッスンの日時が変わりました"} <= subjects


async def test_calling_off_says_why(client: Client) -> None:
    await act(client, "book")
    assert "休講にしました。" in await said(client, "off", words="台風のため")
    assert "台風のため" in (await client.get(PEOPLE)).text
    await client.work()
    assert any(subject == "休講のお知らせ" for _, subject in await notices_of(client))
