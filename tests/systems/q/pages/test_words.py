"""Forbidden words."""

from __future__ import annotations

from sekkei.web import Html, Sent
from sekkei_systems.q.pages.desk import done
from sekkei_systems.q.pages.words import Number as Which
from sekkei_systems.q.pages.words import OldWord, Word, add, delete, words
from tests.systems.q.conftest import World


async def test_added_once_and_deleted(desk: World) -> None:
    by, moderation = await desk.proven.access.admin("boss"), desk.proven.moderation
    assert await add(by, moderation, Which(), Sent(Word("ＳＰＡＭ"))) == done("/q/admin/words")
    again = await add(by, moderation, Which(), Sent(Word("spam")))
    assert isinstance(again, Html)
    assert (again.status, list(again.values["form"].errors)) == (409, ["word"])
    assert await delete(by, moderation, OldWord("spam")) == done("/q/admin/words")


async def test_a_page_that_is_not_there_is_the_last_or_the_first(fair: World) -> None:
    await fair.join("boss")
    await fair.make_admin("boss")
    by, moderation = await fair.proven.access.admin("boss"), fair.proven.moderation
    for number in range(101):
        await moderation.add_word(by, f"word{number}")
    shown = {page: (await words(by, moderation, Which(page))).values for page in ("", "1", "7", "x", "²")}
    assert {page: (values["number"], len(values["found"])) for page, values in shown.items()} == {
        "": (0, 100),
        "1": (1, 1),
        "7": (1, 1),
        "x": (0, 100),
        "²": (0, 100),
    }
