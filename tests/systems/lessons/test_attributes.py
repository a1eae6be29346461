"""LessonFields is the one list of what people enter: every place that takes, shows, copies or sends a lesson has it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from datetime import time
from typing import Any

import msgspec
import orjson
import pytest
from msgspec import structs

from sekkei.clock import ManualClock
from sekkei.design import replace
from sekkei.design.model import described
from sekkei.runtime.settings import Secrets, Settings
from sekkei.web.testing import Client
from sekkei_systems.lessons.api.desk import NewLessonIn
from sekkei_systems.lessons.api.shapes import LessonOut, TieOut, tie_out
from sekkei_systems.lessons.api.weekly import WeeklyIn
from sekkei_systems.lessons.design import COPIED, Lesson, UserLesson, WeeklyLesson, copies_of
from sekkei_systems.lessons.pages.desk import NewLesson
from sekkei_systems.lessons.pages.weekly import WeeklyForm
from sekkei_systems.lessons.rules.links import Links
from sekkei_systems.lessons.rules.notices import Notices
from sekkei_systems.lessons.rules.slots import parse_slot
from sekkei_systems.lessons.rules.studios import Studio
from sekkei_systems.lessons.rules.timetable import (
    COLUMNS,
    ENTERED,
    NEEDED,
    LessonFields,
    draft_of,
    read,
    spelt,
    values_of,
)
from sekkei_systems.lessons.rules.weekly import draft_on
from sekkei_systems.lessons.texts import say
from tests.systems.lessons.rules.test_notices import hana, waiting
from tests.systems.lessons.rules.test_places import lesson
from tests.systems.lessons.rules.test_weekly import WEDNESDAYS
from tests.systems.lessons.world import LESSON, STUDIOS
from tests.systems.samples import sample

TYPES = {field.name: field.type for field in structs.fields(LessonFields[time])}
FULL = {name: sample(name, TYPES[name]) for name in ENTERED}
SENT = {spelt(name): f"{value:%H:%M}" if isinstance(value, time) else value for name, value in FULL.items()}
"""The same as the API and files have it."""
TYPED = {name: str(SENT[spelt(name)]) for name in ENTERED}
"""The same as a form has it."""
API, WEEKLY = "/lessons/api", "/lessons/desk/gnz/weekly"


def missing(names: Iterable[str], *, of: Iterable[str]) -> list[str]:
    return [name for name in names if name not in {*of}]


async def entered(client: Client, slot: str) -> dict[str, Any]:
    service = client.shell.deployment.systems["lessons"].parts.service
    return values_of(await service.timetable.get(parse_slot(slot)))


def test_what_is_entered_is_stored_and_shown() -> None:
    assert missing(ENTERED, of=described(Lesson).fields) == [], "attributes of Lesson"
    assert missing(ENTERED, of=described(WeeklyLesson).fields) == [], "attributes of WeeklyLesson"
    kept = {name for name in ENTERED if name in described(UserLesson).fields}
    assert kept == {*COPIED}, "attributes of UserLesson and names in COPIED"
    shown = {field.name: field.encode_name for field in structs.fields(LessonOut)}
    wanted = {name: spelt(name) for name in ENTERED if name != "end_time"}  # it has ends_at
    assert {name: shown.get(name) for name in wanted} == wanted, "fields of LessonOut"
    assert missing(COPIED, of=TieOut.__struct_fields__) == [], "fields of TieOut"


@pytest.mark.parametrize("new", [NewLessonIn, NewLesson, WeeklyIn, WeeklyForm])
def test_a_new_lesson_needs_the_same_fields_everywhere(new: type[LessonFields[Any]]) -> None:
    required = {field.name for field in structs.fields(new) if field.required}
    assert required & {*ENTERED} == {*NEEDED}


@pytest.mark.parametrize("page", ["/lessons/desk/gnz", f"/lessons/desk/gnz/people/{LESSON}", WEEKLY])
async def test_every_field_has_an_input_with_its_limit(client: Client, page: str) -> None:
    text = (await client.get(page)).text
    inputs = {
        found[1]: found[0] for found in re.finditer(r'<(?:input|select|textarea)\b[^>]*?\bname="(\w+)"[^>]*', text)
    }
    assert missing(ENTERED, of=inputs) == [], "inputs of parts.lesson_fields"
    for name in ENTERED:
        schema = msgspec.json.schema(TYPES[name])
        limits = {**schema, **schema.get("anyOf", [{}])[0]}
        for html, json in (("maxlength", "maxLength"), ("max", "maximum"), ("min", "minimum")):
            written = re.search(rf'\b{html}="(\d+)"', inputs[name])
            assert (int(written[1]) if written else None) == limits.get(json), f"{html} of the input {name}"


async def test_forms_and_the_api_bring_the_same(client: Client) -> None:
    await client.post("/lessons/desk/gnz", {"lesson_date": "2025-07-31", "start_time": "10:00", **TYPED})
    assert await entered(client, "gnz/2025-07-31/10:00") == FULL, "the form for a new lesson"
    await client.post(f"/lessons/desk/gnz/people/{LESSON}", TYPED)
    assert await entered(client, str(LESSON)) == FULL, "the form that changes a lesson"
    await client.json("POST", f"{API}/lessons/gnz/2025-07-31/12:00", SENT)
    assert await entered(client, "gnz/2025-07-31/12:00") == FULL, "a new lesson by the API"
    await client.json("POST", f"{API}/lessons/gnz/2025-07-31/14:00", {"name": "a", "instructor": "b"})
    changed = (await client.json("PUT", f"{API}/lessons/gnz/2025-07-31/14:00", SENT)).json()
    assert await entered(client, "gnz/2025-07-31/14:00") == FULL, "a change by the API"
    assert {name: changed[name] for name in SENT if name != "end"} == {n: v for n, v in SENT.items() if n != "end"}


async def test_a_lesson_of_every_week_brings_the_same(client: Client) -> None:
    first = {"weekday": "4", "start_time": "10:30", "first_day": "2025-07-29"}
    await client.post(WEEKLY, {**first, **TYPED})
    assert await entered(client, "gnz/2025-08-01/10:30") == FULL, "the weekly form"
    saved = await client.json("PUT", f"{API}/studios/gnz/weekly/5/11:00", {**SENT, "firstDay": "2025-07-29"})
    assert {name: saved.json().get(name) for name in SENT} == SENT, "WeeklyOut"
    assert await entered(client, "gnz/2025-08-02/11:00") == FULL, "the weekly API"
    assert values_of(draft_on(replace(WEDNESDAYS, **FULL), LESSON.lesson_date)) == FULL


async def test_a_form_changes_only_what_it_shows(client: Client) -> None:
    """The weekly page had no input for the programme, and erased what the API had set."""
    for path in ("studios/gnz/weekly/4/10:30", f"lessons/{LESSON}"):
        await client.json("PUT", f"{API}/{path}", {**SENT, "firstDay": "2025-07-29"})
    shown = {"lesson_name": "Yoga", "instructor": "Mako"}
    weekly = {"weekday": "4", "start_time": "10:30", "first_day": "2025-07-29", **shown}
    await client.post(WEEKLY, weekly)
    (kept,) = (await client.json("GET", f"{API}/studios/gnz/weekly")).json()["items"]
    assert {name: kept[name] for name in SENT} == {**SENT, "name": "Yoga", "instructor": "Mako"}
    await client.post(f"/lessons/desk/gnz/people/{LESSON}", shown)
    assert await entered(client, str(LESSON)) == {**FULL, **shown}
    optional = {name: "" for name in ENTERED if name not in shown}
    await client.post(WEEKLY, {**weekly, **optional})
    (kept,) = (await client.json("GET", f"{API}/studios/gnz/weekly")).json()["items"]
    await client.post(f"/lessons/desk/gnz/people/{LESSON}", {**shown, **optional})
    assert {kept[spelt(name)] for name in optional} == {None}, "an empty input erases"
    assert await entered(client, str(LESSON)) == {**shown, **dict.fromkeys(optional)}


def in_csv(row: Mapping[str, Any], headings: Mapping[str, str]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([[headings[name] for name in row], [*row.values()]])
    return file.getvalue().encode()


def in_icalendar(row: Mapping[str, Any]) -> bytes:
    named = {"studio": "LOCATION", "name": "SUMMARY"}
    texts = {named.get(name, f"X-{name.upper()}"): value for name, value in row.items() if name != "end"}
    lines = [f"{name}:{value}" for name, value in texts.items()]
    times = ["DTSTART;TZID=Asia/Tokyo:20250730T193000", f"DTEND;TZID=Asia/Tokyo:20250730T{FULL['end_time']:%H%M%S}"]
    return "\r\n".join(["BEGIN:VCALENDAR", "BEGIN:VEVENT", *times, *lines, "END:VEVENT", "END:VCALENDAR"]).encode()


def test_files_bring_the_same() -> None:
    row = {"studio": "gnz", "date": "2025-07-30", "start": "19:30", **SENT}
    japanese = {column: heading for heading, column in COLUMNS.items()}
    files = {
        "english.csv": in_csv(row, {name: name for name in row}),
        "japanese.csv": in_csv(row, japanese),
        "feed.json": orjson.dumps({"lessons": [row]}),
        "calendar.ics": in_icalendar(row),
    }
    for name, content in files.items():
        found = read(name, content, [Studio("gnz", "銀座")])
        assert found.problems == []
        assert [values_of(draft) for draft in found.lessons] == [FULL], name


def test_the_timetable_as_a_provider_has_every_field() -> None:
    assert values_of(draft_of(replace(lesson(), **FULL))) == FULL


def test_users_have_copies_and_hear_of_changes(clock: ManualClock) -> None:
    before, after = waiting(), replace(lesson(), **FULL)
    changed = Notices(
        Links(Secrets(b"a secret of tests")), Settings(public_url="https://x.example"), STUDIOS, clock
    ).changed(hana(), before, after)
    for name in COPIED:
        assert f"{say('ja', f'field.{name}')}: " in changed["mail"]["text"], name
    copied = replace(before, **copies_of(after))
    assert msgspec.to_builtins(tie_out(copied)).items() >= {spelt(name): SENT[spelt(name)] for name in COPIED}.items()
