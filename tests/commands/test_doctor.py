"""`sekkei doctor`, and that what it warns of does not start."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei import cli


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEKKEI_DATA", str(tmp_path))
    for name in ("STORE", "PUBLIC_URL", "SMTP_URL", "MAIL_FROM", "DISCORD_BOT_TOKEN", "ALLOW_LOCAL"):
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


def test_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "nothing"]) == 2
    assert "There is no system nothing" in capsys.readouterr().err
    assert cli.main(["serve", "tasks", "--port", "0", "--dynamodb-port", "0", "--allow-local", "fax"]) == 2
    assert "there is no such end" in capsys.readouterr().err
