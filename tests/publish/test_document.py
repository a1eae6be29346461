"""The document of a design: complete, in both languages, safe to open, and the committed ones up to date."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sekkei.design import (
    Attr,
    Design,
    Index,
    Key,
    LocalIndex,
    Marking,
    Measurements,
    Query,
    Ref,
    Units,
    attr,
    collection,
    model,
    part,
    template,
)
from sekkei.design.loading import find, measurements_beside
from sekkei.publish import document, html, markdown
from sekkei.publish.texts import Language
from sekkei.texts.checks import missing_texts
from tests.design.example import design as example
from tests.design.test_seeds import COUNTS, SYSTEMS, design_of

ROOT = Path(__file__).parents[2]
VOID = {"meta", "rect", "path", "br"}


class Outline(HTMLParser):
    """Checks that tags are closed in order, and collects ids, links and the texts of code."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.add(tag)
        if "id" in found:
            self.ids.append(str(found["id"]))
        if "href" in found:
            self.links.append(str(found["href"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(page: str) -> Outline:
    parsed = Outline()
    parsed.feed(page)
    parsed.close()
    assert parsed.open == []
    return parsed


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_table_index_attribute_and_pattern_is_in_the_document(system: str, language: Language) -> None:
    design = design_of(system)
    text = markdown(document(design, language))
    for table in design.tables.values():
        assert f"## {table.name}" in text
        for index in table.indexes.values():
            assert f"| `{index.name}`" in text
        for entity in table.entities:
            for field in entity.model.by_stored.values():
                assert f"| `{field.stored}`" in text, field
    for pattern in design.patterns.values():
        assert f"`{pattern.name}(" in text
    added = sum(table.added for table in design.tables.values())
    first = {"ja": f"元の設計のテーブル: {COUNTS[system]}", "en": f"Tables of the original design: {COUNTS[system]}"}
    assert first[language] in text
    assert len(re.findall(r"^## ", text, re.MULTILINE)) == 3 + COUNTS[system] + added


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("system", [*SYSTEMS, "example"])
def test_the_page_is_whole_and_needs_nothing_else(system: str, language: Language) -> None:
    design = example if system == "example" else design_of(system)
    page = html(document(design, language))
    parsed = outline(page)
    assert len(parsed.ids) == len(set(parsed.ids))
    assert {link.removeprefix("#") for link in parsed.links} <= set(parsed.ids)
    assert not parsed.tags & {"script", "link", "img", "iframe"}
    assert re.findall(r'(?:src|href)="(?!#)', page) == []
    assert f'<html lang="{language}">' in page
    assert ("<svg" in page) is bool(design.relations)


def test_texts_cannot_break_out_of_the_page() -> None:
    evil = '</td><script>alert("x")</script>|'

    @model
    class Thing:
        id: Attr[str] = attr(ja=evil, en=evil)

    design = Design("x", ja=evil, en=evil)
    table = design.table("things", "id", ja=evil, en=evil)

    @table.entity(Thing, ja=evil, en=evil)
    def things(id: str) -> Key:
        return Key(id)

    things.example(Thing(id=evil))

    @design.pattern(ja=evil)
    def thing(id: str) -> Ref[Thing]:
        """One thing."""
        return things(id)

    made = document(design, "ja")
    assert "script" not in outline(html(made)).tags
    assert "\\|" in markdown(made)


def test_measured_units_are_shown() -> None:
    text = markdown(document(example, "en", Measurements({"one_task": Units(1.0, 0.0, 1)})))
    assert "| 1 read units, 1 items |" in text
    assert "not yet" in text


def test_plans_and_examples_are_shown() -> None:
    eventbot = markdown(document(design_of("eventbot"), "ja"))
    assert 'begins_with(event_sk, "{event_id}#")' in eventbot
    lessons = markdown(document(design_of("lessons"), "en"))
    assert '"SK": "LESSON#gnz#2025-07-30#10:30#favorite"' in lessons
    tasks = markdown(document(design_of("tasks"), "en"))
    assert 'start_sort_sk < "START#{today}"' in tasks


def overloaded() -> Design:
    """Two entities behind one index, one local index, no word about what was added."""

    @model
    class Team:
        team_id: Attr[str] = part()
        name: Attr[str] = attr(en="what people call it", added=True)
        gsi1pk: Attr[str] = template("NAME#{name}", "GSI1PK")
        gsi1sk: Attr[str] = template("TEAM#{team_id}", "GSI1SK")

    @model
    class Member:
        team_id: Attr[str] = part()
        user_id: Attr[str] = part()
        name: Attr[str | None] = attr(default=None)
        gsi1pk: Attr[str] = template("USER#{user_id}", "GSI1PK")
        gsi1sk: Attr[str] = template("MEMBER#{team_id}", "GSI1SK")

    design = Design("teams")
    indexes = [Index("GSI1", "GSI1PK", "GSI1SK"), LocalIndex("names", "name")]
    table = design.table("teams", "PK", "SK", discriminator="type", indexes=indexes, added=True)

    @table.entity(Team, type="team")
    def teams(team_id: str) -> Key:
        return Key(f"TEAM#{team_id}", f"TEAM#{team_id}")

    @table.entity(Member, type="member")
    def members(team_id: str, user_id: str) -> Key:
        return Key(f"TEAM#{team_id}", f"USER#{user_id}")

    @design.pattern
    def both(team_id: str) -> Query[Any]:
        """A team by its partition."""
        return collection(teams, members).where(Team.team_id == team_id)

    design.relate(teams, members)
    return design


def test_every_entity_of_an_index_shows_its_own_keys() -> None:
    text = markdown(document(overloaded()))
    assert "| `GSI1` | `teams` | `NAME#{name}` | `TEAM#{team_id}` |" in text
    assert "| `GSI1` | `members` | `USER#{user_id}` | `MEMBER#{team_id}` |" in text
    assert "team: `NAME#{name}`<br>member: `USER#{user_id}`" in text
    assert "team: yes<br>member: no" in text


def test_local_indexes_are_not_counted_as_global_ones() -> None:
    text = markdown(document(overloaded()))
    assert "| # | Table | PK | SK | GSI | LSI | Purpose |" in text
    assert "| 1 | `teams` | `PK` | `SK` | 1 | 1 |" in text


def test_a_design_of_its_own_says_nothing_of_an_original() -> None:
    text = markdown(document(overloaded()))
    assert text.startswith("# teams")
    assert "original" not in text
    assert "added" not in text
    assert "| Pattern | Function | Plan | Measured |" in text


def test_a_design_may_have_words_for_what_was_added() -> None:
    design = overloaded()
    design.added = {"en": Marking("new", "“new” is what the second draft has.", "Old: {count}", "New: {count}")}
    text = markdown(document(design))
    assert "“new” is what the second draft has." in text
    assert "Old: 0 · New: 1" in text
    assert "`teams` (new)" in text


def test_relations_are_said_and_never_guessed() -> None:
    design = overloaded()
    assert "teams ||--o{ members : has" in markdown(document(design))
    design.relations.clear()
    text = markdown(document(design))
    assert "erDiagram" not in text
    tasks, mail_blocks = design_of("tasks"), "mail_blocks"
    assert all(one.parent.name != mail_blocks for one in tasks.relations)
    assert {("teams", "tasks"), ("tasks", "comments")} <= {(one.parent.name, one.child.name) for one in tasks.relations}


def test_both_languages_have_every_word() -> None:
    assert missing_texts("sekkei.publish", further=()) == []


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_committed_document_is_up_to_date(system: str, language: Language) -> None:
    path = ROOT / "docs" / "designs" / f"{system}.{language}.md"
    units = Measurements.load(measurements_beside(find(system)[1]))
    made = markdown(document(_design(system), language, units))
    command = f"sekkei docs {system} --lang {language} --out docs/designs/{path.name}"
    assert path.exists(), f"run: {command}"
    assert path.read_text(encoding="utf-8") == made, f"stale; run: {command}"


def _design(system: str) -> Any:
    return import_module(f"sekkei_systems.{system}.design").design
