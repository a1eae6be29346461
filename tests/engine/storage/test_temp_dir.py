"""Nothing stays behind in memory, also when a process is killed; and nobody takes what another still uses."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sekkei.engine import Engine
from sekkei.engine.storage import temp_dir
from sekkei.engine.storage.temp_dir import TempDir

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows deletes no file that is in use")
PROGRAM = """
import os, sys
from sekkei.engine import Engine
engine = Engine(None)
print(os.path.dirname(engine.path), flush=True)
sys.stdin.read()
"""


@contextmanager
def another() -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process with an engine in memory, and that engine's folder."""
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            yield child, Path(child.stdout.readline().strip())
        finally:
            child.kill()


def folder_of(engine: Engine) -> Path:
    return Path(engine.path).parent


def test_a_killed_process_leaves_nothing_in_memory() -> None:
    with another() as (child, folder):
        assert (folder / "memory.db").exists()
        child.kill()
        child.wait(60)
        with Engine(None):
            assert not folder.exists()


def test_what_a_living_process_uses_stays() -> None:
    with another() as (_, folder), Engine(None) as first, Engine(None):
        assert (folder / "memory.db").exists()
        assert (folder_of(first) / "memory.db").exists()


def test_an_engine_that_ends_takes_its_folder_along() -> None:
    engine = Engine(None)
    folder = folder_of(engine)
    engine.close()
    assert not folder.exists()


def test_only_our_own_kind_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temp_dir, "SHARED_MEMORY", str(tmp_path))
    for name in ("sekkei-memory-left", "sekkei-of-an-earlier-version", "another", "kept"):
        (tmp_path / name).mkdir()
    (tmp_path / "sekkei-memory-link").symlink_to(tmp_path / "kept")
    (tmp_path / "sekkei-memory-file").touch()
    made = TempDir()
    left = {path.name for path in tmp_path.iterdir()} - {Path(made.path).name}
    assert left == {"sekkei-of-an-earlier-version", "another", "kept", "sekkei-memory-link", "sekkei-memory-file"}


def test_nothing_of_another_user_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temp_dir, "SHARED_MEMORY", str(tmp_path))
    (tmp_path / "sekkei-memory-left").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    TempDir().remove()
    assert (tmp_path / "sekkei-memory-left").exists()


FORKING = """
import os, sys
from sekkei.engine.storage.temp_dir import TempDir
made = TempDir()
if not (child := os.fork()):
    made.remove()   # as it is when nobody has closed the engine
    os._exit(0)
os.waitpid(child, 0)
print(os.path.exists(made.path))
made.remove()
print(os.path.exists(made.path))
"""


def test_what_a_parent_uses_stays_when_its_child_ends() -> None:
    """A child that was forked while another thread opened an engine took the folder along."""
    command = [sys.executable, "-W", "ignore", "-c", FORKING]
    assert subprocess.run(command, capture_output=True, text=True, timeout=60).stdout == "True\nFalse\n"


def test_removing_twice_closes_no_descriptor_of_others(tmp_path: Path) -> None:
    made = TempDir()
    made.remove()
    with (tmp_path / "file").open("w") as file:
        made.remove()
        file.write("still open")


async def test_a_store_in_memory_asks_the_system_for_no_locks() -> None:
    """They took half the time of a small read. What several connections share is in memory, not in a file."""
    with Engine(None) as engine:
        await engine.call("ListTables", {})
        await asyncio.to_thread(asyncio.run, engine.call("ListTables", {}))
        assert len(engine._readers) > 1
        assert sorted(path.name for path in folder_of(engine).iterdir()) == ["memory.db", "memory.db-wal"]


def test_letters_that_were_drawn_before_are_nobodys_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a world, whose chance is its seed's."""
    drawn = iter(["same", "same", "other"])
    monkeypatch.setattr(tempfile, "_get_candidate_names", lambda: drawn)
    first, second = TempDir(), TempDir()
    assert first.path != second.path
    assert Path(first.path).is_dir()
    assert Path(second.path).is_dir()
    first.remove()
    second.remove()
