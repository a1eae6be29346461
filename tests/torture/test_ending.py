"""SIGTERM ends every kind of process within five seconds, whatever hangs. Measured, so not in the quick suite."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.process import running
from tests.commands.test_ending import STORE_SECRETS, ask_for_a_code, silent_server
from tests.commands.test_engine import running as running_engine

pytestmark = pytest.mark.torture
SECONDS_MAX = 5.0


def seconds(end: Callable[[], Any]) -> float:
    started = time.monotonic()
    end()
    return time.monotonic() - started


@pytest.mark.parametrize("what", [signal.SIGSTOP, signal.SIGKILL])
def test_with_a_store_that_hangs_or_is_gone(what: signal.Signals) -> None:
    with running_engine("--memory") as engine:
        served = running("up", "--no-demo", SEKKEI_STORE=engine.url, SEKKEI_SECRET="x" * 16, **STORE_SECRETS)
        with served as system:
            os.kill(engine.process.pid, what)
            took = seconds(system.end)
        os.kill(engine.process.pid, signal.SIGCONT)
    assert took < SECONDS_MAX


def test_with_a_mail_server_that_hangs(tmp_path: Path) -> None:
    with silent_server() as (port, come):
        mail = {"SEKKEI_SMTP_URL": f"smtp://127.0.0.1:{port}", "SEKKEI_MAIL_FROM": "sekkei@example.com"}
        with running("serve", "tasks", "--data", str(tmp_path), **mail) as system:
            ask_for_a_code(system.url)
            assert come.wait(60)
            assert seconds(system.end) < SECONDS_MAX
