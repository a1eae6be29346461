"""`sekkei counterpart`."""

from __future__ import annotations

import asyncio
import smtplib
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sekkei import cli
from sekkei.clock import ManualClock
from sekkei.commands import counterpart
from sekkei.commands.counterpart import GROUP
from sekkei.runtime.http import Http
from sekkei_fakes import line_friend
from sekkei_fakes.offers import Offer, smtp
from tests.runtime.servers import http_server

ROOT = Path(__file__).parents[2]

SECRETS = {
    "expo": ("expo_token",),
    "line": ("line_channel_token", "line_channel_secret", "line_data_url"),
    "stripe": ("stripe_secret_key", "stripe_webhook_secret"),
}
"""Without which a system would be half set up."""


def offers() -> dict[str, Any]:
    """Those that the package of fakes names."""
    project = tomllib.loads((ROOT / "fakes" / "pyproject.toml").read_text("utf-8"))["project"]
    found: dict[str, Any] = {}
    for name, value in project["entry-points"][GROUP].items():
        module, _, attribute = value.partition(":")
        found[name] = getattr(import_module(module), attribute)
    return found


def test_these_can_be_served() -> None:
    assert set(offers()) == {"expo", "line", "smtp", "stripe", "discord", "studio"}


@pytest.mark.parametrize(
    ("name", "path", "status"),
    [
        ("line", "/v2/bot/info", 401),
        ("stripe", "/v1/checkout/sessions/cs_1", 401),
        ("discord", "/api/v10/users/@me", 401),
        ("expo", "/--/api/v2/push/send", 404),
        ("studio", "/nothing/there", 404),
    ],
)
async def test_it_answers_as_the_service_would(name: str, path: str, status: int) -> None:
    offer: Offer = offers()[name](ManualClock())
    http = Http()
    async with offer.opened(0) as url:
        answer = await http.request("GET", url + path)
        assert any(url in value for value in offer.settings(url).values())
    http.close()
    assert answer.status == status, answer.body


async def test_a_mail_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    offer = smtp(ManualClock())

    def send(url: str) -> None:
        with smtplib.SMTP("127.0.0.1", int(url.rpartition(":")[2]), timeout=30) as connection:
            head = "From: a@example.com\r\nDate: Thu, 1 Jan 2026 00:00:00 +0000\r\nSubject: hello\r\n"
            connection.sendmail("a@example.com", ["b@example.com"], head + "\r\nsome words\r\n")

    async with offer.opened(0) as url:
        await asyncio.to_thread(send, url)
    said = capsys.readouterr().out
    assert "to b@example.com: hello" in said
    assert "some words" in said


def test_it_says_how_to_use_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async def interrupted(self: asyncio.Event) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(asyncio.Event, "wait", interrupted)
    assert cli.main(["counterpart", "smtp"]) == 0
    said = capsys.readouterr().out
    assert "export SEKKEI_SMTP_URL=smtp://127.0.0.1:" in said


async def test_what_is_typed_is_told_to_a_system(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """LINE and Stripe, each by itself: a friend's words and a payer's deeds arrive, signed with what is printed."""
    monkeypatch.setattr(line_friend, "LOOKS", 0)
    async with http_server() as bot:
        for name, typed in (("line", "ピーナッツ"), ("stripe", "/pay"), ("line", "/down"), ("line", "/nothing")):
            lines = iter(["\n", f"{typed}\n", ""])
            monkeypatch.setattr("sys.stdin.readline", lambda lines=lines: next(lines))
            offer: Offer = offers()[name](ManualClock())
            counterpart._set_webhook(offer, name, f"{bot.url}/{name}")
            await counterpart._typed(offer)
            assert offer.faults.down is (typed == "/down")
            assert all(offer.settings("http://x")[secret] for secret in SECRETS[name])
    told = [(one.path, event["type"]) for one in bot.received for event in one.json["events"]]
    assert told == [("/line", "follow"), ("/line", "message"), ("/line", "follow"), ("/line", "follow")]
    assert "! there is no checkout yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fax"], "There are:"),
        (["smtp", "--port", "70000"], "--port"),
        (["smtp", "--port", "-1"], "--port"),
        (["smtp", "--webhook", "http://127.0.0.1:1/"], "sends no events"),
        (["line", "--webhook", "nonsense"], "--webhook"),
        (["stripe", "--webhook", "https://example.com/"], "of this machine"),
    ],
)
def test_mistakes(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["counterpart", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_the_examples_name_what_is_there() -> None:
    for name in offers():
        assert name in counterpart.EXAMPLES
