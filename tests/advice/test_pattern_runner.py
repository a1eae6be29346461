"""Arguments that somebody typed, and the request in other words."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

import pytest

import sekkei.testing
from sekkei.advice.pattern_runner import BadArgument, arguments_of, parameters, runs, try_pattern
from sekkei.advice.snippets import copies
from sekkei.design import Design, Query, Update
from tests.advice.conftest import State, Thing, thing_design


def shop() -> tuple[Design, object]:
    design, things = thing_design()

    @design.pattern
    def some(owner: str, state: State, day: date | None, ids: list[str]) -> Query[Thing]:
        """Some things."""
        return things.where(Thing.owner == owner)

    @design.pattern
    def finish(owner: str, id: str) -> Update[Thing]:
        """Finish one."""
        return things.update(owner, id).set(Thing.state, State.DONE)

    return design, things


def test_fields_of_a_form() -> None:
    design, _ = shop()
    kinds = [(each.name, each.kind, each.required) for each in parameters(design.patterns["some"])]
    assert kinds == [("owner", "text", True), ("state", "choice", True), ("day", "date", False), ("ids", "list", True)]
    assert runs(design.patterns["some"])
    assert not runs(design.patterns["finish"])


def test_text_becomes_typed() -> None:
    pattern = shop()[0].patterns["some"]
    found = arguments_of(pattern, {"owner": "a", "state": "done", "day": "2026-11-15", "ids": "x, y"})
    assert found == {"owner": "a", "state": State.DONE, "day": date(2026, 11, 15), "ids": ["x", "y"]}
    assert arguments_of(pattern, {"owner": "a", "state": "open"})["day"] is None


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        ({"state": "open"}, "owner"),
        ({"owner": "a", "state": "lost"}, "state"),
        ({"owner": "a", "state": "open", "day": "soon"}, "day"),
        ({"owner": "a", "state": "open", "colour": "red"}, "colour"),
    ],
)
def test_what_does_not_fit(texts: dict[str, str], name: str) -> None:
    with pytest.raises(BadArgument) as refused:
        arguments_of(shop()[0].patterns["some"], texts)
    assert refused.value.name == name


async def test_a_pattern_tried() -> None:
    design, things = shop()
    texts = {"owner": "a", "state": "open"}
    async with sekkei.testing.store(design) as db:
        await db.write(things.create(Thing(owner="a", id="1")))  # type: ignore[attr-defined]
        tried = await try_pattern(design, db.store, "some", texts, env="test")
        assert (tried.rows[0]["id"], tried.entities, tried.tally.read_units) == ("1", ["things"], 0.5)
        forms = copies(tried, design, {**texts, "day": "2026-11-15", "ids": "x,y"})
        assert (
            forms["Python"]
            == "await db.page(some(owner='a', state=State.OPEN, day=date(2026, 11, 15), ids=['x', 'y']))"
        )
        assert forms["boto3"].startswith("client.query(")
        assert forms["AWS CLI"].startswith("aws dynamodb query --table-name things")
        with pytest.raises(LookupError):
            await try_pattern(design, db.store, "nothing", {}, env="test")
        with pytest.raises(BadArgument):
            await try_pattern(design, db.store, "finish", {}, env="test")


async def test_what_a_pattern_or_its_keys_refuse_is_told() -> None:
    design, things = shop()

    @design.pattern
    def picky(owner: Literal["a", "b"], since: datetime) -> Query[Thing]:
        """Refuses some of what has the right type."""
        if since.year > 9000:
            raise ValueError("nothing is that late")
        return things.where(Thing.owner == owner)  # type: ignore[attr-defined]

    async with sekkei.testing.store(design) as db:
        with pytest.raises(BadArgument, match="'c' is none of a, b"):
            await try_pattern(design, db.store, "picky", {"owner": "c", "since": "2026-01-01"}, env="test")
        with pytest.raises(BadArgument, match="nothing is that late"):
            await try_pattern(design, db.store, "picky", {"owner": "a", "since": "9999-01-01"}, env="test")


async def test_each_query_of_several_goes_on_by_its_own_cursor() -> None:
    design, things = shop()

    @design.pattern
    def two(first: str, second: str) -> tuple[Query[Thing], Query[Thing]]:
        """The things of two people."""
        return things.where(Thing.owner == first), things.where(Thing.owner == second)  # type: ignore[attr-defined]

    texts = {"first": "a", "second": "b"}
    async with sekkei.testing.store(design) as db:
        for owner, count in (("a", 3), ("b", 5)):
            for number in range(count):
                await db.write(things.create(Thing(owner=owner, id=str(number))))  # type: ignore[attr-defined]

        async def page(after: str | None) -> list[tuple[list[str], str | None]]:
            tried = await try_pattern(design, db.store, "two", texts, env="test", size=2, after=after, secret=b"s" * 32)
            return [([row["owner"] + row["id"] for row in step.rows], step.cursor) for step in tried.steps]

        (first, more_of_a), (second, more_of_b) = await page(None)
        assert (first, second) == (["a0", "a1"], ["b0", "b1"])
        assert await page(more_of_a) == [(["a2"], None)]
        ((third, last_of_b),) = await page(more_of_b)
        assert third == ["b2", "b3"]
        assert await page(last_of_b) == [(["b4"], None)]
        for wrong in ("3:x", "x", "0:x"):
            with pytest.raises(BadArgument, match="goes on with no step"):
                await page(wrong)
