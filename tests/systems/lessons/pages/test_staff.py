from __future__ import annotations

import re

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.web.testing import Client
from tests.systems.lessons.webhooks.test_availability import OPEN, Studio

STAFF = "/lessons/desk/gnz/staff"
MEI = next(person.email for person in DEMO_PEOPLE if person.id == "demo-mei")


async def test_a_manager_adds_the_desk_which_cannot_do_the_same(client: Client) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    assert (await mei.get("/lessons/desk/gnz")).status == 403
    assert "担当者を追加しました。" in (await client.post(STAFF, {"email": MEI, "role": "desk"}, follow=True)).text
    assert (await mei.get("/lessons/desk/gnz")).status == 200
    assert (await mei.get("/lessons/desk/sby")).status == 403
    assert (await mei.get(STAFF)).status == 403
    assert (await mei.post("/lessons/desk/gnz/rules", {})).status == 403
    assert "担当者から外しました。" in (await client.post(f"{STAFF}/remove", {"email": MEI}, follow=True)).text
    assert (await mei.get("/lessons/desk/gnz")).status == 403


async def test_a_studio_signs_with_its_own_secret(client: Client) -> None:
    page = (await client.post("/lessons/desk/gnz/secret", {})).text
    found = re.search(r'id="secret" readonly value="([^"]+)"', page)
    assert found is not None
    assert found[1] not in (await client.get(STAFF)).text, "shown once"
    assert (await Studio(client).say(OPEN)).status == 401, "the common secret is no longer the studio's"
    assert (await Studio(client, found[1].encode()).say(OPEN)).status == 200
    await client.post("/lessons/desk/gnz/secret/forget", {})
    assert (await Studio(client).say({**OPEN, "available": 3})).status == 200


CONNECTION = "/lessons/desk/gnz/connection"


async def test_a_manager_says_where_the_studio_s_own_system_is(client: Client) -> None:
    assert "いまはサーバーの設定が使われています。" in (await client.get(CONNECTION)).text
    wrong = await client.post(CONNECTION, {"feed_url": "studio.example"})
    assert wrong.status == 422
    assert 'value="studio.example"' in wrong.text, "what was typed stays"
    form = {"booking_url": "https://studio.example", "token": "s3cret", "booking_page": "https://studio.example/{date}"}
    assert "接続を保存しました。" in (await client.post(CONNECTION, form, follow=True)).text
    page = (await client.get(CONNECTION)).text
    assert 'value="https://studio.example"' in page
    assert "s3cret" not in page
    assert "保存されています。" in page
    assert "接続を消しました。" in (await client.post(f"{CONNECTION}/forget", {}, follow=True)).text


async def test_a_manager_is_asked_for_what_is_booked_here_only(client: Client) -> None:
    assert (await client.post("/lessons/act/book/gnz/2025-07-30/19:30", {})).status == 303
    form = {"booking_url": "https://studio.example", "token": "s3cret"}
    wrong = await client.post(CONNECTION, form)
    assert wrong.status == 422
    assert "2025-07-30 から 2025-07-30 までに、ここだけで取られた予約が 1 件あります。" in wrong.text
    saved = await client.post(CONNECTION, {**form, "bookings_entered": "on"}, follow=True)
    assert "接続を保存しました。" in saved.text
    assert 'name="bookings_entered"' not in saved.text, "asked once"
