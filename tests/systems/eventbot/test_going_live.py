"""docs/eventbot.md followed to the letter: a bot and a Discord, each in its own process, with documented settings."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import orjson
import pytest

from sekkei_systems.eventbot.local.world import GUILD_ID, PEOPLE, RECRUIT
from tests.commands.process import COMMAND, environment, running

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


def test_from_nothing_to_a_bot_that_people_use(tmp_path: Path) -> None:
    with discord(tmp_path / "discord") as other:
        assert set(other.settings) <= set(re.findall(r"SEKKEI_\w+", GUIDE.read_text("utf-8"))), (
            "settings in no document"
        )
        ours = {**other.settings, "SEKKEI_SECRET": "a secret of this side", "SEKKEI_DATA": str(tmp_path / "bot")}
        with running("serve", "eventbot", "--no-demo", **ours) as bot:
            assert other.post("/interactions", {"url": f"{bot.url}/eventbot/interactions"})["ok"]
            registering = [*COMMAND, "eventbot", "register", "--guild", GUILD_ID]
            done = subprocess.run(registering, env=environment(**ours), capture_output=True, text=True, timeout=60)
            assert "2 commands are registered" in done.stdout, done.stderr
            opened = other.act(AOI, kind="command", words="event create")
            values = {"title": "はじめての会", "start": "明日 21時"}
            made = other.act(AOI, kind="submit", custom_id=opened["modal"]["custom_id"], values=values)
            assert made["ok"], made
            [posted] = [one for one in other.messages(AOI) if one["body"].get("embeds")]
            join = posted["body"]["components"][0]["components"][0]["custom_id"]
            assert other.act(REN, kind="press", message=posted["id"], custom_id=join)["ok"]
            [seen] = [one for one in other.messages(REN) if one["body"].get("embeds")]
            assert REN in str(seen["body"])
            with pytest.raises(HTTPError, match="404"):
                bot.page("/eventbot/simulator")
            assert "/eventbot/simulator" not in bot.page("/"), "the home page leads nowhere"
            assert bot.end()[0] == 0


def test_half_set_up_does_not_start(tmp_path: Path) -> None:
    ours = {"SEKKEI_DISCORD_PUBLIC_KEY": "0" * 64, "SEKKEI_DATA": str(tmp_path)}
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
