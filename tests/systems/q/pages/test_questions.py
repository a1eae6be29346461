"""Adding a question, and deciding what becomes of one."""

from __future__ import annotations

import pytest

from sekkei.web import Html, Redirect, Sent
from sekkei_systems.q.design.models import QuestionStatus
from sekkei_systems.q.pages.desk import done
from sekkei_systems.q.pages.questions import NewQuestion, Review, Which, create, questions, review
from tests.systems.q.conftest import World


async def test_a_new_one_is_approved_and_a_bad_one_shown_again(desk: World) -> None:
    by, editing = await desk.proven.access.admin("boss"), desk.proven.editing
    assert await create(by, editing, Which(), Sent(NewQuestion("好きな音は？"))) == done("/q/admin/questions")
    again = await create(by, editing, Which(), Sent(NewQuestion("あ" * 81)))
    assert isinstance(again, Html)
    assert (again.status, list(again.values["form"].errors)) == (422, ["text"])
    desk.pass_time()
    page = await questions(by, editing, Which(status="nonsense"))
    assert ([one.text for one in page.values["found"]], page.values["chosen"]) == (["好きな音は？"], "approved")


@pytest.mark.parametrize(
    ("decision", "before", "after", "to"),
    [
        ("approve", "pending", "approved", "/q/admin/submissions"),
        ("reject", "pending", "rejected", "/q/admin/submissions"),
        ("archive", "approved", "archived", "/q/admin/questions?status=approved"),
        ("bring-back", "archived", "approved", "/q/admin/questions?status=archived"),
    ],
)
async def test_decisions_and_the_second_one_to_decide(
    desk: World, decision: str, before: str, after: str, to: str
) -> None:
    by, editing = await desk.proven.access.admin("boss"), desk.proven.editing
    await desk.question("one", QuestionStatus(before))
    query = Which(status="" if before == "pending" else before)
    form = Review(decision)  # type: ignore[arg-type]
    assert await review(by, editing, "one", query, form) == Redirect(to).flash("admin.done")
    desk.pass_time()
    assert [one.question_id for one in await editing.with_status(by, QuestionStatus(after))] == ["one"]
    late = await review(by, editing, "one", query, form)
    assert isinstance(late, Html)
    assert (late.status, len(late.flashes)) == (409, 1)
    assert late.template == ("q/admin/submissions.html" if before == "pending" else "q/admin/questions.html")
