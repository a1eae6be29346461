"""`sekkei doctor`, and that what it warns of does not start."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from sekkei import cli
from sekkei.runtime import probes
from sekkei.runtime.transports import smtp
from tests.commands.test_ending import silent_server


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEKKEI_DATA", str(tmp_path))
    for name in ("STORE", "PUBLIC_URL", "SMTP_URL", "MAIL_FROM", "DISCORD_BOT_TOKEN", "ALLOW_LOCAL", "ALARM_TO"):
        monkeypatch.delenv(f"SEKKEI_{name}", raising=False)


def test_on_ones_own_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "discord   local" in said
    assert "It would start." in said


def test_half_a_bot(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SEKKEI_DISCORD_BOT_TOKEN", "t")
    assert cli.main(["doctor", "eventbot"]) == 1
    assert "discord is half set up" in capsys.readouterr().out
    assert cli.main(["serve", "eventbot", "--port", "0", "--dynamodb-port", "0"]) == 2
    assert "SEKKEI_DISCORD_APPLICATION_ID and SEKKEI_DISCORD_PUBLIC_KEY is missing" in capsys.readouterr().err


def test_open_to_others_with_nothing_set_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEKKEI_PUBLIC_URL", "https://bot.example.com")
    assert cli.main(["doctor", "chiipochi"]) == 1
    assert cli.main(["serve", "chiipochi", "--port", "0", "--dynamodb-port", "0"]) == 2
    said = capsys.readouterr().err
    assert "payments is not set up" in said
    assert "donations would take no money" in said
    monkeypatch.setenv("SEKKEI_ALLOW_LOCAL", "mail, line, payments")
    assert cli.main(["doctor", "chiipochi"]) == 0


class Answering:
    """A server outside, in a thread: answers every request with one status, or says nothing at all."""

    def __init__(self, status: int) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append((self.path, self.headers["Authorization"]))
                self.send_response(status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, format: str, *given: object) -> None: ...

        self.asked = asked = list[tuple[str, str]]()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Answering:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


DISCORD = {"APPLICATION_ID": "1", "PUBLIC_KEY": "ab" * 32, "BOT_TOKEN": "the-bot-token"}


def test_what_is_set_up_is_asked_whether_it_knows_us(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in DISCORD.items():
        monkeypatch.setenv(f"SEKKEI_DISCORD_{name}", value)
    for status, words, code in (
        (200, "set up, and it answers", 0),
        (401, "it does not know us. Renew SEKKEI_DISCORD_BOT_TOKEN", 1),
        (500, "answers 500. Try again later", 1),
    ):
        with Answering(status) as discord:
            monkeypatch.setenv("SEKKEI_DISCORD_API_URL", discord.url)
            assert cli.main(["doctor", "eventbot"]) == code
            said = capsys.readouterr().out
            assert words in said
            assert "the-bot-token" not in said
            assert discord.asked == [("/users/@me", "Bot the-bot-token")]
            assert cli.main(["doctor", "eventbot", "--offline"]) == 0
            assert len(discord.asked) == 1, "nobody was asked"
    assert cli.main(["doctor", "eventbot"]) == 1
    assert "Check that this machine may reach it" in capsys.readouterr().out, "the server is gone"


def test_line_and_stripe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    given = {
        "LINE_CHANNEL_SECRET": "s",
        "LINE_CHANNEL_TOKEN": "t1",
        "STRIPE_SECRET_KEY": "k1",
        "STRIPE_WEBHOOK_SECRET": "w",
    }
    with Answering(200) as line, Answering(403) as stripe:
        for name, value in {**given, "LINE_API_URL": line.url, "STRIPE_API_URL": stripe.url}.items():
            monkeypatch.setenv(f"SEKKEI_{name}", value)
        assert cli.main(["doctor", "chiipochi"]) == 1
    assert (line.asked, stripe.asked) == ([("/v2/bot/info", "Bearer t1")], [("/v1/account", "Bearer k1")])
    said = capsys.readouterr().out
    assert "line      set up, and it answers" in said
    assert "Renew SEKKEI_STRIPE_SECRET_KEY" in said


def test_a_provider_to_sign_in_with(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "tasks", "--offline"]) == 0
    assert "openid" not in capsys.readouterr().out, "nobody needs one"
    monkeypatch.setenv("SEKKEI_SIGN_IN_CLIENT_ID", "c")
    assert cli.main(["doctor", "tasks"]) == 1
    assert "openid is half set up" in capsys.readouterr().out
    monkeypatch.setenv("SEKKEI_SIGN_IN_CLIENT_SECRET", "s")
    with Answering(200) as other:
        monkeypatch.setenv("SEKKEI_SIGN_IN_ISSUER", other.url)
        assert cli.main(["doctor", "tasks"]) == 1
        assert "Check SEKKEI_SIGN_IN_ISSUER" in capsys.readouterr().out, "it answers, but is no provider"
        assert [path for path, _ in other.asked] == ["/.well-known/openid-configuration"]


def test_a_mail_server_that_says_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(probes, "SECONDS", 0.1)
    monkeypatch.setattr(smtp, "CHECK_SECONDS", 0.5)
    with silent_server() as (port, come):
        monkeypatch.setenv("SEKKEI_SMTP_URL", f"smtp://127.0.0.1:{port}")
        monkeypatch.setenv("SEKKEI_MAIL_FROM", "a@example.com")
        assert cli.main(["doctor", "tasks"]) == 1
        assert come.wait(60)
    assert "mail      set up, but: " in capsys.readouterr().out


def test_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "nothing"]) == 2
    assert "There is no system nothing" in capsys.readouterr().err
    assert cli.main(["serve", "tasks", "--port", "0", "--dynamodb-port", "0", "--allow-local", "fax"]) == 2
    assert "there is no such end" in capsys.readouterr().err
