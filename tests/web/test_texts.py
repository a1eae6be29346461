"""The language that whoever reads has chosen."""

from __future__ import annotations

import pytest

from sekkei.web.testing import opened
from sekkei.web.texts import SHELL, Speech, UnknownText, negotiate
from tests.web.example import SYSTEM
from tests.web.example.texts import say


def test_the_system_first_then_the_shell() -> None:
    speech = Speech("en", (say, *SHELL))
    assert speech("notes.title") == "Notes"
    assert speech("shell.save") == "Save"
    assert speech("refusal.gone") == "This has expired."
    assert speech.choice("form", "required") == "Please fill this in."
    assert speech.section("refusal") == {"taken": "There is a note “{text}” already."}
    with pytest.raises(UnknownText, match=r"tests\.web\.example/texts"):
        speech("nothing")


@pytest.mark.parametrize(
    ("asked", "cookie", "accepted", "language"),
    [
        (None, None, None, "ja"),
        ("en", "ja", "ja", "en"),
        (None, "en", "ja", "en"),
        ("xx", "yy", "en-GB,ja;q=0.5", "en"),
        (None, None, "fr, en;q=0.3, ja;q=0.8", "ja"),
        (None, None, "fr", "ja"),
        (None, None, "en;q=x,,;q=,en-US;q=0.1", "en"),
    ],
)
def test_which_language(asked: str | None, cookie: str | None, accepted: str | None, language: str) -> None:
    assert negotiate(asked, cookie, accepted) == language


async def test_a_language_stays_chosen() -> None:
    async with opened(SYSTEM) as client:
        assert '<html lang="ja"' in (await client.get("/sign-in")).text
        chosen = await client.get("/sign-in?lang=en")
        assert '<html lang="en"' in chosen.text
        assert "Sign in" in (await client.get("/sign-in")).text
        assert "サインイン" in (await client.get("/sign-in?lang=ja")).text
        assert "サインイン" in (await client.get("/sign-in?lang=xx")).text
