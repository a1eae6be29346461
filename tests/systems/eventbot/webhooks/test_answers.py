"""Answers as Discord takes them."""

from __future__ import annotations

from sekkei_systems.eventbot.rules.limits import problems_of_response
from sekkei_systems.eventbot.webhooks import answers


def test_suggestions_are_clipped_to_what_fits() -> None:
    found = answers.choices([("名" * 300, str(number)) for number in range(60)])
    assert problems_of_response(found, 4) == []
    assert len(found["data"]["choices"]) == 25


def test_an_update_empties_what_it_does_not_fill() -> None:
    found = answers.update({"content": "済み", "flags": 64})
    assert found == {"type": 7, "data": {"content": "済み", "embeds": [], "components": []}}
    assert problems_of_response(found, 3) == []
