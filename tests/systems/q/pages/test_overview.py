"""The desk's first page, and what it costs."""

from __future__ import annotations

from sekkei.web.testing import Client
from sekkei_systems.q.design.models import QuestionStatus, ReportCategory, TargetType
from sekkei_systems.q.pages.overview import overview
from tests.systems.q.conftest import World, counted


async def test_what_waits_is_counted(desk: World) -> None:
    await desk.question("waiting", QuestionStatus.PENDING)
    for number in range(3):
        await desk.question(f"free{number}")
    await desk.service.moderation.add_word("boss", "秋")
    await desk.ask()
    await desk.answer("a")
    await desk.service.reports.send("a", TargetType.USER, "b", ReportCategory.SPAM)
    desk.pass_time()
    service, by = desk.proven, await desk.proven.access.admin("boss")
    page = await overview(by, service.editing, service.moderation, service.logs, desk.clock)
    counts = {name: (count, more) for name, count, more in page.values["counts"]}
    assert counts == {
        "queue": (2, False),
        "submissions": (1, False),
        "flagged": (1, False),
        "reports": (1, False),
        "questions": (3, False),
    }
    assert [line.action.value for line in page.values["log"]] == ["ADD_NG_WORD"]


async def test_a_dozen_store_calls_at_most(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", *(f"user{n}" for n in range(5)))
    await world.make_admin("demo-aoi")
    await world.ask()
    for n in range(5):
        await world.question(f"waiting{n}", QuestionStatus.PENDING)
        await world.service.reports.send("demo-aoi", TargetType.USER, f"user{n}", ReportCategory.SPAM)
    with counted(world) as calls:
        assert (await client.get("/q/admin")).status == 200
    assert len(calls) <= 12, calls
