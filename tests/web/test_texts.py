"""Two languages, complete, and chosen by whoever reads."""

from __future__ import annotations

from pathlib import Path

import pytest

import sekkei.web
from sekkei.web.testing import opened
from sekkei.web.texts import Texts, UnknownText, missing_texts, negotiate
from sekkei.web.words import TEXTS
from tests.web import example
from tests.web.example import SYSTEM
from tests.web.example.texts import TEXTS as EXAMPLE


def test_both_languages_are_complete_and_every_key_that_is_used_is_there() -> None:
    assert missing_texts(TEXTS, Path(sekkei.web.__file__).parent) == []
    assert missing_texts(EXAMPLE, Path(example.__file__).parent) == []


def test_what_lacks_is_named(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text('{{ t("here") }} {{ t("nowhere", n=1) }}')
    (tmp_path / "code.py").write_text('t(request, "gone")')
    found = missing_texts({"here": {"ja": "{a}", "en": "{b}"}, "half": {"ja": "x"}}, tmp_path)
    assert [line.partition(":")[0] for line in found] == ["here", "half", "nowhere", "gone"]


def test_one_and_many() -> None:
    texts = Texts({}, {"example": EXAMPLE})
    assert texts.find("example", "en", "notes.count", {"n": 1}) == "1 note"
    assert texts.find("example", "en", "notes.count", {"n": 0}) == "0 notes"
    assert texts.find("example", "ja", "notes.count", {"n": 1}) == "1 件"
    with pytest.raises(UnknownText, match=r"systems/example/texts\.py"):
        texts.find("example", "ja", "nothing", {})


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
