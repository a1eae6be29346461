from __future__ import annotations

import pytest

from sekkei.web.testing import Client


@pytest.mark.parametrize(
    "path", ["/lessons/lessons/gnz/2025-07-30/9:5", "/lessons/lessons/g%23z/2025-07-30/19:30", "/lessons/lessons/x"]
)
async def test_bad_slots_get_a_clear_answer(client: Client, path: str) -> None:
    answer = await client.get(path)
    assert answer.status == 422
    assert "09:30" in answer.text
