from __future__ import annotations

import pytest

from sekkei.web.testing import Client


@pytest.mark.parametrize(
    "wrong", [{"lesson_date": "2025-02-30"}, {"start_time": "25:00"}, {"capacity": "-1"}, {"lesson_name": ""}]
)
async def test_a_lesson_that_cannot_be_is_refused(client: Client, wrong: dict[str, str]) -> None:
    fields = {"lesson_date": "2025-07-31", "start_time": "10:00", "lesson_name": "x", "instructor": "y", **wrong}
    assert (await client.post("/lessons/desk/gnz", fields)).status == 422
    assert "10:00" not in (await client.get("/lessons/?studio=gnz&date=2025-07-31")).text
