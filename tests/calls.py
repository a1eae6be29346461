"""What systems ask of the store, noted while their tests run, function by function: `calls.json` beside each design.

`make renew WHAT=calls` writes what was seen; a test fails when a function asks for something that is not written
there, because its role would refuse it. Whose call it is says the function that is at work: a request's, a
reaction's, the clock's.
Calls of the tests themselves, of demo data, of the console and of bad weather do not count. What a test asks of a
service outside of any function counts as asked by whom it works for (`tests/shared.py`, ROOMS), and by a page where
that is nobody; but a scan is never guessed: some function must have been seen to make it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from sekkei.design import Reactions
from sekkei.design.loading import find
from sekkei.design.measured import lines_of
from sekkei.engine.engine import Engine
from sekkei.publish.aws import calls
from sekkei.runtime.delivery import Delivery
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.live import LiveLog
from sekkei.runtime.pump import Pump
from sekkei.runtime.wakeups import Pulse
from sekkei.runtime.worker import Worker
from sekkei.store.weather.replica import Replica
from sekkei.store.weather.weather import Weather
from sekkei.web import demo, testing
from sekkei.web.middleware import Gate
from sekkei.worlds.seam import Seam
from tests.shared import shared

WRITING = "SEKKEI_WRITE_CALLS"
DESIGNS = ("chiipochi", "eventbot", "lessons", "q", "tasks", "sekkei.runtime", "sekkei.web.identity")
ENVS = ("dev", "test", "prod")
ROOT = str(Path(__file__).parents[1])
"""Of this checkout; what a folder above it is called says nothing."""
CODE = ("/sekkei/", "/systems/", "/fakes/", "/migrations/", "/tests/")
OURS = ("/systems/sekkei_systems/", "/fakes/sekkei_fakes/", "/sekkei/runtime/", "/sekkei/web/")
NOT_THE_SYSTEM = (
    *("/tests/", "/console/", "/demo", "/testing", "/world", "/migration", "_migration/", "/sekkei/worlds/"),
    "/advice/",  # measuring reads what is there before and after a write
)

SEAMS = ("/sekkei/runtime/sealing.py", "/sekkei/runtime/watched.py")
"""What every call goes through, whoever makes it."""

PROCESS, NOBODY, SOME = "process", "nobody", "some function"
GUESSED = "?"
"""After a function's name, among what is written: a test asked, and no function was seen to."""
ENTRIES: tuple[tuple[Any, str, str], ...] = (
    (Reactions, "react", "stream"),
    (Worker, "_prepare", "work"),
    (Worker, "fire_due", "work"),
    (Worker, "work_on_jobs", "work"),
    (Jobs, "run_once", "work"),
    (Jobs, "work_on", "work"),
    (Delivery, "run_once", "work"),
    (Delivery, "dispatch", "work"),
    (Pump, "run_once", PROCESS),
    (Pump, "put_down", PROCESS),
    (Pulse, "start", PROCESS),
    (Pulse, "tell", PROCESS),
    (Pulse, "look", PROCESS),
    (LiveLog, "start", PROCESS),
    (LiveLog, "run_once", PROCESS),
    (demo, "load", NOBODY),
    (testing, "load", NOBODY),
    (Replica, "prepare", NOBODY),
    (Replica, "catch_up", NOBODY),
    (Weather, "_now", NOBODY),
)
"""Where the work of a function begins. What a process does by itself belongs to no function."""
ROOMS = (
    (re.compile(r"/sekkei_systems/\w+/reactions\b"), "stream"),
    (re.compile(r"/sekkei_systems/\w+/jobs\b|/sekkei/runtime/(upkeep|delivery|jobs|sweeping|worker)\.py"), "work"),
    (re.compile(r"/sekkei_systems/\w+/command\.py"), "process"),
)
"""Whose work a file does when a test calls it by itself."""
Resource = tuple[str, str]
"""A file of calls, and the name of a table or index in it."""
Note = tuple[str, str, str, str]
"""File, function, table or index, action."""

