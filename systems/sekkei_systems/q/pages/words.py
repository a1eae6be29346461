"""Forbidden words, and harmless ones that contain one."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from sekkei.kit.typed import Line, Token
from sekkei.runtime.refusals import Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.q.pages.desk import done
from sekkei_systems.q.refusals import Taken
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.moderation import Moderation

PAGE = 100
pages = Pages()


class Number(Struct):
    page: Token = ""

    def within(self, last: int) -> int:
        given = self.page
        return min(int(given), last) if given.isascii() and given.isdigit() and len(given) < 5 else 0


class Word(Struct):
    word: Annotated[str, Line(500)]
    allowed: bool = False


class OldWord(Struct):
    word: Token


@pages.get("/admin/words", name="admin-words")
async def words(
    by: Admin, moderation: Moderation, query: Number, status: int = 200, filled: Form | None = None
) -> Html:
    found = await moderation.words(by)
    last = max(0, (len(found) - 1) // PAGE)
    number = query.within(last)
    return Html(
        "q/admin/words.html",
        status,
        found=found[number * PAGE : (number + 1) * PAGE],
        total=len(found),
        number=number,
        last=last,
        form=filled or Form(),
    )


@pages.post("/admin/words")
async def add(by: Admin, moderation: Moderation, query: Number, sent: Sent[Word]) -> Html | Redirect:
    try:
        await moderation.add_word(by, sent.value.word, allowed=sent.value.allowed)
    except (Invalid, Taken) as wrong:
        return await words(by, moderation, query, wrong.status, sent.refilled(wrong))
    return done("/q/admin/words")


@pages.post("/admin/words/delete")
async def delete(by: Admin, moderation: Moderation, form: OldWord) -> Redirect:
    await moderation.delete_word(by, form.word)
    return done("/q/admin/words")
