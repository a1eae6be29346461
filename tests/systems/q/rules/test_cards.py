"""The card of an answer."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

import pytest

from sekkei.design import replace
from sekkei_systems.q.design.models import Answer
from sekkei_systems.q.rules import cards

NOW = datetime(2025, 11, 6, 3, tzinfo=UTC)
ANSWER = Answer(
    day=date(2025, 11, 6), user_id="u", question_id="q", text="秋", is_on_time=False, late_minutes=1, created_at=NOW
)


def lines(answer: str, language: str = "ja") -> list[str]:
    drawn = cards.card("質問？", replace(ANSWER, text=answer), "葵", language, "q.example/q/#/id/aoi").decode()
    return re.findall(r'font-size="80"[^>]*>([^<]*)<', drawn)


def test_a_long_answer_is_broken_into_lines_and_no_character_torn() -> None:
    family = "👨‍👩‍👧‍👦"
    found = lines(family * 30)
    assert "".join(found) == family * 30
    assert len(found) == 3
    assert all(len(line) % len(family) == 0 for line in found)


def test_words_are_not_torn() -> None:
    text = "The quick brown fox jumps over the extraordinarily lazy dog"
    found = lines(text)
    assert " ".join(found) == text
    assert {word for line in found for word in line.split()} == set(text.split())
    assert all(
        "キーボード" in line or "キ" not in line for line in lines("新しく買ったばかりのキーボードの音がたまらなく好き")
    )


def test_japanese_is_broken_between_phrases() -> None:
    assert lines("帰り道の金木犀。香りの出どころを探して一周した") == [
        "帰り道の金木犀。香りの",
        "出どころを探して",
        "一周した",
    ]
    assert lines("商店街の外れにできた、小さな本屋の手書きの看板。")[1:] == ["小さな本屋の手書きの", "看板。"]


def test_nothing_of_a_long_answer_is_lost_to_whole_phrases() -> None:
    text = "朝焼けの海岸線をゆっくりと" * 6
    assert "".join(lines(text)) == text


@pytest.mark.parametrize("mark", ["。", "、", "」", "！", "ー", "っ"])
def test_no_line_begins_with_what_belongs_to_the_one_before(mark: str) -> None:
    assert [line for line in lines("あ" * 11 + mark + "い" * 30) if line.startswith(mark)] == []


def test_a_word_longer_than_a_line_is_broken_after_all() -> None:
    assert "".join(lines("a" * 60)) == "a" * 60


@pytest.mark.parametrize(("language", "said"), [("ja", "1分遅れ"), ("en", "1 minute late")])
def test_in_the_readers_language_and_with_a_link(language: str, said: str) -> None:
    drawn = cards.card("質問？", ANSWER, "葵", language, "q.example/q/#/id/aoi").decode()
    assert said in drawn
    assert "q.example/q/#/id/aoi" in drawn
