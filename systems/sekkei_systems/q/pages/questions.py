"""All questions by status: adding one, and deciding what becomes of one."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Struct

from sekkei.kit.typed import Line, Token
from sekkei.runtime.refusals import Conflict, Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.q.design.models import QuestionStatus
from sekkei_systems.q.pages.desk import Paging, done
from sekkei_systems.q.pages.submissions import submissions
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.questions import Editing

pages = Pages()


class Which(Paging):
    status: Token = ""

    @property
    def chosen(self) -> QuestionStatus:
        return next((one for one in QuestionStatus if one.value == self.status), QuestionStatus.APPROVED)


class NewQuestion(Struct):
    text: Annotated[str, Line(500)]


class Review(Struct):
    decision: Literal["approve", "reject", "archive", "bring-back"]


@pages.get("/admin/questions", name="admin-questions")
async def questions(by: Admin, editing: Editing, query: Which, status: int = 200, filled: Form | None = None) -> Html:
    return Html(
        "q/admin/questions.html",
        status,
        found=await editing.with_status(by, query.chosen, query.after or None),
        chosen=query.chosen.value,
        statuses=[one.value for one in QuestionStatus],
        form=filled or Form(),
    )


@pages.post("/admin/questions")
async def create(by: Admin, editing: Editing, query: Which, sent: Sent[NewQuestion]) -> Html | Redirect:
    try:
        await editing.create(by, sent.value.text)
    except Invalid as wrong:
        return await questions(by, editing, query, 422, sent.refilled(wrong))
    return done("/q/admin/questions")


@pages.post("/admin/questions/{question_id}")
async def review(by: Admin, editing: Editing, question_id: str, query: Which, form: Review) -> Html | Redirect:
    """From the suggestions or, with a status in the query, from the list of all questions."""
    try:
        await _decide(by, editing, question_id, form.decision)
    except Conflict as refused:  # somebody else was quicker: the page as it is now, and why
        if query.status:
            return (await questions(by, editing, query, refused.status)).flash(refused)
        return (await submissions(by, editing, query, refused.status)).flash(refused)
    if form.decision in ("approve", "reject"):
        return done("/q/admin/submissions")
    return done(f"/q/admin/questions?status={query.chosen.value}")


async def _decide(by: Admin, editing: Editing, question_id: str, decision: str) -> None:
    if decision in ("approve", "reject"):
        await editing.review(by, question_id, decision == "approve")
    elif decision == "archive":
        await editing.archive(by, question_id)
    else:
        await editing.bring_back(by, question_id)
