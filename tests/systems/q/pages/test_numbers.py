"""The page of the operator's numbers, and its files."""

from __future__ import annotations

from sekkei.web.testing import Client
from sekkei_systems.q.pages.numbers import DAY_COLUMNS, cohorts, days, show
from tests.systems.q.conftest import World


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
