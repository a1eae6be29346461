from __future__ import annotations

import pytest

from sekkei.web.testing import Client


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01"])
async def test_the_first_and_the_last_day_of_all(client: Client, day: str) -> None:
    assert (await client.get(f"/lessons/?date={day}")).status == 200
    assert (await client.get(f"/lessons/desk/gnz?date={day}")).status == 200
    assert (await client.get(f"/lessons/lessons/gnz/{day}/19:30")).status == 422
    lesson = {"lesson_date": day, "start_time": "10:00", "lesson_name": "x", "instructor": "y"}
    assert (await client.post("/lessons/desk/gnz", lesson)).status in (303, 409, 422)
    between = f"/lessons/api/studios/gnz/lessons?from={day}&to="
    assert (await client.json("GET", f"{between}9999-12-31")).json() == {"items": []}
    assert (await client.json("GET", f"{between}0001-01-01")).json() == {"items": []}
