"""One lesson at the desk: who comes, who waits, changes, attendance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, structs

from sekkei.kit.typed import Token
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.pages.desk import LessonForm
from sekkei_systems.lessons.pages.view import View
from sekkei_systems.lessons.rules.drafts import LessonDraft, texts_of
from sekkei_systems.lessons.rules.openings import holds_offer
from sekkei_systems.lessons.rules.places import elsewhere, free_places
from sekkei_systems.lessons.rules.slots import Slot, span
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.desk import ATTENDANCE_BEFORE, Desk

pages = Pages()


class ChangedLesson(LessonForm, frozen=True):
    bring_back: bool = False
    """It takes place after all, though it was called off."""

    def draft(self, slot: Slot) -> LessonDraft:
        return structs.replace(super().draft(slot), called_off=False if self.bring_back else UNSET)


class Attendance(msgspec.Struct):
    user_id: Annotated[Token, Meta(max_length=64)]
    came: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """The page; a change that was refused shows it again."""

    view: View
    staff: Staff
    at: Slot
    desk: Desk
    acts: Acts

    async def html(self, status: int = 200, filled: Form | None = None) -> Html:
        now, roll = self.view.now, await self.desk.roll(self.staff, self.at)
        return Html(
            "lessons/people.html",
            status,
            view=self.view,
            studio=self.staff.studio,
            roll=roll,
            slot=self.at,
            free=free_places(roll.lesson),
            elsewhere=elsewhere(roll.lesson),
            offered=lambda tie: holds_offer(tie, now),
            begun=now >= self.at.starts_at,
            takes_attendance=now >= self.at.starts_at - ATTENDANCE_BEFORE,
            form=filled or Form(filled_with(roll.lesson)),
            acts=[(act, self.acts.may_undo(act)) for act in await self.acts.of(self.at)],
            blank=Form({"lesson_date": f"{self.at.lesson_date}", "start_time": f"{self.at.start_time:%H:%M}"}),
            over=now >= span(roll.lesson)[1],
        )

    @property
    def again(self) -> Redirect:
        return Redirect("lessons:people", code=self.staff.studio.code, slot=str(self.at))


def filled_with(lesson: Lesson) -> dict[str, object]:
    texts = {name: "" if value is None else value for name, value in texts_of(lesson).items()}
    return {**texts, "is_open": lesson.is_open}


@pages.get("/desk/{code}/people/{slot:path}", name="people")
async def people(shown: Shown) -> Html:
    return await shown.html()


@pages.post("/desk/{code}/people/{slot:path}")
async def change(shown: Shown, desk: Desk, sent: Sent[ChangedLesson]) -> Html | Redirect:
    try:
        await desk.change(shown.staff, sent.value.draft(shown.at))
    except (Invalid, refusals.LessonOver, refusals.CalledOff) as wrong:
        return await shown.html(wrong.status, sent.refilled(wrong))
    return shown.again.flash("done.lesson")


@pages.post("/desk/{code}/attendance/{slot:path}", name="attendance")
async def attendance(shown: Shown, desk: Desk, form: Attendance) -> Redirect:
    try:
        await desk.mark_attendance(shown.staff, shown.at, form.user_id, form.came)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again
