"""Made `store_0_1_0.db.xz`: a store as version 0.1.0 wrote it, with the sample data of all five systems.

It runs with the code of that version (commit c52cc15) and not with today's:

    git worktree add ../sekkei-0.1.0 c52cc15 && cd ../sekkei-0.1.0 && make setup
    .venv/bin/python ../sekkei/tests/kept/make_0_1_0.py ../sekkei/tests/kept/store_0_1_0.db.xz
"""

# mypy: ignore-errors
# ruff: noqa: I001 (one of these modules is no longer there, so its place among them is unknown)

from __future__ import annotations

import asyncio
import lzma
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from sekkei.clock import ManualClock
from sekkei.runtime.discovery import load_all
from sekkei.runtime.settings import Secrets, Settings
from sekkei.store import Embedded
from sekkei.web.demo import load
from sekkei.web.shell import application

WRITTEN = datetime(2026, 11, 15, 3, 0, tzinfo=UTC)


async def write(path: Path) -> None:
    clock = ManualClock(WRITTEN.timestamp())
    store = Embedded(path, clock=clock)
    settings = Settings(data=path.parent, secrets=Secrets(b"kept for tests, and nothing else"), demo=True)
    systems, missing = load_all()
    assert not missing, missing
    app = application(systems, store, settings, clock, loopback=True)
    await app.state.shell.prepare()
    await load(app.state.shell)
    await app.state.shell.house.worker.run_until_idle()
    await store.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sekkei.db"
        asyncio.run(write(path))
        Path(sys.argv[1]).write_bytes(lzma.compress(path.read_bytes(), preset=9))


if __name__ == "__main__":
    main()
