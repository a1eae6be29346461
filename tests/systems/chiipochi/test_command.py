"""`sekkei chiipochi`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sekkei.cli import main
from sekkei.clock import ManualClock
from sekkei_fakes.line import LineCounterpart
from sekkei_fakes.served import serve
from sekkei_fakes.stripe.rehearsal import settings as rehearsal_settings
from sekkei_systems.chiipochi.ports.rich_menu import (
    picture,
    rich_menu,
)
from tests.runtime.servers import CannedHttp, http_server

OLD = {"richMenuId": "richmenu-old", "name": "chiipochi ja"}


THEIRS = {"richMenuId": "richmenu-theirs", "name": "somebody else's"}


DONE: tuple[int, dict[str, str], Any] = (200, {}, {})


async def _run(line: CannedHttp, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    return await _run_with(
        {"line_channel_token": "token", "line_api_url": line.url, "line_data_url": line.url}, monkeypatch, *words
    )


async def _run_with(settings: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    for name, value in settings.items():
        monkeypatch.setenv(f"SEKKEI_{name.upper()}", value)
    return await asyncio.to_thread(main, ["chiipochi", *words])


def _called(line: CannedHttp) -> list[str]:
    return [f"{request.method} {request.path}" for request in line.received]


async def test_a_new_menu_is_shown_before_our_older_ones_go(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = [(200, {}, {"richmenus": [OLD, THEIRS]}), DONE, (200, {}, {"richMenuId": "richmenu-new"}), DONE]
    async with http_server(*answers) as line:
        assert await _run(line, monkeypatch, "richmenu") == 0
    assert _called(line) == [
        "GET /v2/bot/richmenu/list",
        "POST /v2/bot/richmenu/validate",
        "POST /v2/bot/richmenu",
        "POST /v2/bot/richmenu/richmenu-new/content",
        "POST /v2/bot/user/all/richmenu/richmenu-new",
        "DELETE /v2/bot/richmenu/richmenu-old",
    ]
    assert all(request.headers["authorization"] == "Bearer token" for request in line.received)
    assert line.received[2].json == rich_menu("ja")
    upload = line.received[3]
    assert (upload.headers["content-type"], upload.body) == ("image/png", picture("ja"))
    assert "richmenu-new" in capsys.readouterr().out


async def test_the_strict_line_takes_our_menus(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = LineCounterpart(ManualClock())
    theirs = line.menus.create({**rich_menu("ja"), "name": "theirs"})["richMenuId"]
    async with serve(line) as end:
        for language in ("ja", "en"):
            words = ("richmenu", "--language", language)
            assert await _run_with(rehearsal_settings(end.url, ""), monkeypatch, *words) == 0
        assert await _run_with(rehearsal_settings(end.url, ""), monkeypatch, "messages") == 0
    ours = str(line.menus.default)
    assert list(line.menus.menus) == [theirs, ours], "the older one of ours is gone"
    assert line.menus.menus[ours].content == rich_menu("en")
    assert line.menus.menus[ours].picture == picture("en")
    assert "LINE takes everything" in capsys.readouterr().out


async def test_the_webhook_is_told_to_line_and_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = LineCounterpart(ManualClock())
    async with serve(line) as end, http_server(DONE, (401, {}, {}), DONE) as bot:
        settings = rehearsal_settings(end.url, "")
        assert await _run_with(settings, monkeypatch, "webhook") == 1
        assert "--set" in capsys.readouterr().out
        address = f"{bot.url}/chiipochi/webhook"
        assert await _run_with(settings, monkeypatch, "webhook", "--set", address) == 0
        assert f"{address}: in use\n200 OK: 200" in capsys.readouterr().out
        assert await _run_with(settings, monkeypatch, "webhook") == 1
        assert "401 ERROR_STATUS_CODE: 401" in capsys.readouterr().out
        line.endpoint.active = False
        assert await _run_with(settings, monkeypatch, "webhook") == 1
        assert "switched off" in capsys.readouterr().out
        assert await _run_with(settings, monkeypatch, "webhook", "--set", "http://example.com/") == 2
        assert "Invalid webhook endpoint URL" in capsys.readouterr().err


async def test_the_address_that_was_just_set_is_the_one_that_is_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """LINE still calls the one of before for a minute."""
    async with serve(LineCounterpart(ManualClock())) as end, http_server((500, {}, {}), DONE) as bot:
        settings = rehearsal_settings(end.url, "")
        assert await _run_with(settings, monkeypatch, "webhook", "--set", f"{bot.url}/old") == 1
        assert await _run_with(settings, monkeypatch, "webhook", "--set", f"{bot.url}/new") == 0
    assert [one.path for one in bot.received] == ["/old", "/new"]


async def test_a_dry_run_changes_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async with http_server((200, {}, {"richmenus": [OLD, THEIRS]})) as line:
        assert await _run(line, monkeypatch, "richmenu", "--dry-run", "--language", "en") == 0
    assert _called(line) == ["GET /v2/bot/richmenu/list"]
    told = capsys.readouterr().out
    assert "chiipochi en" in told
    assert "richmenu-old" in told
    assert "richmenu-theirs" not in told


async def test_a_picture_that_is_refused_leaves_no_menu_behind(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = (413, {}, {"message": "too large"})
    answers = [(200, {}, {"richmenus": [OLD]}), DONE, (200, {}, {"richMenuId": "richmenu-new"}), refused, DONE]
    async with http_server(*answers) as line:
        assert await _run(line, monkeypatch, "richmenu") == 2
    assert _called(line)[-1] == "DELETE /v2/bot/richmenu/richmenu-new"
    assert "too large" in capsys.readouterr().err


async def test_line_checks_everything_that_the_bot_can_say(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with http_server((400, {}, {"message": "no"}), DONE) as line:
        assert await _run(line, monkeypatch, "messages") == 1
    assert set(_called(line)) == {"POST /v2/bot/message/validate/push"}
    assert len(line.received) > 150
    assert "would refuse 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("what", "answers", "code", "words"),
    [
        ("quota", [(200, {}, {"type": "none"}), (200, {}, {"totalUsage": 7})], 0, "7 pushes of any number"),
    ],
)
async def test_the_channel_is_asked(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    what: str,
    answers: list[Any],
    code: int,
    words: str,
) -> None:
    async with http_server(*answers) as line:
        assert await _run(line, monkeypatch, what) == code
    assert words in capsys.readouterr().out


def test_without_a_channel_nothing_can_be_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.delenv("SEKKEI_LINE_CHANNEL_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(["chiipochi", "richmenu", "--dry-run"]) == 2
    assert "SEKKEI_LINE_CHANNEL_TOKEN" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_picture_to_look_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "menu.png"
    assert main(["chiipochi", "picture", str(file)]) == 0
    assert file.read_bytes() == picture("ja")
    assert main(["chiipochi", "picture", str(tmp_path / "no" / "folder.png")]) == 2
    assert main(["chiipochi", "labels", "--font", str(tmp_path / "no.ttf")]) == 2
