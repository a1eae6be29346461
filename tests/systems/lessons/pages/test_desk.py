from __future__ import annotations

import re

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.web.testing import Client
from tests.systems.lessons.steps import act, notices_of
from tests.systems.lessons.world import LESSON


@pytest.mark.parametrize(
    "wrong", [{"lesson_date": "2025-02-30"}, {"start_time": "25:00"}, {"capacity": "-1"}, {"lesson_name": ""}]
)
async def test_a_lesson_that_cannot_be_is_refused(client: Client, wrong: dict[str, str]) -> None:
    fields = {"lesson_date": "2025-07-31", "start_time": "10:00", "lesson_name": "x", "instructor": "y", **wrong}
    assert (await client.post("/lessons/desk/gnz", fields)).status == 422
    assert "10:00" not in (await client.get("/lessons/?studio=gnz&date=2025-07-31")).text


async def test_the_desk_takes_files_and_attendance(client: Client, clock: ManualClock) -> None:
    async def upload(name: str, content: str) -> str:
        token = await client.token()
        parts = [
            f'--x\r\nContent-Disposition: form-data; name="_csrf"\r\n\r\n{token}\r\n',
            f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n{content}\r\n--x--\r\n',
        ]
        headers = {"Content-Type": "multipart/form-data; boundary=x", "Accept": "text/html"}
        reply = await client.request("POST", "/lessons/desk/gnz/file", "".join(parts).encode(), headers)
        assert reply.status == 303
        return (await client.get(reply.location, follow=True)).text

    head = "studio,date,start,name,instructor,capacity\n"
    rows = "gnz,2025-08-01,10:00,Yoga,Mako,9\ngnz,2025-08-01,9:75,x,y,1\nsby,2025-08-01,10:00,x,y,1\n"
    assert "追加 1 件、変更 0 件、そのまま 0 件、取り込めない行 2 件" in await upload("a.csv", head + rows)
    assert "Yoga" in (await client.get("/lessons/desk/gnz?date=2025-08-01")).text
    assert "追加 0 件、変更 0 件" in await upload("a.csv", head)
    assert "is a file ending in" in await upload("a.exe", "x")
    await act(client, "book")
    clock.set(LESSON.starts_at.timestamp())
    path = f"/lessons/desk/gnz/attendance/{LESSON}"
    assert (await client.post(path, {"user_id": "demo-aoi", "came": "on"})).status == 303
    roll = await client.json("GET", f"/lessons/api/roll/{LESSON}")
    assert [(one["userId"], one["attended"]) for one in roll.json()["booked"]] == [("demo-aoi", True)]
    assert "登録していません" in (await client.post(path, {"user_id": "nobody"}, follow=True)).text


async def test_the_desk_brings_a_lesson_back_only_when_asked(client: Client) -> None:
    path = f"/lessons/desk/gnz/people/{LESSON}"
    assert "休講を取り消す" not in (await client.get(path)).text
    await client.post(f"/lessons/desk/gnz/off/{LESSON}", {})
    assert "休講を取り消す" in (await client.get(path)).text
    change = {"lesson_name": "House", "instructor": "Mako"}
    page = await client.post(path, {**change, "is_open": "on"})
    assert (page.status, "休講のままです" in page.text, 'value="Mako"' in page.text) == (409, True, True)

    async def shown() -> tuple[str, bool, bool]:
        lesson = (await client.json("GET", f"/lessons/api/lessons/{LESSON}")).json()["lesson"]
        return lesson["instructor"], lesson["calledOff"], lesson["isOpen"]

    assert await shown() == ("YUKI", True, False)
    assert (await client.post(path, change)).status == 303
    assert await shown() == ("Mako", True, False)
    assert (await client.post(path, {**change, "is_open": "on", "bring_back": "on"})).status == 303
    assert await shown() == ("Mako", False, True)


async def test_the_desk_books_in_who_waits(client: Client) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    await act(client, "book")
    await act(mei, "wait")
    assert "1 人待ち" in (await client.get("/lessons/desk/gnz?date=2025-07-30")).text
    assert "予約にする" not in (await client.get(f"/lessons/desk/gnz/people/{LESSON}")).text, "there is no place"
    off = await client.post(f"/lessons/desk/gnz/cancel/{LESSON}", {"user_id": "demo-aoi"}, follow=True)
    assert "予約を取り消しました。ご本人に" in off.text
    assert "予約にする" in off.text
    booked = await client.post(f"/lessons/desk/gnz/book/{LESSON}", {"user_id": "demo-mei"}, follow=True)
    assert "予約にしました" in booked.text
    assert "予約を取り消す" in (await mei.get(f"/lessons/lessons/{LESSON}")).text


# The desk's verbs by their forms.


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
