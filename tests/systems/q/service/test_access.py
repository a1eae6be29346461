"""Who may do what an administrator does."""

from __future__ import annotations

import asyncio
from datetime import time
from typing import Any

from sekkei_systems import days
from sekkei_systems.q.design.models import QuestionStatus, ReportStatus
from sekkei_systems.q.refusals import (
    NotAdmin,
)
from tests.systems.q.conftest import World


async def test_nobody_else_may(desk: World) -> None:
    service = desk.service
    attempts: list[Any] = [
        service.editing.create("a", "質問？"),
        service.editing.review("a", "x", approve=True),
        service.editing.archive("a", "x"),
        service.editing.bring_back("a", "x"),
        service.editing.with_status("a", QuestionStatus.PENDING),
        service.editing.set_day("a", days.today(desk.clock), time(9)),
        service.editing.calendar("a", days.today(desk.clock), 3),
        service.moderation.reports("a", ReportStatus.PENDING),
        service.moderation.settle("a", "x", ReportStatus.RESOLVED),
        service.moderation.flagged("a"),
        service.moderation.review_post("a", days.today(desk.clock), "b", remove=True),
        service.moderation.restore_post("a", days.today(desk.clock), "b"),
        desk.ban("b", by="a"),
        desk.unban("b", by="a"),
        service.moderation.people("a"),
        service.moderation.dossier("a", "b"),
        service.moderation.search("a", "b"),
        service.moderation.words("a"),
        service.moderation.add_word("a", "x"),
        service.moderation.delete_word("a", "x"),
        service.logs.page("a"),
    ]
    results = await asyncio.gather(*attempts, return_exceptions=True)
    assert [type(one) for one in results] == [NotAdmin] * len(attempts)
    assert await desk.logged() == []
