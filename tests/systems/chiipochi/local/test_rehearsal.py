"""The rehearsal that docs/chiipochi.md describes: the bot against both strict counterparts, over HTTP."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from sekkei.clock import ManualClock
from sekkei.web.testing import Client, opened, test_settings
from sekkei_fakes import line_friend
from sekkei_fakes.line_friend import USER
from sekkei_fakes.served import serve
from sekkei_fakes.stripe.rehearsal import Rehearsal, settings
from sekkei_fakes.stripe.server import StripeEnd
from sekkei_systems.chiipochi.design import history_of_user
from sekkei_systems.chiipochi.system import SYSTEM

DOCUMENT = Path(__file__).parents[4] / "docs" / "chiipochi.md"


async def test_the_document_is_followed_to_the_letter(clock: ManualClock, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """What it says to type is typed, and what it says will be answered is answered."""
    script = re.search(r"## Rehearse.*?```text\n(.*?)```", DOCUMENT.read_text(), re.S)
    assert script is not None
    monkeypatch.setattr(line_friend, "LOOK_SECONDS", 0.0)
    printed: list[str] = []
    bot: list[Client] = []

    async def ask(method: str, path: str, body: bytes, headers: Mapping[str, str]) -> int:
        status = (await bot[0].request(method, path, body, headers)).status
        service = bot[0].shell.deployment.systems["chiipochi"].parts.service
        await service.inbox.finish()
        for _ in range(3):
            await bot[0].work()
        clock.advance(1)
        return status

    found = Rehearsal(clock, ask, printed.append)
    async with serve(found.line) as line, serve(StripeEnd(found.ledger)) as stripe:
        values = test_settings(demo=False, values=settings(line.url, stripe.url))
        async with opened(SYSTEM, clock=clock, settings=values) as client:
            bot.append(client)
            await found.start()
            for typed, *answers in _steps(script[1]):
                printed.clear()
                await found.take(typed)
                for answer in answers:
                    assert any(answer in one for one in printed), (typed, answer, printed)
            db = client.shell.deployment.systems["chiipochi"].context.db
            standing = [donation.standing for donation in await db.all(history_of_user(USER))]
    assert standing == ["succeeded", "refunded"]


def _steps(script: str) -> list[list[str]]:
    """A line after `>` is typed; those under it are answered."""
    steps: list[list[str]] = []
    for line in script.splitlines():
        if line.startswith("> "):
            steps.append([line[2:]])
        elif line.strip():
            steps[-1].append(line.strip())
    return steps
