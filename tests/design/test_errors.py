"""Every number is documented, every documented number exists, and every message says something."""

from __future__ import annotations

import re
from pathlib import Path

from sekkei.design import CursorRefused, DesignError, Failed, ItemRefused, SekkeiError, TablesDiffer, ValueRefused

ROOT = Path(__file__).parents[2]
FAMILIES = {"1": DesignError, "2": ValueRefused, "3": Failed, "4": CursorRefused, "5": ItemRefused, "6": TablesDiffer}


def raised() -> dict[str, set[str]]:
    """Each number in the sources with the classes that are raised with it."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "sekkei").rglob("*.py"):
        for name, number in re.findall(r'(\w+)\(\s*"(SK\d{3})"', path.read_text(encoding="utf-8")):
            found.setdefault(number, set()).add(name)
    return found


def test_every_number_is_documented_and_exists() -> None:
    documented = re.findall(r"^### (SK\d{3})$", (ROOT / "docs/errors.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert documented == sorted(set(documented))
    assert set(documented) == set(raised())


def test_every_number_belongs_to_its_family() -> None:
    import sekkei.design.errors as errors

    for number, names in raised().items():
        for name in names:
            assert issubclass(getattr(errors, name), FAMILIES[number[2]]), (number, name)


def test_an_error_knows_its_number_and_anchor() -> None:
    error = DesignError("SK101", "the reason. What to do.")
    assert (error.number, error.anchor) == ("SK101", "docs/errors.md#sk101")
    assert str(error) == "SK101: the reason. What to do."
    assert isinstance(error, SekkeiError)
