"""Whom a donation is for."""

from __future__ import annotations

from sekkei_systems.chiipochi.rules.recipients import recipient_name


def test_a_prefecture_by_its_code() -> None:
    assert (recipient_name("CHIBA", "ja"), recipient_name("CHIBA", "en")) == ("千葉県", "Chiba")
    assert recipient_name("ATLANTIS", "ja") == "ATLANTIS", "what nobody knows any more keeps its code"
