"""The operator's page of words and sums."""

from __future__ import annotations

import pytest

from sekkei_systems.chiipochi.pages.wordings import sums
from sekkei_systems.chiipochi.refusals import BadWording
from tests.systems.chiipochi.conftest import Bot

TEXTS = "/chiipochi/operator/texts"


async def test_words_and_sums_are_changed_on_a_page(quick_bot: Bot) -> None:
    client = quick_bot.client
    await client.sign_in("demo-aoi")
    assert (await client.post(TEXTS, {"name": "welcome", "ja": "ようこそ！\r\n<b>"})).status == 303
    assert (await client.post(TEXTS, {"name": "welcome", "ja": "別の文"})).status == 409, "somebody was quicker"
    quick_bot.clock.advance(1)
    assert (await client.post(TEXTS, {"name": "amounts", "amounts": "２００円、1000"})).status == 303
    assert (await client.post(TEXTS, {"name": "amounts", "amounts": "たくさん", "version": "1"})).status == 422
    assert (await client.post(TEXTS, {"name": "failed", "ja": "x"})).status == 404
    page = (await client.get(TEXTS)).text
    assert "ようこそ！\n&lt;b&gt;</textarea>" in page
    assert 'value="200, 1000"' in page
    assert "amounts:  → 200, 1000" in page
    assert "はじめまして、ちいポチ" in page, "the original stands behind an empty box"


def test_sums_as_people_type_them() -> None:
    assert sums("500円、１００ 300") == [100, 300, 500]
    assert sums(" ") == []
    with pytest.raises(BadWording):
        sums("100, x")
