from __future__ import annotations

from sekkei.web.testing import Client

API = "/lessons/api/studios/gnz"
BODY = {"name": "朝ヨガ", "instructor": "Saki", "firstDay": "2025-07-29", "capacity": 8}


async def test_the_weekly_schedule_by_the_api(api_client: Client) -> None:
    mei = api_client.another()
    await mei.sign_in("demo-mei")
    assert (await mei.json("PUT", f"{API}/weekly/4/10:30", BODY)).status == 403
    saved = (await api_client.json("PUT", f"{API}/weekly/4/10:30", BODY)).json()
    assert (saved["weekday"], saved["start"], saved["capacity"]) == (4, "10:30", 8)
    assert len((await api_client.json("GET", f"{API}/weekly")).json()["items"]) == 1
    lesson = await api_client.json("GET", "/lessons/api/lessons/gnz/2025-08-01/10:30")
    assert lesson.json()["lesson"]["name"] == "朝ヨガ"
    assert (await api_client.json("PUT", f"{API}/holidays/2025-08-01", {"name": "休館"})).status == 204
    assert (await api_client.json("GET", "/lessons/api/lessons/gnz/2025-08-01/10:30")).json()["lesson"]["calledOff"]
    assert (await api_client.json("DELETE", f"{API}/holidays/2025-08-01")).status == 204
    skipped = f"{API}/weekly/4/10:30/skipped/2025-08-08"
    for method, days in (("PUT", ["2025-08-08"]), ("DELETE", [])):
        assert (await mei.json(method, skipped)).status == 403
        assert (await api_client.json(method, skipped)).status == 204
        assert (await api_client.json("GET", f"{API}/weekly")).json()["items"][0]["skipped"] == days
        found = (await api_client.json("GET", "/lessons/api/lessons/gnz/2025-08-08/10:30")).json()["lesson"]
        assert found["calledOff"] is bool(days)
    assert (await api_client.json("DELETE", f"{API}/weekly/4/10:30")).status == 204
    assert (await api_client.json("DELETE", f"{API}/weekly/4/10:30")).status == 404
    refused = await api_client.json("PUT", f"{API}/weekly/4/10:30", {**BODY, "lastDay": "2025-07-28"})
    assert refused.json()["errors"][0]["pointer"] == "#/lastDay"
    for path in ("weekly/9/10:30", "weekly/4/99:99"):
        assert (await api_client.json("PUT", f"{API}/{path}", BODY)).status == 422
