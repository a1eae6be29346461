"""Mails of a world are judged as mail servers judge them."""

from __future__ import annotations

from email.message import EmailMessage
from typing import Any

import pytest

from sekkei.runtime.design import Message
from sekkei.runtime.transports.mail import as_email
from sekkei.worlds import CALM, Script, World, run
from tests.worlds.bank import Bank, script


def writing(to: str, **body: Any) -> Script:
    """Somebody is written to."""
    found = script(Bank)

    @found.lives
    async def the_bank_writes(world: World) -> None:
        shell = world.processes[0].app.state.shell
        await shell.outbox.put("mail", to, {"subject": "件名", "text": "本文", **body}, id="letter")

    return found


def broken(story: Script) -> str:
    return run(story, 1, faults=CALM).broken


def test_a_mail_that_a_server_takes_arrives() -> None:
    story = writing("あおい <aoi@example.com>", html="<p>本文</p>" * 1_000)
    arrived: list[str] = []

    @story.finally_
    def it_arrived(world: World) -> None:
        arrived.extend(one.to for one in world.outside["mail"].received)

    assert broken(story) == ""
    assert arrived == ["あおい <aoi@example.com>"]


@pytest.mark.parametrize("to", ["nobody", "a" * 65 + "@example.com", "aoi@-bad.example", "あおい@example.com"])
def test_an_address_that_no_server_takes_breaks_the_world(to: str) -> None:
    assert broken(writing(to)).startswith("mail_servers_take_it: web/letter to ")


def test_a_mail_without_its_date_breaks_the_world(monkeypatch: pytest.MonkeyPatch) -> None:
    def undated(message: Message, sender: str) -> EmailMessage:
        mail = as_email(message, sender)
        del mail["Date"]
        return mail

    monkeypatch.setattr("sekkei.worlds.fake_services.as_email", undated)
    assert "554 5.6.0" in broken(writing("aoi@example.com"))
