from __future__ import annotations

from sekkei.web.testing import Client

WEEKLY, HOLIDAYS = "/lessons/desk/gnz/weekly", "/lessons/desk/gnz/holidays"
FORM = {
    "weekday": "4",
    "start_time": "１０：３０",
    "lesson_name": "朝ヨガ",
    "instructor": "Saki",
    "first_day": "2025-07-29",
    "capacity": "8",
}


async def said(client: Client, path: str, **fields: str) -> str:
    return (await client.post(path, fields, follow=True)).text


async def test_a_weekly_lesson_a_day_off_and_a_holiday(client: Client) -> None:
    page = await said(client, WEEKLY, **FORM)
    assert "毎週の予定を保存しました。" in page
    assert "毎週金曜" in page
    assert "朝ヨガ" in (await client.get("/lessons/?studio=gnz&date=2025-08-01")).text
    named = {"weekday": "4", "start_time": "10:30"}
    assert "休み: 2025-08-08" in await said(client, f"{WEEKLY}/skip", **named, day="2025-08-08")
    held = await said(client, f"{WEEKLY}/hold", **named, day="2025-08-08")
    assert "その日の休みを取り消しました。" in held
    assert "休み: 2025-08-08" not in held
    assert "お盆" in await said(client, HOLIDAYS, day="2025-08-15", name="お盆")
    assert "休講" in (await client.get("/lessons/?studio=gnz&date=2025-08-15")).text
    assert "お盆" not in await said(client, f"{HOLIDAYS}/remove", day="2025-08-15")
    assert "予定から外しました。" in await said(client, f"{WEEKLY}/remove", **named)
    assert "その予定は見つかりません。" in await said(client, f"{WEEKLY}/remove", **named)
    assert (await client.post(WEEKLY, {**FORM, "start_time": "25:00"})).status == 422
