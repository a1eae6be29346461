"""The desk's first page, and what it costs."""

from __future__ import annotations

from sekkei.web.testing import Client
from sekkei_systems.q.design.models import QuestionStatus, ReportCategory, TargetType
from sekkei_systems.q.pages.overview import DAY_COLUMNS, Which, cohorts, days, log, overview, show
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


# The page of the operator's numbers, and its files.


async def test_a_page_and_two_files_say_the_same(desk: World) -> None:
    await desk.ask()
    await desk.answer("a")
    await desk.settle()
    by, numbers = await desk.proven.access.admin("boss"), desk.proven.numbers
    shown = (await show(by, numbers)).values["found"]
    assert (shown.members, shown.days[-1].numbers.posted, shown.days[-1].rate) == (3, 1, 33.3)
    head, *rows = bytes((await days(by, numbers)).body).decode("utf-8-sig").splitlines()
    assert head == ",".join(DAY_COLUMNS)
    assert rows[-1] == f"{shown.days[-1].numbers.day},3,1,1,0,33.3,3,0,0,0,0,0,0,0,0,"
    first = bytes((await cohorts(by, numbers)).body).decode("utf-8-sig").splitlines()[1]
    assert first.startswith(f"{shown.cohorts[0].week},3,1,,")


async def test_in_both_languages_and_without_a_script(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    await world.make_admin("demo-aoi")
    for language, word in (("ja", "継続率"), ("en", "Who stays")):
        page = await client.get("/q/admin/numbers", headers={"Accept-Language": language})
        assert page.status == 200
        assert word in page.text
        assert page.text.count("<svg viewBox") >= 4


# What administrators did.


async def test_by_action_and_by_administrator(desk: World) -> None:
    by, logs = await desk.proven.access.admin("boss"), desk.proven.logs
    await desk.service.moderation.add_word("boss", "one")
    await desk.service.editing.create("boss", "好きな音は？")
    desk.pass_time()

    async def shown(**query: str) -> list[str]:
        page = await log(by, logs, Which(**query))
        return sorted(one.action.value for one in page.values["found"])

    assert await shown() == ["ADD_NG_WORD", "CREATE_QUESTION"]
    assert await shown(action="ADD_NG_WORD", admin="boss") == ["ADD_NG_WORD"]
    assert await shown(action="nonsense", admin="somebody") == []