_seen: set[Note] = set()
_function: ContextVar[str] = ContextVar("function", default="")
_others: ContextVar[tuple[str, ...]] = ContextVar("others", default=())


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
def allowed() -> frozenset[Note]:
    if os.environ.get(WRITING):
        return frozenset()
    files = {file for kept in tables().values() for file, _ in kept}
    return frozenset(
        (file, function, resource, action)
        for file in files
        for function, noted in (calls.load(Path(file)) or {}).items()
        for resource, actions in noted.items()
        for action in actions
    )


@cache
def _within(filename: str) -> str:
    """The place in this checkout of code that may have asked; empty for other code and what only passes calls on."""
    place = filename.removeprefix(ROOT)
    return place if place.startswith(CODE) and place not in SEAMS else ""


def _files(frame: FrameType | None) -> Iterator[str]:
    """Of the callers, from the nearest on."""
    while frame is not None:
        within = _within(frame.f_code.co_filename)
        frame = frame.f_back
        if within:
            yield within


def _asking(files: list[str]) -> str:
    """The function that asks, NOBODY for a test and its like: the nearest caller of either decides."""
    function = _function.get()
    for within in files:
        if any(each in within for each in NOT_THE_SYSTEM):
            return NOBODY
        if within.startswith(OURS):
            return function or _room(files)
    return function or NOBODY  # a task of its own has no callers; it knows for whom it works


def _room(files: list[str]) -> str:
    if any("/demo" in within for within in files):
        return NOBODY
    return next((name for within in files for form, name in ROOMS if form.search(within)), "http")


def _of_any(notes: frozenset[Note]) -> Iterator[Note]:
    for file, _, resource, action in notes:
        for function in calls.FUNCTIONS:
            yield file, function, resource, action


def _unknown(operation: str, request: Any, known: frozenset[Note]) -> Iterator[str]:
    function, others = _function.get(), _others.get()
    if function == NOBODY:
        return
    for table, index, action in calls.asked(operation, request):
        for file, name in tables().get(table, ()):
            resource = name if index is None else f"{name}/index/{index}"
            if function and all(_is_noted((file, each, resource, action), known) for each in (function, *others)):
                continue
            asking = _asking(list(_files(sys._getframe(2))))
            if asking == NOBODY:
                continue
            askers = {*others, function} - {""} or {_guess(asking, action)}
            for note in sorted((file, each, resource, action) for each in askers):
                if _is_noted(note, known):
                    continue
                _seen.add(note)
                where = f"{Path(file).name} of {Path(file).parent}"
                yield f"{action} on {resource} by {note[1]}: not in {where}; run `make renew WHAT=calls`"


def _guess(asking: str, action: str) -> str:
    """Whose call it is that a test made by itself; a page's where the file works for nobody, and written as a guess."""
    name = SOME if action == "Scan" else asking
    return name + GUESSED if os.environ.get(WRITING) and name in (SOME, "http") else name


def _is_noted(note: Note, known: frozenset[Note]) -> bool:
    if note in _seen or note in known:
        return True
    file, function, resource, action = note
    return function == SOME and any((file, each, resource, action) in known for each in calls.FUNCTIONS)


@contextmanager
def listening(*, strict: bool = True) -> Iterator[list[str]]:
    """A sentence for each call of a system that is not noted, while the block lasts; or not noted for any function."""
    refused: list[str] = []
    known = allowed() if strict else frozenset(_of_any(allowed()))

    def heard(plain: Any) -> Any:
        def call(self: Any, operation: str, request: Any, *rest: Any) -> Any:
            try:
                refused.extend(_unknown(operation, request, known))
            except (KeyError, TypeError, AttributeError):
                pass  # a request that the engine will refuse
            return plain(self, operation, request, *rest)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for store in (Engine, Seam):  # in a world the engine is asked by the world, for whoever asked that
            patch.setattr(store, "call", heard(store.call))
        for owner, name, function in ENTRIES:
            patch.setattr(owner, name, _as(function, getattr(owner, name)))
        for owner, name, functions in shared():
            patch.setattr(owner, name, _for_all(functions, getattr(owner, name)))
        patch.setattr(Gate, "__call__", _as_page(Gate.__call__))
        yield refused


