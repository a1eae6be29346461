"""Questions that users have suggested."""

from __future__ import annotations

from sekkei_systems.q.design.models import QuestionStatus
from sekkei_systems.q.pages.desk import Paging
from sekkei_systems.q.pages.submissions import submissions
from tests.systems.q.conftest import World


async def test_only_what_waits(desk: World) -> None:
    await desk.question("waiting", QuestionStatus.PENDING)
    await desk.question("free")
    desk.pass_time()
    page = await submissions(await desk.proven.access.admin("boss"), desk.proven.editing, Paging())
    assert [one.question_id for one in page.values["found"]] == ["waiting"]
