"""`sekkei patterns`."""

from __future__ import annotations

import json

import pytest

from sekkei import cli


def test_all_and_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["patterns", "tasks"]) == 0
    assert "members_of" in capsys.readouterr().out
    assert cli.main(["patterns", "tasks", "members_of"]) == 0
    assert "Query task-table-v3" in capsys.readouterr().out
    assert cli.main(["patterns", "tasks", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["name"]


def test_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["patterns", "tasks", "nothing"]) == 2
    assert "has no pattern nothing" in capsys.readouterr().err
    assert cli.main(["patterns", "nothing"]) == 2