def _as(function: str, entry: Any) -> Any:
    """The same entry, which says whose work begins, unless it is a part of another function's."""

    @wraps(entry)
    async def entered(*arguments: Any, **named: Any) -> Any:
        outer = _function.get()
        with working(function if function == NOBODY or outer in ("", PROCESS) else outer):
            return await entry(*arguments, **named)

    return entered


def _for_all(functions: tuple[str, ...], entry: Any) -> Any:
    """The same entry, for whoever of these calls it."""

    @wraps(entry)
    async def entered(*arguments: Any, **named: Any) -> Any:
        before = _others.set(functions)
        try:
            return await entry(*arguments, **named)
        finally:
            _others.reset(before)

    return entered


def _as_page(entry: Any) -> Any:
    """Every request is the page's function's, whoever sends it; but the console is for operators with more rights."""

    @wraps(entry)
    async def entered(gate: Gate, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return await entry(gate, scope, receive, send)
        with working(NOBODY if scope["path"].startswith("/console") else "http"):
            return await entry(gate, scope, receive, send)

    return entered


@contextmanager
def working(function: str) -> Iterator[None]:
    """Whatever is asked in the block is asked by this function."""
    before = _function.set(function)
    try:
        yield
    finally:
        _function.reset(before)


@pytest.fixture(autouse=True)
def asks_only_what_is_noted(request: pytest.FixtureRequest) -> Iterator[None]:
    """Function by function; where a browser decides what happens when, whichever function."""
    with listening(strict="browser" not in request.fixturenames) as refused:
        yield
    if os.environ.get(WRITING):
        _write()
    else:
        assert not refused, "\n".join(refused)


def _write() -> None:
    """Into a file of this process; `python -m tests.calls` puts them together."""
    folder = Path(os.environ[WRITING])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{os.getpid()}.json").write_text(json.dumps(sorted(_seen)), "utf-8")


Noted = dict[str, dict[str, list[str]]]
"""By function: actions by table or index."""


def _gathered(folder: Path, *, guessed: bool = True) -> dict[Path, Noted]:
    """All that was seen, by the file in which it belongs; or only what functions were seen to ask."""
    parts = [json.loads(part.read_text("utf-8")) for part in folder.glob("*.json")]
    kept = [each for part in parts for each in part if guessed or not each[1].endswith(GUESSED)]
    seen = {(file, function.removesuffix(GUESSED), resource, action) for file, function, resource, action in kept}
    found: dict[Path, Noted] = {}
    for file in sorted({file for kept in tables().values() for file, _ in kept}):
        noted = found.setdefault(Path(file), {})
        for _, function, resource, action in sorted(note for note in seen if note[0] == file and note[1] != SOME):
            noted.setdefault(function, {}).setdefault(resource, []).append(action)
    return found


def gather(folder: Path) -> None:
    """Into the files beside the designs; what was written there before goes when nobody asked it."""
    for file, found in _gathered(folder).items():
        file.write_text(lines_of(found) + "\n", "utf-8")
        said = (f"{function} {sum(map(len, noted.values()))}" for function, noted in found.items())
        print(f"{file}: actions of {', '.join(said)}")


def unasked(folder: Path) -> list[str]:
    """Permissions that are written down although no function asked for them."""
    tried = _gathered(folder)

    def who(*note: Any) -> str:
        file, function, resource, action = note
        return "only a test" if action in tried[file].get(function, {}).get(resource, []) else "nobody"

    return [
        f"{file}: {function} may {action} on {resource}, but {who(file, function, resource, action)} asked for it"
        for file, found in _gathered(folder, guessed=False).items()
        for function, noted in (calls.load(file) or {}).items()
        for resource, actions in noted.items()
        for action in actions
        if action not in found.get(function, {}).get(resource, [])
    ]


if __name__ == "__main__":
    if sys.argv[2:] == ["--check"]:
        told = unasked(Path(sys.argv[1]))
        sys.exit("\n".join(told) or None)
    gather(Path(sys.argv[1]))
