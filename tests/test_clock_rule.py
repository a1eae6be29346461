"""Time and chance come from the clock that is passed in; this list says which file may ask the machine itself.

Worlds replay a whole system from a seed, and tests hold time still. So what runs in a system asks its `Clock`, and
waits on the event loop, whose time a world controls (`asyncio.sleep`). `secrets` is the seed's while a world runs.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BANNED = {
    "time": [
        *("time.time", "time.time_ns", "time.monotonic", "time.monotonic_ns", "time.clock_gettime"),
        *("time.clock_gettime_ns", "time.localtime", "time.gmtime", "time.ctime", "time.asctime", "time.strftime"),
        *("time.sleep", "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today"),
        "datetime.date.today",
    ],
    "measuring": [
        f"time.{name}{ending}" for name in ("perf_counter", "process_time", "thread_time") for ending in ("", "_ns")
    ],
    "dice": ["random"],
    "chance": [*(f"uuid.uuid{n}" for n in (1, 4, 6, 7, 8)), "os.urandom", "os.getrandom"],
    "secrets": ["secrets"],
    "awaited threads": ["asyncio.to_thread"],
    "threads": ["threading.Thread", "threading.Timer", "_thread", "concurrent.futures"],
    "programs": [
        *("multiprocessing", "subprocess", "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell"),
        *("os.fork", "os.forkpty", "os.popen", "os.posix_spawn", "os.system"),
    ],
}
"""What only its owners may use, by kind; a module stands for all that is in it."""

SYSTEMS = "systems/sekkei_systems"
MIGRATION = "migrations/lessons/sekkei_lessons_migration"
WORLDS = [f"tests/worlds/{name}" for name in ("chiipochi", "eventbot", "lessons", "q", "tasks")]
OWNERS = {
    "time": {
        "sekkei/clock.py",  # for everybody else
        "sekkei/commands/backup.py",
        "sekkei/commands/world.py",
        "sekkei/design/retries.py",  # of callers without an event loop
        "sekkei/engine/engine.py",
        "sekkei/engine/storage/writer.py",
        "sekkei/store/aws/credentials.py",
        f"{MIGRATION}/progress.py",
    },
    "measuring": {  # how long something took, for logs, limits and figures; nothing that is stored
        "sekkei/advice/pattern_runner.py",
        "sekkei/engine/history/jobs.py",
        "sekkei/engine/history/housekeeping.py",
        "sekkei/engine/items/page.py",
        "sekkei/engine/storage/transaction.py",
        "sekkei/engine/storage/writer.py",
        "sekkei/web/console/partiql.py",
        "sekkei/web/console/reading.py",
        "sekkei/web/console/simulations.py",
        "sekkei/web/middleware.py",
        "sekkei/wire/bodies.py",
        "sekkei/wire/backpressure.py",
        "sekkei/wire/fairness.py",
        f"{MIGRATION}/moving.py",
    },
    "dice": {  # each with a seed, or a clock's
        "sekkei/advice/heat.py",
        "sekkei/clock.py",
        "sekkei/store/weather/weather.py",
        "sekkei/wire/answers.py",
        "sekkei/worlds/chance.py",
        f"{SYSTEMS}/chiipochi/demo.py",
        "fakes/sekkei_fakes/stripe/ledger.py",
        f"{SYSTEMS}/lessons/demo/__init__.py",
        f"{MIGRATION}/sample.py",
        f"{SYSTEMS}/q/service/finding.py",
    },
    "chance": {
        "sekkei/clock.py",
        "sekkei/commands/startup.py",
        "sekkei/design/commit.py",
        "sekkei/design/database.py",
        "sekkei/engine/storage/ack_log.py",
    },
    "secrets": {  # the seed's in a world
        "sekkei/commands/look.py",
        "sekkei/commands/mcp.py",
        "sekkei/kit/signing.py",
        "fakes/sekkei_fakes/openid.py",
        "fakes/sekkei_fakes/web_push.py",
        "sekkei/runtime/live.py",
        "sekkei/runtime/sealed_texts.py",
        "sekkei/runtime/settings.py",
        "sekkei/runtime/transports/web_push.py",
        "sekkei/runtime/worker.py",
        "sekkei/web/csrf.py",
        "sekkei/web/middleware.py",
        "sekkei/web/identity/accounts.py",
        "sekkei/web/identity/address.py",
        "sekkei/web/identity/app_sessions.py",
        "sekkei/web/identity/authenticators.py",
        "sekkei/web/identity/notices.py",
        "sekkei/web/identity/openid.py",
        "sekkei/web/identity/passkeys.py",
        "sekkei/web/identity/sign_in.py",
        "sekkei/worlds/chance.py",
        f"{SYSTEMS}/chiipochi/command.py",
        f"{SYSTEMS}/eventbot/ports/discord/oauth.py",
        "fakes/sekkei_fakes/studio/demo.py",
        f"{SYSTEMS}/lessons/service/bookings.py",
        f"{SYSTEMS}/lessons/service/contacts.py",
        f"{SYSTEMS}/lessons/service/desk.py",
        f"{SYSTEMS}/lessons/service/passes.py",
        f"{SYSTEMS}/lessons/service/connections.py",
        f"{SYSTEMS}/lessons/service/waitlist.py",
        f"{MIGRATION}/ledger.py",
        f"{SYSTEMS}/tasks/service/hooks.py",
        f"{SYSTEMS}/tasks/service/invitations.py",
    },
    "awaited threads": {  # in a world done where they stand
        "sekkei/commands/counterpart.py",
        "sekkei/runtime/transports/smtp.py",
        "sekkei/store/aws/credentials.py",
        "sekkei/store/embedded.py",
        "sekkei/web/static_files.py",
        "sekkei/web/console/simulations.py",
        "sekkei/web/identity/accounts.py",
        "sekkei/web/identity/bearer.py",
        "sekkei/web/identity/exporting.py",
        "sekkei/web/identity/leaving.py",
        "fakes/sekkei_fakes/stripe/rehearsal.py",
        f"{SYSTEMS}/chiipochi/local.py",
        f"{SYSTEMS}/chiipochi/service/reports.py",
        f"{SYSTEMS}/q/rules/pictures.py",
        f"{SYSTEMS}/tasks/pages/files.py",
    },
    "threads": {
        "sekkei/design/sync_driver.py",
        "sekkei/ending.py",
        "sekkei/engine/engine.py",
        "sekkei/engine/storage/writer.py",
        "sekkei/runtime/transports/smtp.py",  # smtplib blocks; in a world nothing is sent by it
    },
    "programs": {
        "sekkei/commands/mcp.py",
        "sekkei/design/sync_codegen.py",  # while Sekkei is made
        "sekkei/publish/aws/package.py",
        "sekkei/store/aws/credentials.py",
    },
}


def asked_for(folder: Path, *paths: str) -> dict[str, set[str]]:
    """Return by kind the files that use what is banned, whatever their comments excuse."""
    kinds = {name: kind for kind, names in BANNED.items() for name in names}
    rules = folder / "ruff.toml"
    lines = [f'"{name}".msg = "banned"' for name in kinds]
    rules.write_text("\n".join(['lint.select = ["TID251"]', "[lint.flake8-tidy-imports.banned-api]", *lines]))
    arguments = ["check", "--config", str(rules), "--no-cache", "--ignore-noqa", "--output-format", "json"]
    done = subprocess.run([sys.executable, "-m", "ruff", *arguments, *paths], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, set[str]] = defaultdict(set)
    for each in json.loads(done.stdout):
        (name,) = re.findall(r"^`(.+)` is banned", each["message"])
        found[kinds[name]].add(Path(each["filename"]).resolve().as_posix())
    return found


def test_time_chance_and_threads_are_asked_for_by_their_owners(tmp_path: Path) -> None:
    found = asked_for(tmp_path, "sekkei", SYSTEMS, "fakes", "migrations", "examples", *WORLDS)
    asked = {kind: {Path(path).relative_to(ROOT.resolve()).as_posix() for path in found[kind]} for kind in BANNED}
    strangers = {kind: sorted(asked[kind] - owners) for kind, owners in OWNERS.items() if asked[kind] - owners}
    assert strangers == {}, "ask the Clock that was given, or name the file among the owners, and say why"
    all_asking = set().union(*asked.values())
    assert [path for path in sorted(set().union(*OWNERS.values())) if path not in all_asking] == [], "own nothing now"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("import time; time.clock_gettime(time.CLOCK_MONOTONIC)", "time"),
        ("from time import localtime", "time"),
        ("import time as t; t.gmtime()", "time"),
        ("import time; time.strftime('%Y')", "time"),
        ("from datetime import datetime; datetime.now()", "time"),
        ("import time; time.perf_counter()", "measuring"),
        ("from time import process_time_ns", "measuring"),
        ("import random; random.gauss(0, 1)", "dice"),
        ("from random import Random", "dice"),
        ("from random import SystemRandom as Dice", "dice"),
        ("import os; os.getrandom(8)", "chance"),
        ("from uuid import uuid1", "chance"),
        ("from secrets import choice", "secrets"),
        ("def later():\n    import secrets", "secrets"),
        ("import asyncio; asyncio.to_thread(print)", "awaited threads"),
        ("from threading import Thread", "threads"),
        ("from concurrent.futures import ThreadPoolExecutor", "threads"),
        ("import concurrent.futures as futures", "threads"),
        ("import _thread", "threads"),
        ("import multiprocessing.pool", "programs"),
        ("from multiprocessing import Pool", "programs"),
        ("import subprocess", "programs"),
        ("import os; os.system('true')", "programs"),
        ("import asyncio; asyncio.create_subprocess_exec('true')", "programs"),
    ],
)
def test_whoever_asks_is_found(line: str, kind: str, tmp_path: Path) -> None:
    file = tmp_path / "asks.py"
    file.write_text(f"{line}  # noqa: TID251\n")
    assert dict(asked_for(tmp_path, str(file))) == {kind: {file.resolve().as_posix()}}
