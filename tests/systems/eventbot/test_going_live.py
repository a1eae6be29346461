"""docs/eventbot.md followed to the letter: a bot and a Discord, each in its own process, with documented settings."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, HTTPErrorProcessor, Request, build_opener, urlopen

import orjson
import pytest

from sekkei_systems.eventbot.demo.guild import PEOPLE, RECRUIT
from tests.commands.process import COMMAND, Running, environment, running

AOI, REN, *_ = PEOPLE
GUIDE = Path(__file__).parents[3] / "docs" / "eventbot.md"


class Discord:
    """The printed settings, and its people."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        printed = ""
        for line in process.stdout:
            printed += line
            if line.startswith("Stop it with"):
                break
        self.settings = dict(re.findall(r"export (SEKKEI_DISCORD_\w+)=(\S+)", printed))
        self.url = self.settings["SEKKEI_DISCORD_API_URL"].removesuffix("/api/v10")

    def post(self, path: str, content: dict[str, Any]) -> dict[str, Any]:
        request = Request(self.url + path, orjson.dumps(content), {"content-type": "application/json"})
        with urlopen(request, timeout=30) as answer:
            found: dict[str, Any] = orjson.loads(answer.read())
        return found

    def act(self, person: str, **what: Any) -> dict[str, Any]:
        return self.post("/act", {"person": person, "channel": RECRUIT, **what})

    def messages(self, person: str) -> list[dict[str, Any]]:
        with urlopen(f"{self.url}/state?channel={RECRUIT}&person={person}", timeout=30) as answer:
            found: list[dict[str, Any]] = orjson.loads(answer.read())["messages"]
        return found


@contextmanager
def discord(data: Path) -> Iterator[Discord]:
    process = subprocess.Popen(
        [*COMMAND, "eventbot", "discord", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(SEKKEI_DATA=str(data), SEKKEI_SECRET="a secret of the other side"),
    )
    try:
        yield Discord(process)
    finally:
        process.kill()
        process.communicate()


def steps() -> list[str]:
    """The commands of the guide, as it prints them."""
    found = re.search(r"## Rehearse going live.*?```\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return [line.partition("  #")[0].strip() for line in found[1].splitlines()]


CURL = re.compile(r"curl (?:-d '(?P<body>[^']*)' )?'?http://127\.0\.0\.1:8900(?P<path>[^' ]*)'?$")


def curl(line: str, other: Discord, bot: Running) -> Any:
    """A line of the guide, at the ports of this test."""
    found = CURL.match(line)
    assert found is not None, line
    if found["body"] is None:
        with urlopen(other.url + found["path"], timeout=30) as answer:
            return orjson.loads(answer.read())
    return other.post(found["path"], orjson.loads(found["body"].replace("http://127.0.0.1:8000", bot.url)))


def test_the_guide_to_the_letter(tmp_path: Path) -> None:
    """Every command of it, in its order; only the ports are others, and the settings those that are printed."""
    discord_line, *exports, serve_line = steps()[:4]
    register_line = next(line for line in steps() if line.startswith("sekkei eventbot register"))
    assert discord_line == "sekkei eventbot discord --port 8900"
    assert serve_line == "sekkei serve eventbot --no-demo"
    with discord(tmp_path / "discord") as other:
        named = set(re.findall(r"SEKKEI_\w+", " ".join(exports)))
        assert set(other.settings) == named, "what is printed is what is to be exported"
        ours = {**other.settings, "SEKKEI_SECRET": "a secret of this side", "SEKKEI_DATA": str(tmp_path / "bot")}
        with running(*serve_line.split()[1:], **ours) as bot:
            for line in steps()[4:]:
                if line == register_line:
                    command = [*COMMAND, *line.split()[1:]]
                    done = subprocess.run(command, env=environment(**ours), capture_output=True, text=True, timeout=60)
                    assert "2 commands are registered" in done.stdout, done.stderr
                    continue
                answer = curl(line, other, bot)
                assert answer.get("ok", True), (line, answer)
            assert "はじめての会" in str(answer["messages"]), "the last command shows the post"
            for wrong in ({"kind": "dance"}, {"kind": "say", "words": "x" * 100_000}):
                with pytest.raises(HTTPError, match="400"):
                    other.act(REN, **wrong)
            with pytest.raises(HTTPError, match="400"):
                other.act("1", kind="say")
            joined = _join(other)
            assert REN in str(joined["body"])
            assert "はじめての会" in _signed_in(other, bot)
            with pytest.raises(HTTPError, match="404"):
                bot.page("/eventbot/simulator")
            assert "/eventbot/simulator" not in bot.page("/"), "the home page leads nowhere"
            assert bot.end()[0] == 0


def _join(other: Discord) -> dict[str, Any]:
    [posted] = [one for one in other.messages(AOI) if one["body"].get("embeds")]
    join = posted["body"]["components"][0]["components"][0]["custom_id"]
    assert other.act(REN, kind="press", message=posted["id"], custom_id=join)["ok"]
    [seen] = [one for one in other.messages(REN) if one["body"].get("embeds")]
    return seen


def _signed_in(other: Discord, bot: Running) -> str:
    """The organisers' page, as somebody sees it who signs in with Discord."""
    browser = build_opener(HTTPCookieProcessor(), _Stay())
    asked = browser.open(f"{bot.url}/eventbot/discord/sign-in", timeout=30).headers["location"]
    assert asked.startswith(f"{other.url}/oauth2/authorize?")
    back = browser.open(f"{asked}&person={AOI}", timeout=30).headers["location"]
    assert back.startswith(f"{bot.url}/eventbot/discord/callback?")
    guild = browser.open(back, timeout=30).headers["location"]
    with browser.open(bot.url + guild, timeout=30) as page:
        return str(page.read().decode())


class _Stay(HTTPErrorProcessor):
    """Follows no redirect by itself."""

    def http_response(self, request: Request, response: Any) -> Any:
        return response


@pytest.mark.parametrize("only", ["SEKKEI_DISCORD_PUBLIC_KEY", "SEKKEI_DISCORD_CLIENT_SECRET"])
def test_half_set_up_does_not_start(tmp_path: Path, only: str) -> None:
    ours = {only: "0" * 64, "SEKKEI_DATA": str(tmp_path)}
    done = subprocess.run(
        [*COMMAND, "serve", "eventbot", "--port", "0"],
        env=environment(**ours),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2, done.stderr
    assert "SEKKEI_DISCORD_BOT_TOKEN" in done.stderr
    assert "Traceback" not in done.stderr
