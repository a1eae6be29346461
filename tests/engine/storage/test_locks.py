"""Closing a file loses all locks of a process on it, SQLite's too: nothing of ours opens what SQLite has locked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from sekkei.engine import Engine
from sekkei.engine.storage import file
from sekkei.engine.upkeep.verify import verify_file

ANOTHER_PROCESS = """
import apsw, sys
connection = apsw.Connection(sys.argv[1])
try:
    connection.execute("BEGIN IMMEDIATE")
    print("writes")
except apsw.BusyError:
    print("waits")
"""


def another_process(path: Path) -> str:
    found = subprocess.run(
        [sys.executable, "-c", ANOTHER_PROCESS, str(path)], capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other locks")
@pytest.mark.parametrize("deed", ["opens it again", "verifies it"])
def test_who_writes_keeps_others_out_whatever_else_its_process_does(tmp_path: Path, deed: str) -> None:
    path = tmp_path / "store.db"
    with Engine(path):
        writer = file.connect(str(path))
        writer.execute("BEGIN IMMEDIATE")
        assert another_process(path) == "waits"
        if deed == "opens it again":
            Engine(path).close()
        else:
            assert list(verify_file(str(path))) == []
        assert another_process(path) == "waits"
        writer.execute("ROLLBACK")
        writer.close()
        assert another_process(path) == "writes"


def test_what_the_log_holds_is_asked_of_sqlite(tmp_path: Path) -> None:
    """And asking puts nothing into the database."""
    connection = file.connect(str(tmp_path / "store.db"))
    connection.execute("CREATE TABLE further (id)")
    before = (tmp_path / "store.db").stat().st_size
    frames, done = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    assert frames > 0
    assert done == 0
    assert (tmp_path / "store.db").stat().st_size == before
    connection.close()
