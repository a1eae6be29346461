"""What members try that is for the desk and the staff."""

from __future__ import annotations

from typing import Any

from sekkei.worlds import Person
from sekkei.worlds.promises import refused
from tests.worlds.lessons.people import API, HERE, LATER, WORLD, book_of, some_lesson, some_member


@WORLD.does("member", 0.7)
async def tries_what_is_not_theirs(me: Person) -> str:
    """What the desk and the staff do."""
    lesson, whom = some_lesson(me), some_member(me)
    ways: list[tuple[str, str, Any]] = [
        ("POST", f"desk/{lesson}/places", {"email": f"{whom.name}@example.com"}),
        ("DELETE", f"desk/{whom.memory['account']}/{lesson}", None),
        ("POST", f"desk/{lesson}/move", {"to": f"{HERE.rpartition('/')[0]}/{LATER[0]}"}),
        ("PUT", f"roll/{whom.memory['account']}/{me.world.given['soon']}", {"attended": False}),
        ("POST", "studios/gnz/passes", book_of(me, 2)),
        ("PUT", f"lessons/{lesson}", {"name": "House 10"}),
        ("DELETE", f"lessons/{lesson}", None),
        ("PUT", "studios/gnz/rules", me.world.given["rules"]["gnz"]),
    ]
    method, path, body = me.dice.choice(ways)
    reply = await me.json(method, f"{API}/{path}", body)
    refused(reply, f"{me.name} is not of the desk, and does {method} {path}")
    return f"tries {method} {path}: {reply.status}"
