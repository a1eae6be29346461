"""SIGTERM ends every kind of process in a few seconds, also while its store or a server outside does not answer.

The seconds themselves are measured in `tests/torture/test_ending.py`; here a process that waits for what never comes
would not end at all, or not say what it says.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from tests.commands.process import running
from tests.commands.test_engine import running as running_engine

CUT_OFF = "something did not end in time and is cut off"
STORE_SECRETS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_REGION": "us-east-1"}


@contextmanager
def silent_server() -> Iterator[tuple[int, Event]]:
    """Accepts connections and never says a word; its port, and an event that somebody has come."""
    come, held = Event(), []
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:

        def accept() -> None:
            try:
                while True:
                    held.append(listener.accept()[0])
                    come.set()
            except OSError:
                pass

        Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1], come
    for one in held:
        one.close()


def ask_for_a_code(url: str) -> None:
    """A mail that has to go out. The form's token is needed, as in a browser."""
    with urlopen(f"{url}/sign-in", timeout=30) as answer:
        page, cookie = answer.read().decode(), answer.headers["Set-Cookie"].partition(";")[0]
    token = page.partition('name="_csrf" value="')[2].partition('"')[0]
    body = urlencode({"_csrf": token, "email": "aoi@example.com"}).encode()
    headers = {"Cookie": cookie, "Origin": url}
    with urlopen(Request(f"{url}/sign-in/mail", body, headers), timeout=30) as answer:
        assert answer.status == 200


@pytest.mark.parametrize("what", [signal.SIGSTOP, signal.SIGKILL])
def test_while_the_store_hangs_or_is_gone(what: signal.Signals) -> None:
    with running_engine("--memory") as engine:
        served = running(
            "serve", "tasks", "--no-demo", SEKKEI_STORE=engine.url, SEKKEI_SECRET="x" * 16, **STORE_SECRETS
        )
        with served as system:
            os.kill(engine.process.pid, what)
            code, _ = system.end()
        os.kill(engine.process.pid, signal.SIGCONT)
    assert code == 0


@pytest.mark.parametrize("command", [("up", "--no-demo"), ("serve", "tasks")])
def test_while_a_call_to_the_outside_hangs(command: tuple[str, ...], tmp_path: Path) -> None:
    with silent_server() as (port, come):
        mail = {"SEKKEI_SMTP_URL": f"smtp://127.0.0.1:{port}", "SEKKEI_MAIL_FROM": "sekkei@example.com"}
        with running(*command, "--data", str(tmp_path), "--log-format", "json", **mail) as system:
            ask_for_a_code(system.url)
            assert come.wait(60), "the mail is on its way"
            code, logged = system.end()
    assert code == 0
    assert CUT_OFF in logged, "the thread that talks to the mail server is not waited for"


def test_an_engine_with_half_a_request() -> None:
    with running_engine("--memory") as engine:
        host, port = engine.url.removeprefix("http://").split(":")
        with closing(socket.create_connection((host, int(port)))) as client:
            client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
            engine.client().list_tables()
            code, logged = engine.end()
    assert code == 0
    assert logged[-1]["message"] == "stopped"
