"""`sekkei serve`: one system alone, in a process of its own."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from sekkei.cli import main
from tests.commands.process import running


def test_one_system_on_the_data_of_all(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    with running("serve", "tasks", "--data", data) as first:
        assert "佐藤" in first.page("/"), "its sample data is there"
        assert first.end()[0] == 0
    with running("serve", "tasks", "--data", data, "--no-demo") as again:
        home = again.page("/")
        assert 'href="/tasks/"' in home
        assert 'href="/lessons/"' not in home
        assert "佐藤" not in home
        assert {"sekkei-runtime", "sekkei-web", "task-table-v3"} <= set(again.tables())
        assert again.end(signal.SIGINT)[0] == 0


def test_a_system_that_is_not_installed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "nothing", "--port", "0"]) == 2
    assert "There is no system nothing. Installed: " in capsys.readouterr().err
