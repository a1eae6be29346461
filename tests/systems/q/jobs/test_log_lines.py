"""What the log tells of those who have left, and what it costs to take their names out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sekkei.runtime import days
from sekkei_systems.q.design.models import AdminAction, AdminLog
from sekkei_systems.q.design.tables import admin_logs
from tests.systems.q.conftest import World, counted


async def lines(world: World, count: int, kind: str, target: str, *, by: str = "boss", days_ago: int = 2) -> None:
    at = days.now(world.clock) - timedelta(days=days_ago)
    made = [
        AdminLog(
            log_id=f"{by}-{kind}-{len(target)}{target[-1]}-{number}",
            admin_id=by,
            action=AdminAction.WARN_USER,
            target_type=kind,
            target_id=target,
            timestamp=at + timedelta(seconds=number),
        )
        for number in range(count)
    ]
    await world.db.write_many(admin_logs.put(one) for one in made)
    world.pass_time()


async def withdrawn(world: World, user: str) -> list[str]:
    """The calls that the stages of the log made."""
    steps = dict(world.opened.parts.jobs["withdraw"].steps)
    with counted(world) as calls:
        for name in ("log", "log-by", "log-since", "log-newest"):
            cursor: str | None = None
            while True:
                progress: Any = await steps[name]({"user_id": user}, cursor)
                cursor = progress.cursor
                world.pass_time()
                if cursor is None:
                    break
    return calls


async def test_names_go_out_of_the_lines_about_them_and_by_them(fair: World) -> None:
    await lines(fair, 3, "user", "a")
    await lines(fair, 1, "user", "b")
    await lines(fair, 2, "answer", "2025-08-01#a")
    await lines(fair, 2, "user", "c", by="a")
    await lines(fair, 1, "user", "a", days_ago=0)
    await withdrawn(fair, "a")
    left = [(one.admin_id, one.target_id) for one in await fair.db.all(admin_logs.scan().consistent())]
    assert sorted(left) == [("boss", "b"), *[("boss", "withdrawn")] * 6, *[("withdrawn", "c")] * 2]


async def test_the_newest_line_is_found_before_the_index_shows_it(world: World) -> None:
    at = days.now(world.clock)
    line = AdminLog(
        log_id="1",
        admin_id="boss",
        action=AdminAction.BAN_USER,
        target_type="user",
        target_id="a",
        timestamp=at,
    )
    await world.db.write(admin_logs.put(line))
    steps = dict(world.opened.parts.jobs["withdraw"].steps)
    await steps["log-newest"]({"user_id": "a"}, None)
    assert (await world.db.need(admin_logs(at, "1").consistent())).target_id == "withdrawn"


async def test_what_others_did_to_others_costs_nothing(fair: World) -> None:
    few = await withdrawn(fair, "a")
    await lines(fair, 300, "user", "b")
    assert await withdrawn(fair, "a") == few
