"""Answers with a forbidden word."""

from __future__ import annotations

import pytest

from sekkei.web import Html
from sekkei_systems.q.pages.desk import Paging, done
from sekkei_systems.q.pages.flagged import Decision, From, decide, flagged
from tests.systems.q.conftest import World


@pytest.mark.parametrize(
    ("place", "to"), [("", "/q/admin/flagged"), ("reports", "/q/admin/reports"), ("user", "/q/admin/users/a")]
)
async def test_decided_where_it_was_seen_and_only_once(desk: World, place: str, to: str) -> None:
    by, moderation = await desk.proven.access.admin("boss"), desk.proven.moderation
    await desk.service.moderation.add_word("boss", "秋")
    day = (await desk.ask()).day
    await desk.answer("a")
    desk.pass_time()
    page = await flagged(by, moderation, Paging())
    assert [one.answer.user_id for one in page.values["found"]] == ["a"]
    assert await decide(by, moderation, day, "a", From(place=place), Decision("remove")) == done(to)
    late = await decide(by, moderation, day, "a", From(place=place), Decision("remove"))
    assert isinstance(late, Html)
    assert (late.status, late.template) == (409, "q/admin/flagged.html")
    assert await decide(by, moderation, day, "a", From(place=place), Decision("restore")) == done(to)
