from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.lessons.steps import HOUSE, everything

BAD_SLOTS = [
    "g%23z/2025-07-30/19:30",
    "GNZ/2025-07-30/19:30",
    "gnz/2025-07-30/9:5",
    "gnz/2025-07-30/24:00",
    "gnz/2025-02-30/19:30",
    "gnz/20250730/19:30",
    "gnz/2025-07-30",
    "gnz/2025-07-30/１９:３０",
    "gnz/２０２５-07-30/19:30",
    "x",
]


async def test_bad_names_of_lessons(api_client: Client) -> None:
    before = await everything(api_client)
    for lesson in BAD_SLOTS:
        await refused_everywhere(api_client, lesson)
    assert await everything(api_client) == before


async def refused_everywhere(client: Client, lesson: str) -> None:
    written = lesson.replace("%23", "#")
    attempts = [
        ("POST", "/me/bookings", {"lesson": written}),
        ("POST", "/me/waitlist", {"lesson": written}),
        ("PUT", f"/me/favorites/{lesson}", {}),
        ("DELETE", f"/me/bookings/{lesson}", None),
        ("POST", f"/lessons/{lesson}", HOUSE),
        ("PUT", f"/lessons/{lesson}", HOUSE),
        ("DELETE", f"/lessons/{lesson}", None),
    ]
    for method, path, body in attempts:
        answer = await client.json(method, f"/lessons/api{path}", body)
        assert (answer.status, answer.json()["code"]) == (422, "bad-slot"), (method, path)
        assert "09:30" in answer.json()["detail"]
