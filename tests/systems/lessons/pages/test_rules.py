from __future__ import annotations

from sekkei.web.testing import Client

DESK = "/lessons/desk/gnz/rules"


async def test_rules_are_set_as_numbers_and_read_as_sentences(client: Client) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    assert "どなたでも予約できます。" in (await mei.get("/lessons/rules/gnz")).text
    fields = {"needs_pass": "on", "has_trial": "on", "opens_days": "7", "opens_time": "７：００", "per_week": "3"}
    more = {"no_show_days": "30", "blocked_days": "7", "fairness": "first-in-line", "hold": "15"}
    page = (await client.post(DESK, fields | more, follow=True)).text
    assert "決まりを保存しました。" in page
    assert "はじめての方は 1 回だけ体験できます。" in page
    read = (await mei.get("/lessons/rules/gnz")).text
    assert "予約は開始日の 7 日前の 07:00 から受け付けます。" in read
    assert "15 分取り置きます" in read
    assert (await client.post(DESK, fields | more | {"per_week": "0"})).status == 422
    assert (await client.post(DESK, fields | more | {"opens_time": "99:99"})).status == 422
    assert (await client.post(DESK, fields | more | {"fairness": "dice"})).status == 422
    assert (await mei.get("/lessons/rules/none")).status == 404
