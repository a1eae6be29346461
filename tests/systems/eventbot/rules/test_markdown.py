"""Titles do nothing but say their name."""

from __future__ import annotations

import re

from sekkei_systems.eventbot.rules.markdown import escaped


def test_links_mentions_and_marks_become_plain() -> None:
    text = "[x](https://a.example) **b** <@1> @everyone `c` ||d|| # e :smile: - f"
    shown = escaped(text)
    assert re.sub(r"\\(.)", r"\1", shown) == text
    assert not re.search(r"(?<!\\)[\[\]()*`|<@:]", shown)
    assert escaped("もくもく会 1/19") == "もくもく会 1/19"
