"""The fixtures work in somebody else's suite, without pytest-asyncio."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

SUITE = """
import asyncio

import boto3
import pytest

from sekkei.design import Attr, Design, Key, attr, model

@model
class Note:
    id: Attr[str]
    text: Attr[str] = attr(default="")

design = Design("notes")
table = design.table("notes", "id")

@table.entity(Note)
def notes(id: str) -> Key:
    return Key(id)


def test_store(sekkei_store):
    assert asyncio.run(sekkei_store.call("ListTables", {}))["TableNames"] == []


def test_sync_db(sekkei_sync_db):
    db = sekkei_sync_db(design)
    db.write(notes.create(Note(id="1", text="x")))
    assert db.need(notes("1")).text == "x"


def test_async_db(sekkei_db):
    db = sekkei_db(design)

    async def work():
        await db.write(notes.create(Note(id="1", text="x")))
        return await db.need(notes("1"))

    assert asyncio.run(work()).text == "x"


def test_old_name(open_design):
    async def work():
        return await (await open_design(design)).get(notes("1"))

    assert asyncio.run(work()) is None


@pytest.mark.parametrize("run", range(3))
def test_server_is_empty_every_time(sekkei_server, run):
    client = boto3.client("dynamodb", **sekkei_server.boto3)
    assert client.list_tables()["TableNames"] == []
    with design.open_sync(sekkei_server.store()) as db:
        assert db.create_tables() == ["notes"]


@pytest.fixture(scope="session")
def filled(sekkei_session_server):
    with design.open_sync(sekkei_session_server.store()) as db:
        db.create_tables()
        db.write(notes.create(Note(id="1")))
    sekkei_session_server.take("filled")
    return sekkei_session_server


def test_takes(filled):
    assert filled.snapshots() == ["filled"]


@pytest.mark.sekkei_snapshot("filled")
@pytest.mark.parametrize("run", range(3))
def test_goes_back(sekkei_session_server, run):
    with design.open_sync(sekkei_session_server.store()) as db:
        assert db.count(notes.scan()) == 1
        db.write(notes.delete("1"))
"""


def test_a_suite_without_pytest_asyncio(tmp_path: Path) -> None:
    (tmp_path / "test_notes.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "no:asyncio", "-p", "no:cacheprovider"]
    installed = entry_points(group="pytest11", name="sekkei")
    by_hand = [] if installed else ["-p", "sekkei.testing.plugin"]  # a checkout that was installed before it had one
    done = subprocess.run([*command, *by_hand], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "11 passed" in done.stdout


def test_the_fixtures_can_be_named_as_before(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["sekkei.testing"]\n')
    (tmp_path / "test_it.py").write_text("def test_it(sekkei_store, open_design): assert sekkei_store is not None\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert "1 passed" in done.stdout, done.stdout
