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
