from __future__ import annotations

from sekkei.web.testing import Client

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
