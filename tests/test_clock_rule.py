"""Time and chance come from the clock that was given: ruff's rule TID251 (pyproject.toml) keeps it so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ASKS = """\
import os
import random
import time
import uuid
from datetime import date, datetime

print(time.time(), time.monotonic(), time.sleep(0))
print(datetime.now(), date.today())
print(random.random(), uuid.uuid4(), os.urandom(2))
"""


def complaints(path: str) -> int:
    arguments = ["check", "--quiet", "--select", "TID251", "--output-format", "concise", "--stdin-filename", path, "-"]
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *arguments], input=ASKS, capture_output=True, text=True, cwd=ROOT
    )
    assert not done.stderr, done.stderr
    return done.stdout.count("TID251")


@pytest.mark.parametrize(
    "path",
    [
        "sekkei/runtime/worker.py",
        "sekkei/web/identity/accounts.py",
        "sekkei/worlds/world.py",
        "systems/sekkei_systems/q/service/answers.py",
        "systems/sekkei_systems/lessons/jobs.py",
    ],
)
def test_nobody_asks_the_machine(path: str) -> None:
    assert complaints(path) == 8


def test_the_clock_does() -> None:
    assert complaints("sekkei/clock.py") == 0
