"""What is made from the code fits the code: each stale file is named, with the command that renews it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import pytest

from tests import renew


def _bill_and_licences() -> list[str]:
    spec = importlib.util.spec_from_file_location("supply", renew.ROOT / "requirements" / "supply.py")
    assert spec is not None
    assert spec.loader is not None
    supply = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(supply)
    stale: list[str] = supply.stale()
    return stale


def _other_than(made: Callable[[], dict[str, str]]) -> list[str]:
    return [path for path, text in made().items() if (renew.ROOT / path).read_text("utf-8") != text]


STALE = {
    "faces": lambda: _other_than(renew.face),
    "docs": lambda: _other_than(renew.documents),
    "lock": _bill_and_licences,
}


@pytest.mark.parametrize("what", STALE)
def test_nothing_that_is_made_from_code_is_stale(what: str) -> None:
    assert STALE[what]() == [], f"stale; run: make renew WHAT={what}"


def test_a_stale_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renew, "face", lambda: {"sekkei/design/sync_database.py": "another text"})
    assert _other_than(renew.face) == ["sekkei/design/sync_database.py"]


def test_what_cannot_be_renewed_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"Nothing to renew is called text, doc\. Choose from: faces, lock, measure"):
        renew.main(["text", "docs", "doc"])
