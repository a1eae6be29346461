"""Texts that people type are cleaned alike, whichever form, API or bot they come through."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import fields

from sekkei.kit.text import many_lines, name_line, one_line
from sekkei.kit.typed import cleaned, text_reader
from sekkei.web.testing import opened
from sekkei_systems.eventbot.rules import drafts
from sekkei_systems.eventbot.service.events import Draft, checked
from sekkei_systems.lessons.system import SYSTEM as LESSONS
from sekkei_systems.q.rules import writing
from sekkei_systems.q.system import SYSTEM as Q
from sekkei_systems.tasks.rules.drafts import line_of, text_of
from sekkei_systems.tasks.system import SYSTEM as TASKS
from tests.test_typed_fields import structs_from_outside

TABLE = [
    # typed, as a line, as a text
    ("a\x07\u202eb\u200b\u2028c", "ab c", "ab\nc"),
    ("abc\r\nde\rf\u2029g\x85h", "abc de f g h", "abc\nde\nf\ng\nh"),
    ("\ufeff \t見出し\u3000だ \n", "見出し\u3000だ", "見出し\u3000だ"),
    ("か\u3099\u00adき\u2060く", "がきく", "がきく"),
    (
        "👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3",
        "👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3",
        "👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3",
    ),
    ("𠮷野家 葛\U000e0100城 \ufa19社", "𠮷野家 葛\U000e0100城 \ufa19社", "𠮷野家 葛\U000e0100城 \ufa19社"),
    ("\ud800x\x00yz", "xyz", "xyz"),
]
DIRTY, LINE, TEXT = TABLE[0]


def text_fields() -> list[tuple[str, Any]]:
    """Every field of every form, body and query that holds a line or a text; new ones are here by themselves."""
    found = {}
    for struct, module in structs_from_outside().items():
        for field in fields(struct):
            read = text_reader(field.type)
            if read is not None and read(DIRTY.replace("c", "cdef")) != DIRTY.replace("c", "cdef"):
                found[f"{module}:{struct.__name__}.{field.name}"] = field.type
    return sorted(found.items())


def test_every_system_has_such_fields() -> None:
    names = [name for name, _ in text_fields()]
    assert len(names) > 70
    for place in ("chiipochi", "eventbot", "lessons", "q", "tasks"):
        assert any(name.startswith(f"sekkei_systems.{place}.") for name in names), place
    assert any(name.startswith("sekkei.web.identity.") for name in names)


@pytest.mark.parametrize(("typed", "line", "text"), TABLE)
def test_every_field_from_outside_cleans_what_is_typed(typed: str, line: str, text: str) -> None:
    wrong = []
    for name, kind in text_fields():
        try:
            found = cleaned(typed, kind)
        except msgspec.ValidationError as error:
            found = str(error)
        if found not in (line, text, name_line(typed)) and "length" not in found:
            wrong.append((name, found))
    assert wrong == []


@pytest.mark.parametrize(("typed", "line", "text"), TABLE)
def test_bots_and_files_clean_what_is_typed(typed: str, line: str, text: str) -> None:
    assert (one_line(typed), many_lines(typed)) == (line, text)
    draft = checked(Draft(typed, description=typed, location=typed))
    assert (draft.title, draft.description, draft.location) == (line, text, line), "/create and the form of eventbot"
    assert (line_of(typed, 99, "title"), text_of(typed, 99, "text")) == (line, text), "rows of files, in tasks"
    assert (writing.text_of(typed, 80, "text"), writing.text_of(typed, 80, "bio", lines=True)) == (line, text)
    if "\n" not in text:
        assert drafts.read_options(typed)[0].name in line, "sign-up options are written one a line"


@pytest.mark.parametrize(("typed", "line", "text"), TABLE[:-1])  # JSON has no half characters
async def test_apis_store_what_is_cleaned(typed: str, line: str, text: str) -> None:
    async with opened(TASKS) as client:
        await client.sign_in("demo-aoi")
        team = (await client.json("POST", "/tasks/api/teams", {"name": typed, "description": typed})).json()
        assert (team["name"], team["description"]) == (line, text)
        tasks_of = f"/tasks/api/teams/{team['id']}/tasks"
        task = (await client.json("POST", tasks_of, {"title": typed, "description": typed})).json()
        assert (task["title"], task["description"]) == (line, text)
        comment = await client.json("POST", f"{tasks_of}/{task['id']}/comments", {"text": typed})
        assert comment.json()["text"] == text
    async with opened(LESSONS) as client:
        await client.sign_in("demo-aoi")
        lesson = {"name": typed, "instructor": typed, "capacity": 3}
        made = await client.json("POST", "/lessons/api/lessons/gnz/2099-07-30/19:30", lesson)
        assert (made.json()["name"], made.json()["instructor"]) == (line, line)
        wishes = {"name": typed, "channels": [], "muted": [], "language": "ja"}
        await client.json("GET", "/lessons/api/me/preferences")
        kept = await client.json("PUT", "/lessons/api/me/preferences", wishes)
        assert kept.json()["name"] == name_line(typed)
    async with opened(Q) as client:
        await client.sign_in("demo-aoi")
        await client.json("POST", "/q/api/me", {"birthDate": "2001-01-01"})
        changed = (await client.json("PATCH", "/q/api/me", {"displayName": typed, "bio": typed})).json()
        assert (changed["displayName"], changed["bio"]) == (line, text)
