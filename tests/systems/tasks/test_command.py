"""`sekkei tasks import`, as an operator types it."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

import pytest

from sekkei.clock import SYSTEM as CLOCK
from sekkei.commands import CouldNotRun
from sekkei.runtime.deployment import assemble
from sekkei.runtime.settings import from_environment
from sekkei.store import Embedded
from sekkei_systems.tasks import command
from sekkei_systems.tasks.service.people import Visitor
from sekkei_systems.tasks.system import SYSTEM
from tests.systems.tasks.boards import trello


@pytest.fixture
def team(tmp_path: Path) -> str:
    async def fill() -> str:
        store = Embedded(tmp_path / "sekkei.db")
        deployment = assemble([SYSTEM], store, from_environment({}, data=tmp_path), CLOCK)
        await deployment.make_tables()
        service = deployment.systems["tasks"].parts.service
        await service.people.arrive(Visitor("aoi", "aoi@example.com", "Aoi"))
        made = await service.teams.create("aoi", "開発")
        await store.close()
        return str(made.team_id)

    (tmp_path / "board.json").write_bytes(trello())
    (tmp_path / "bad.json").write_bytes(b"{}")
    return asyncio.run(fill())


def typed(folder: Path, file: str, team: str, *more: str, who: str = "aoi@example.com") -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    words = ["import", str(folder / file), "--team", team, "--as", who, "--data", str(folder), *more]
    return command.run(parser.parse_args(words))


def test_a_dry_run_then_the_tasks(tmp_path: Path, team: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(tmp_path, "board.json", team, "--dry-run") == 0
    said = capsys.readouterr().out
    assert "3 tasks to add, 0 were added before" in said
    assert "left out: 2 archived cards" in said
    assert typed(tmp_path, "board.json", team) == 0
    assert "3 tasks were added." in capsys.readouterr().out
    assert typed(tmp_path, "board.json", team) == 0
    assert "0 tasks were added." in capsys.readouterr().out


def test_what_cannot_be_taken_in_gets_a_sentence(tmp_path: Path, team: str) -> None:
    for file, team_id, who, words in (
        ("none.json", team, "aoi@example.com", "No such file"),
        ("bad.json", team, "aoi@example.com", "neither a Trello"),
        ("board.json", team, "ren@example.com", "nobody has the address"),
        ("board.json", "other", "aoi@example.com", "team"),
    ):
        with pytest.raises(CouldNotRun, match=words):
            typed(tmp_path, file, team_id, who=who)
    with pytest.raises(CouldNotRun, match="There is no store"):
        typed(tmp_path, "board.json", team, "--data", str(tmp_path / "empty"))
