"""Saved searches."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

import msgspec

from sekkei.kit.typed import Line, Token
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.lessons.api.searches import SearchIn, wish_of
from sekkei_systems.lessons.design import Contact, Lesson
from sekkei_systems.lessons.pages.view import Typed, View
from sekkei_systems.lessons.service.access import Access, Member
from sekkei_systems.lessons.service.searches import Searches
from sekkei_systems.lessons.service.timetable import Timetable
from sekkei_systems.lessons.texts import say

_SUGGESTED_DAYS = 7

pages = Pages()


class SearchForm(SearchIn):
    time_from: Typed | None = None
    time_until: Typed | None = None


class Prefilled(msgspec.Struct):
    studio: Token = ""
    program: Annotated[str, Line(200, 0)] = ""
    instructor: Annotated[str, Line(200, 0)] = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """The page; a search that was refused shows it again."""

    view: View
    access: Access
    timetable: Timetable
    searches: Searches

    async def html(self, status: int, filled: Form) -> Html:
        lessons, language = await self._lessons(), self.view.language
        return Html(
            "lessons/searches.html",
            status,
            view=self.view,
            searches=await self.searches.of(self.view.member),
            form=filled,
            studios=[("", say(language, "search.anywhere")), *self.view.names.items()],
            programs=sorted({lesson.program or lesson.lesson_name for lesson in lessons}),
            instructors=sorted({lesson.instructor for lesson in lessons}),
            weekdays=[(str(day), say.choice(language, "weekday", str(day))) for day in range(7)],
        )

    async def _lessons(self) -> list[Lesson]:
        """Of the next days, for what is suggested."""
        first, last = self.view.today, self.view.today + timedelta(days=_SUGGESTED_DAYS)
        found = (self.timetable.between(studio.code, first, last) for studio in self.access.studios)
        return [lesson for lessons in await asyncio.gather(*found) for lesson in lessons]


@pages.get("/searches", name="searches")
async def searches(shown: Shown, query: Prefilled) -> Html:
    return await shown.html(200, Form(msgspec.structs.asdict(query)))


@pages.post("/searches")
async def save(
    shown: Shown, person: Contact, member: Member, access: Access, searches: Searches, sent: Sent[SearchForm]
) -> Html | Redirect:
    answer = Redirect("lessons:searches")
    try:
        await searches.save(member, wish_of(access, sent.value))
    except Invalid as wrong:
        return await shown.html(422, sent.refilled(wrong))
    except Refusal as refusal:
        return answer.flash(refusal)
    return answer.flash("done.search")


@pages.post("/searches/{search_id}/delete", name="delete_search")
async def delete(member: Member, searches: Searches, search_id: str) -> Redirect:
    await searches.delete(member, search_id)
    return Redirect("lessons:searches").flash("done.search.deleted")
