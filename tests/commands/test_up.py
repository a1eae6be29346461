"""`sekkei up` as a process: what they print, what they serve, how they end."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from argparse import ArgumentParser
from dataclasses import replace
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import apsw
import pytest

from sekkei import cli
from sekkei.commands import up
from sekkei.commands.startup import said_while_waiting
from sekkei.commands.up import settings_from
from sekkei.engine.storage import sql
from sekkei.runtime.system import Context, Parts
from sekkei.store.retries import Retries
from tests.commands.process import COMMAND, environment, running
from tests.web.example import SYSTEM as EXAMPLE


def test_everything_runs_and_ends_when_told_to(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    with running("up", "--data", data) as first:
        home = first.page("/")
        assert 'href="/tasks/"' in home
        assert 'href="/console/outbox"' in home
        assert first.dynamodb_url in home
        assert {"sekkei-runtime", "sekkei-web", "task-table-v3"} <= set(first.tables())
        assert f"{first.url}/tasks/" in first.printed
        with running("up", SEKKEI_STORE=first.dynamodb_url, SEKKEI_SECRET="x" * 32) as second:  # the same, from afar
            assert second.dynamodb_url == ""
            assert "/console/outbox" not in second.page("/")
            assert second.end()[0] == 0
        code, logged = first.end()
        assert code == 0
        assert "Traceback" not in logged
    assert (tmp_path / "data" / "sekkei.db").exists()


def test_an_open_connection_does_not_hold_up_the_end(tmp_path: Path) -> None:
    noted = tmp_path / "run.json"
    with running("up", "--data", str(tmp_path), "--note-units", str(noted)) as program:
        parts = urlsplit(program.url)
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=30)
        connection.request("GET", "/")  # kept open
        connection.getresponse().read()
        assert program.end()[0] == 0
    assert '"sekkei-web"' in noted.read_text("utf-8")  # who is signed in was looked up


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["up", "--data", "{file}"], "file"),
        (["up", "--data", "fresh", "--no-demo", "--note-units", "nowhere/run.json"], "--note-units nowhere/run.json"),
    ],
)
def test_what_cannot_run_says_why(arguments: list[str], words: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.mkdir()
    (file / "sekkei.db").write_text("this is no store, but it is long enough to be read as one" * 100)
    command = [*COMMAND, *(one.replace("{file}", str(file)) for one in arguments), "--port", "0"]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60, cwd=tmp_path)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("SEKKEI_SECRET", "short", "SEKKEI_SECRET is too short"),
        ("SEKKEI_SMTP_URL", "nonsense", "SEKKEI_SMTP_URL must look like smtp://"),
        ("SEKKEI_STORE", "foo://x", "'foo://x' names no store"),
        ("SEKKEI_STORE", "http://127.0.0.1:1", "The store does not answer."),
        ("SEKKEI_PUBLIC_URL", "tasks.example.com", "SEKKEI_PUBLIC_URL must look like https://tasks.example.com"),
        ("SEKKEI_ENV", "a b", "SEKKEI_ENV is part of table names"),
        ("SEKKEI_LIVE", "no", "SEKKEI_LIVE is on or off; it is 'no'."),
        ("SEKKEI_EXAMPLE", "bad", "SEKKEI_EXAMPLE must be good."),
    ],
)
def test_a_setting_that_cannot_be_is_said_in_one_line(
    name: str,
    value: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def build(context: Context) -> Parts:
        if context.settings.get("example") == "bad":
            raise ValueError("SEKKEI_EXAMPLE must be good.")
        return Parts()

    system = replace(EXAMPLE, build=build)
    monkeypatch.setattr("sekkei.runtime.discovery.load", lambda name: system)
    for variable in [one for one in os.environ if one.startswith("SEKKEI_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv(name, value)
    monkeypatch.setattr("sekkei.store.remote.Retries", partial(Retries, attempts=2))
    monkeypatch.setattr("sekkei.commands.startup.SILENT_SECONDS", 3600.0)
    arguments = ["serve", "example", "--port", "0", "--dynamodb-port", "0", "--data", str(tmp_path)]
    assert cli.main(arguments) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


async def test_who_waits_for_a_store_hears_of_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with said_while_waiting("http://127.0.0.1:1"):
        pass
    assert capsys.readouterr().err == "", "it answered"
    monkeypatch.setattr("sekkei.commands.startup.SILENT_SECONDS", 0.0)
    async with said_while_waiting("http://127.0.0.1:1"):
        await asyncio.sleep(0.01)
    assert capsys.readouterr().err.startswith("Waiting for the store http://127.0.0.1:1 to answer; ")


def test_a_folder_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("no folder")
    for data in (tmp_path / "file", tmp_path / "file" / "below"):
        assert cli.main(["up", "--port", "0", "--dynamodb-port", "0", "--data", str(data)]) == 2
        assert "name a folder that you may write to with --data" in capsys.readouterr().err


def test_a_file_of_another_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    connection = apsw.Connection(str(tmp_path / "sekkei.db"))
    connection.pragma("application_id", sql.APPLICATION_ID)
    connection.pragma("user_version", sql.FORMAT + 1)
    connection.execute("CREATE TABLE t(x)")
    connection.close()
    before = (tmp_path / "sekkei.db").read_bytes()
    assert cli.main(["up", "--port", "0", "--dynamodb-port", "0", "--data", str(tmp_path)]) == 2
    assert "Open it with the newer version that wrote it." in capsys.readouterr().err
    assert (tmp_path / "sekkei.db").read_bytes() == before


def test_a_port_that_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in [one for one in os.environ if one.startswith(("SEKKEI_", "AWS_"))]:
        monkeypatch.delenv(variable)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for option, other in (("--port", "--dynamodb-port"), ("--dynamodb-port", "--port")):
            assert cli.main(["up", option, port, other, "0", "--data", str(tmp_path)]) == 2
            said = capsys.readouterr().err
            assert f"Port {port} at 127.0.0.1 is in use. Choose another with {option}" in said


@pytest.mark.parametrize(
    ("arguments", "variables", "demo"),
    [
        ([], {}, True),
        (["--no-demo"], {}, False),
        (["--no-demo"], {"SEKKEI_DEMO": "1"}, False),
        (["--host", "0.0.0.0"], {}, False),
        (["--host", "0.0.0.0"], {"SEKKEI_DEMO": "1"}, False),
        ([], {"SEKKEI_STORE": "dynamodb://ap-northeast-1"}, False),
        ([], {"SEKKEI_STORE": "https://dynamodb.example"}, False),
        ([], {"SEKKEI_STORE": "http://127.0.0.1:8001", "SEKKEI_DEMO": "1"}, True),
        ([], {"SEKKEI_STORE": ":memory:"}, True),
        ([], {"SEKKEI_DEMO": "0"}, False),
        ([], {"SEKKEI_PUBLIC_URL": "https://bot.example.com"}, False),
        ([], {"SEKKEI_PUBLIC_URL": "https://bot.example.com", "SEKKEI_DEMO": "1"}, True),
        ([], {"SEKKEI_PUBLIC_URL": "http://localhost:8000"}, True),
    ],
)
def test_sample_data_only_where_it_can_do_no_harm(
    arguments: list[str], variables: dict[str, str], demo: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in os.environ if name.startswith("SEKKEI_")]:
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    parser = ArgumentParser()
    up.add_arguments(parser)
    found = settings_from(parser.parse_args([*arguments, "--data", str(tmp_path)]), 1234)
    assert found.demo is demo
    assert found.public_url == variables.get("SEKKEI_PUBLIC_URL", "http://127.0.0.1:1234")
