"""The five designs against the original documents, by name and to the letter."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from sekkei.design import Design, Table

SYSTEMS = ("eventbot", "chiipochi", "q", "lessons", "tasks")
COUNTS = {"eventbot": 4, "chiipochi": 2, "q": 12, "lessons": 1, "tasks": 2}


def design_of(system: str) -> Design:
    design: Design = import_module(f"sekkei_systems.{system}.design").design
    design.check()
    return design


def seed_of(system: str) -> Any:
    return import_module(f"tests.design.seeds.{system}")


def original(design: Design) -> dict[str, Table]:
    return {name: table for name, table in design.tables.items() if not table.added}


def attributes(table: Table) -> dict[str, str]:
    """Stored attributes with their types, without those that were added."""
    found: dict[str, str] = {}
    for entity in table.entities:
        if entity.added:
            continue
        found.update({name: template.kind for name, template in entity.keys.items()})
        found.update({field.stored: field.codec.kind for field in entity.model.by_stored.values() if not field.added})
    if table.discriminator is not None:
        found[table.discriminator] = "S"
    return found


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_original_tables_are_all_there(system: str) -> None:
    tables = original(design_of(system))
    assert set(tables) == set(seed_of(system).TABLES)
    assert len(tables) == COUNTS[system]


@pytest.mark.parametrize("system", SYSTEMS)
def test_keys_are_the_originals(system: str) -> None:
    for name, table in original(design_of(system)).items():
        assert (table.pk, table.sk) == seed_of(system).TABLES[name]["key"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_indexes_are_the_originals(system: str) -> None:
    for name, table in original(design_of(system)).items():
        found = {
            index.name: (index.pk[0], index.sk[0] if index.sk else None)
            for index in table.indexes.values()
            if not index.added
        }
        assert found == seed_of(system).TABLES[name]["gsi"], name
        assert all(index.projection == "ALL" for index in table.indexes.values() if not index.added)


def test_q_has_eleven_indexes() -> None:
    """The document says so, counting the one it had not built."""
    tables = original(design_of("q")).values()
    assert sum(not index.added for table in tables for index in table.indexes.values()) == 11


@pytest.mark.parametrize("system", SYSTEMS)
def test_attributes_are_the_originals_to_the_letter(system: str) -> None:
    seed = seed_of(system)
    for name, table in original(design_of(system)).items():
        expected = {**seed.TABLES[name]["attributes"], **seed.NOTED.get(name, {})}
        assert attributes(table) == expected, name


@pytest.mark.parametrize("system", SYSTEMS)
def test_composed_keys_have_the_original_form(system: str) -> None:
    design = design_of(system)
    for (name, attribute), text in seed_of(system).TEMPLATES.items():
        templates = {
            template.text
            for entity in design.tables[name].entities
            if (template := entity.template_for(attribute)) is not None and not entity.added
        }
        assert text in templates, (name, attribute)


def test_the_single_table_has_the_original_entities() -> None:
    seed = seed_of("tasks")
    for name, table in original(design_of("tasks")).items():
        found = {(*entity.key_texts, entity.type) for entity in table.entities if not entity.added}
        assert found == seed.KEYS[name]
        assert {kind for _, _, kind in found} == seed.TYPES[name]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_listed_pattern_is_served_as_the_original_says(system: str) -> None:
    design = design_of(system)
    for number, expected in seed_of(system).PATTERNS.items():
        found = [pattern for pattern in design.patterns.values() if pattern.number == number and not pattern.added]
        assert found, f"pattern {number} is missing"
        plans = [[(plan.operation, plan.table, plan.index) for plan in pattern.plans] for pattern in found]
        assert expected in plans, number


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_pattern_scans_without_saying_why(system: str) -> None:
    for pattern in design_of(system).patterns.values():
        for plan in pattern.plans:
            assert plan.operation != "Scan" or len(plan.scan) > 10


def test_q_tables_carry_the_environment() -> None:
    design = design_of("q")
    assert design.table_name(design.tables["Users"], "dev") == "dev-q-Users"
    assert design.table_name(design.tables["Answers"], "prod") == "prod-q-Answers"
    assert all(table.pitr and table.capacity is None for table in design.tables.values())


def test_time_to_live_and_streams() -> None:
    def settings(system: str) -> dict[str, tuple[str | None, str | None]]:
        return {name: (table.ttl, table.stream) for name, table in original(design_of(system)).items()}

    assert settings("chiipochi") == {
        "user_states": ("session_expires_at", None),
        "donation_history": (None, "NEW_AND_OLD_IMAGES"),
    }
    assert settings("q")["AdminLogs"][0] == "ttl"
    assert settings("lessons")["user_lessons"][0] == "ttl"
    assert settings("tasks")["task-table-v3"][0] == "expiresAt"
    assert settings("tasks")["task-table-invitation-v3"] == ("expiresAt", "NEW_AND_OLD_IMAGES")


def test_items_of_the_documents_examples() -> None:
    donations = import_module("sekkei_systems.chiipochi.design").donations
    item = donations.encode(donations.examples[0])
    assert item["gsi1_pk"] == {"S": "DATE#2025-08-20"}
    assert item["gsi1_sk"] == {"S": "USER#U123456#2025-08-20T05:13:10.000Z"}
    lessons = import_module("sekkei_systems.lessons.design").user_lessons
    favourite = lessons.encode(lessons.examples[0])
    assert (favourite["PK"], favourite["SK"]) == (
        {"S": "USER#user123"},
        {"S": "LESSON#gnz#2025-07-30#10:30#favorite"},
    )
    assert favourite["lessonDateTime"] == {"S": "2025-07-30T10:30:00+09:00"}
