"""Profile is the one list of what people enter about themselves, and PARTS of what moderators look at."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec import structs

import sekkei_systems.q
from sekkei.design import replace
from sekkei.design.model import described
from sekkei.kit.typed import text_reader
from sekkei.testing import make
from sekkei.texts import LANGUAGES, folder_of, read
from sekkei_systems.q.api.shapes import Me, me, person
from sekkei_systems.q.design.models import DecisionKind, ProfilePart, User
from sekkei_systems.q.rules.sight import Relation, veiled
from sekkei_systems.q.rules.writing import PARTS, TEXTS, WISHES, Profile, waiting
from sekkei_systems.q.service.cases import profile_text
from tests.systems.samples import sample

TYPES = {field.name: field.type for field in structs.fields(Profile)}
SPELT = {field.name: field.encode_name for field in structs.fields(Profile)}
TEXT_FIELDS = [name for name, kind in TYPES.items() if text_reader(kind)]
USER = replace(make(User), **{name: sample(name, TYPES[name]) for name in TEXT_FIELDS})
SCRIPTS = Path(sekkei_systems.q.__file__).parent / "static"


def test_what_is_entered_is_stored_and_shown_to_its_owner() -> None:
    assert [name for name in TYPES if name not in described(User).fields] == [], "attributes of User"
    shown = {field.name: field.encode_name for field in structs.fields(Me)}
    wanted = {name: spelt for name, spelt in SPELT.items() if name != "language"}  # the page is in it
    assert {name: shown.get(name) for name in wanted} == wanted, "fields of Me"
    assert {name: getattr(me(USER, False), name) for name in TEXT_FIELDS} == {
        name: getattr(USER, name) for name in TEXT_FIELDS
    }


def test_every_text_is_a_part_that_moderators_look_at() -> None:
    assert [name for name in TEXT_FIELDS if name in WISHES] == [], "texts without a part in PARTS"
    assert [part for part in ProfilePart if part not in PARTS] == [], "parts without a field in PARTS"
    assert [part for part in ProfilePart if part.value not in {one.value for one in DecisionKind}] == []
    assert [part for part, found in TEXTS.items() if not found.most] == [], "parts without a limit"
    assert [name for name in TEXT_FIELDS if getattr(USER, name) not in profile_text(USER)] == []
    tables = {language: read(folder_of("sekkei_systems.q") / f"{language}.toml") for language in LANGUAGES}
    sections = ("queue", "decision", "client.me", "client.standing", "notice.decision")
    keys = [f"{section}.{part.value}" for section in sections for part in PARTS]
    assert [(language, key) for language in LANGUAGES for key in keys if not tables[language].get(key)] == []


@pytest.mark.parametrize("part", ProfilePart)
def test_what_waits_is_its_owners_alone(part: ProfilePart) -> None:
    found = PARTS[part]
    flagged = replace(USER, **{found.field.name: "x", found.flag.name: True})
    assert waiting(flagged) == [part]
    assert getattr(veiled("another", flagged), found.field.name) is None
    assert veiled(flagged.user_id, flagged) == flagged


def test_people_see_and_enter_every_text() -> None:
    """What others see of a profile, and who of them, is decided for each field in `api.shapes.person`."""
    shown = person("another", USER, Relation())
    assert [name for name in TEXT_FIELDS if getattr(shown, name, None) != getattr(USER, name)] == [], "fields of Person"
    entering = (SCRIPTS / "me.js").read_text("utf-8")
    showing = "".join(file.read_text("utf-8") for file in SCRIPTS.glob("*.js") if file.name != "me.js")
    (sent,) = re.findall(r'change\("PATCH", "/me", \{ ([^}]+) \}\)', entering)
    assert [name for name in TEXT_FIELDS if f"{SPELT[name]}:" not in sent] == [], "what me.js sends"
    assert [name for name in TEXT_FIELDS if f'name: "{SPELT[name]}"' not in entering] == [], "inputs of me.js"
    assert [part.value for part in TEXTS if f'field(t("me.{part.value}")' not in entering] == [], "fields of me.js"
    assert [name for name in TEXT_FIELDS if f".{SPELT[name]}" not in showing] == [], "what the scripts show"
