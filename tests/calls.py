"""What systems ask of the store, noted while their tests run: `calls.json` beside each design.

`make calls` writes what was seen; a test fails when the system asks for something that is not written there, because
the role of its functions would refuse it. Calls of the tests themselves, of demo data and of the console do not count.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from sekkei.design.loading import find
from sekkei.engine.engine import Engine
from sekkei.publish.aws import calls

WRITING = "SEKKEI_WRITE_CALLS"
DESIGNS = ("chiipochi", "eventbot", "lessons", "q", "tasks", "sekkei.runtime", "sekkei.web.identity")
ENVS = ("dev", "test", "prod")
ROOT = str(Path(__file__).parents[1])
"""Of this checkout; what a folder above it is called says nothing."""
CODE = ("/sekkei/", "/systems/", "/tests/")
OURS = ("/systems/sekkei_systems/", "/sekkei/runtime/", "/sekkei/web/")
NOT_THE_SYSTEM = (
    *("/tests/", "/console/", "/demo", "/local/", "/testing", "/world", "/migration", "/sekkei/worlds/"),
    "/advice/",  # measuring reads what is there before and after a write
)

Resource = tuple[str, str]
"""A file of calls, and the name of a table or index in it."""

_seen: set[tuple[str, str, str]] = set()


@cache
def tables() -> dict[str, list[Resource]]:
    """By the name in the store: which files note calls of it, and under which name."""
    found: dict[str, list[Resource]] = {}
    for name in DESIGNS:
        design, home = find(name)
        for table in design.tables.values():
            for env in ENVS:
                kept = found.setdefault(design.table_name(table, env), [])
                entry = (str(calls.beside(home)), table.name)
                if entry not in kept:
                    kept.append(entry)
    return found


@cache
def allowed() -> frozenset[tuple[str, str, str]]:
    if os.environ.get(WRITING):
        return frozenset()
    files = {file for kept in tables().values() for file, _ in kept}
    return frozenset(
        (file, resource, action)
        for file in files
        for resource, actions in (calls.load(Path(file)) or {}).items()
        for action in actions
    )


def _by_the_system(frame: FrameType | None) -> str | None:
    """The file that asked, when that was the system's and not a test's: the nearest caller of either decides."""
    while frame is not None:
        within = frame.f_code.co_filename.removeprefix(ROOT)
        frame = frame.f_back
        if not within.startswith(CODE):
            continue
        if any(each in within for each in NOT_THE_SYSTEM):
            return None
        if within.startswith(OURS):
            return within
    return None


def _unknown(operation: str, request: Any) -> Iterator[str]:
    for table, index, action in calls.asked(operation, request):
        for file, name in tables().get(table, ()):
            resource = name if index is None else f"{name}/index/{index}"
            note = (file, resource, action)
            if note in allowed() or note in _seen:
                continue
            origin = _by_the_system(sys._getframe(2))
            if origin is None or not _belongs(file, origin):
                continue
            _seen.add(note)
            yield f"{action} on {resource}: not in {Path(file).name} of {Path(file).parent}; run `make calls`"


def _belongs(file: str, origin: str) -> bool:
    """Two designs may have a table of one name; the call is the system's whose code it is."""
    system = file.partition("/sekkei_systems/")[2].partition("/")[0]
    return not system or f"/sekkei_systems/{system}/" in origin or "/sekkei_systems/" not in origin


@contextmanager
def listening() -> Iterator[list[str]]:
    """A sentence for each call of a system that is not noted, while the block lasts."""
    refused: list[str] = []
    plain = Engine.call

    def call(self: Engine, operation: str, request: Any, *rest: Any) -> Any:
        try:
            refused.extend(_unknown(operation, request))
        except (KeyError, TypeError, AttributeError):
            pass  # a request that the engine will refuse
        return plain(self, operation, request, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "call", call)
        yield refused


@pytest.fixture(autouse=True)
def asks_only_what_is_noted() -> Iterator[None]:
    with listening() as refused:
        yield
    if os.environ.get(WRITING):
        _write()
    else:
        assert refused == []


def _write() -> None:
    """Into a file of this process; `python -m tests.calls` puts them together."""
    folder = Path(os.environ[WRITING])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{os.getpid()}.json").write_text(json.dumps(sorted(_seen)), "utf-8")


def gather(folder: Path) -> None:
    """All that was seen, into the files beside the designs; what was written there before goes when nobody asked it."""
    seen = {tuple(each) for part in folder.glob("*.json") for each in json.loads(part.read_text("utf-8"))}
    for file in sorted({file for kept in tables().values() for file, _ in kept}):
        found: dict[str, list[str]] = {}
        for _, resource, action in sorted(note for note in seen if note[0] == file):
            found.setdefault(resource, []).append(action)
        Path(file).write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
        print(f"{file}: {sum(map(len, found.values()))} actions on {len(found)} tables and indexes")


if __name__ == "__main__":
    gather(Path(sys.argv[1]))
