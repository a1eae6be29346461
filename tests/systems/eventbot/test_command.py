"""`sekkei eventbot`."""

from __future__ import annotations

import asyncio

import pytest

from sekkei.cli import main
from tests.runtime.servers import http_server


async def test_commands_are_registered(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async with http_server((200, {}, [{"id": "1"}, {"id": "2"}])) as server:
        monkeypatch.setenv("SEKKEI_DISCORD_BOT_TOKEN", "secret")
        monkeypatch.setenv("SEKKEI_DISCORD_APPLICATION_ID", "42")
        monkeypatch.setenv("SEKKEI_DISCORD_API_URL", server.url)
        monkeypatch.setenv("SEKKEI_SECRET", "long enough to be one")
        code = await asyncio.to_thread(main, ["eventbot", "register", "--guild", "777"])
    assert code == 0
    assert server.received[0].path == "/applications/42/guilds/777/commands"
    assert [one["name_localizations"]["ja"] for one in server.received[0].json] == ["イベント", "連絡"]
    assert "2 commands" in capsys.readouterr().out


def test_registering_without_a_token_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SEKKEI_DISCORD_BOT_TOKEN", raising=False)
    monkeypatch.setenv("SEKKEI_SECRET", "long enough to be one")
    assert main(["eventbot", "register"]) == 2
    assert "SEKKEI_DISCORD_BOT_TOKEN" in capsys.readouterr().err
