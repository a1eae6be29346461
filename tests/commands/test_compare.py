"""`sekkei compare`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei import cli

BEFORE = "from tests.advice.conftest import thing_design\ndesign, _ = thing_design()\n"
AFTER = (
    "from sekkei.design import Index\nfrom tests.advice.conftest import thing_design\n"
    'design, _ = thing_design(Index("by_state", "state", "at"), ttl=None, stream="KEYS_ONLY")\n'
)


def test_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shop_before.py").write_text(BEFORE)
    (tmp_path / "shop_after.py").write_text(AFTER)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert cli.main(["compare", "shop_before", "shop_after"]) == 0
    assert "things.by_state: an index to be built" in capsys.readouterr().out
    assert cli.main(["compare", "shop_before", "shop_after", "--format", "md"]) == 0
    assert "| `things.by_state` |" in capsys.readouterr().out
    assert cli.main(["compare", "shop_before", "shop_before"]) == 0
    assert capsys.readouterr().out == "Nothing differs.\n"


def test_what_is_no_design(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["compare", "nothing", "q"]) == 2
    assert "names no design" in capsys.readouterr().err
