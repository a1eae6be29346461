"""What handlers answer with, as responses."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.runtime.system import Context, Parts, System
from sekkei.web import Events, Given, Html, Pages, Redirect
from sekkei.web.testing import opened
from tests.web.example import Taken
from tests.web.example.design import design

pages = Pages()


@pages.get("/a/{n}", name="a")
async def a(n: int) -> Redirect | Html | Events | str:
    answers: dict[int, Any] = {
        0: Redirect("answers:a", n=1).query(late="start", tag=["x", "y"]).flash(Taken(text="milk")),
        1: Redirect("/sign-in?next=/").query(x="ö"),
        2: Html("problem.html", 418, headers={"X-Tea": "pot"}, status=418, code="tea", detail="short and stout"),
        3: Events("answers/n"),
        4: "words",
    }
    return answers[n]  # type: ignore[no-any-return]


async def _no_demo(context: Context, parts: Parts) -> None: ...


SYSTEM = System(
    name="answers",
    title={"ja": "答え", "en": "Answers"},
    about={"ja": "", "en": ""},
    design=design,
    build=lambda context: Parts(routes=pages.routes(Given())),
    demo=_no_demo,
)


async def test_values_become_responses() -> None:
    async with opened(SYSTEM) as client:
        client.language = "en"
        there = await client.get("/answers/a/0")
        assert (there.status, there.location) == (303, "/answers/a/1?late=start&tag=x&tag=y")
        assert (await client.get("/answers/a/1")).location == "/sign-in?next=/&x=%C3%B6"
        shown = await client.get("/answers/a/2")
        assert (shown.status, shown.header("x-tea")) == (418, "pot")
        assert "There is a note “milk” already." in shown.text, "what the redirect said, on the next page"
        assert (await client.events("/answers/a/3", 1)).text.startswith("retry:")
        assert (await client.get("/answers/a/4")).status == 500
        assert (await client.get("/answers/a/four")).status == 404


def test_an_answer_is_what_it_holds() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Redirect("/"))
    assert Redirect("/").query(a=1) == Redirect("/").query(a=1)
    assert Events("a") != Events("b")


def test_a_message_may_offer_one_thing_to_do() -> None:
    plain = Redirect("/x").flash("a.b")
    offered = plain.offering("shell.back", "/y")
    assert plain.flashes[0].offer is None
    assert offered == Redirect("/x").flash("a.b").offering("shell.back", "/y")
    assert offered.flashes[0].offer == ("shell.back", "/y")
