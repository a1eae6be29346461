"""Which systems there are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sekkei.runtime import discovery
from sekkei.runtime.discovery import NoSuchSystem, load, load_all


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of systems in place of the real one: one good, one not begun, one broken."""
    package = tmp_path / "somewhere"
    for name, text in {
        "good": "from tests.web.example import SYSTEM",
        "begun": "",
        "broken": "1 / 0",
    }.items():
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text(text)
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    points = [EntryPoint(name, f"somewhere.{name}:SYSTEM", discovery.GROUP) for name in ("begun", "broken", "good")]
    monkeypatch.setattr(discovery, "entry_points", lambda group: points)
    yield package
    for name in [name for name in sys.modules if name.partition(".")[0] == "somewhere"]:
        del sys.modules[name]


def test_one_broken_system_does_not_take_the_others_with_it(folder: Path) -> None:
    systems, missing = load_all()
    assert [system.name for system in systems] == ["example"]
    assert missing == {
        "begun": "somewhere.begun has no SYSTEM, so it is not a system yet.",
        "broken": "ZeroDivisionError: division by zero",
    }


def test_a_system_by_name(folder: Path) -> None:
    assert load("good").name == "example"
    with pytest.raises(NoSuchSystem, match=r"There is no system nothing\. Installed: begun, broken, good"):
        load("nothing")


def test_without_any_systems_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "entry_points", lambda group: ())
    assert load_all() == ([], {})
    with pytest.raises(NoSuchSystem, match=r"Installed: none; five of them come with sekkei-systems\."):
        load("tasks")
