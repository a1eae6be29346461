"""`sekkei run`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from sekkei import cli
from sekkei.design import tables
from sekkei.store import Embedded
from sekkei_systems.eventbot.design import design


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("SEKKEI_STORE", "SEKKEI_DATA", "SEKKEI_SECRET"):
        monkeypatch.delenv(name, raising=False)

    async def make() -> None:
        store = Embedded(tmp_path / "sekkei.db")
        await tables.create(store, design, "dev")
        await store.close()

    asyncio.run(make())
    return str(tmp_path)


def test_what_is_found_and_what_it_cost(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "eventbot", "events_of_guild", "--data", data, "--with", "guild_id=1"]
    assert cli.main(arguments) == 0
    assert "0 items of 0 read; 0.5 read units, 1 calls" in capsys.readouterr().out
    assert cli.main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == []
    assert cli.main(["run", "eventbot", "events_of_guild", "guild_id=1", "--data", data, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == []
    assert cli.main([*arguments, "--as", "boto3"]) == 0
    assert "client.query(" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["eventbot", "nothing"], "has no pattern nothing"),
        (["nothing", "x"], "names no design"),
        (["eventbot", "events_of_guild"], "guild_id: give it a value. Write it behind the pattern: guild_id=…"),
        (["eventbot", "events_of_guild", "guild_id"], "guild_id: write NAME=VALUE"),
        (["eventbot", "events_of_guild", "--with", "guild_id"], "write NAME=VALUE"),
        (["eventbot", "events_of_guild", "--with", "guild_id=1", "--as", "Cobol"], "There is no form Cobol"),
    ],
)
def test_mistakes(data: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", *arguments, "--data", data]) == 2
    assert said in capsys.readouterr().err


def test_tables_that_are_not_there_yet(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "tasks", "one_team", "--data", data, "--with", "team_id=1"]) == 2
    assert "`sekkei tables create" in capsys.readouterr().err
