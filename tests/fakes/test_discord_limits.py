"""What the fake of Discord refuses."""

from __future__ import annotations

from typing import Any

from sekkei_fakes.discord.limits import (
    problems_of_commands,
    problems_of_message,
    problems_of_modal,
    problems_of_response,
)
from sekkei_systems.eventbot.rules import render


def test_the_validator_finds_what_is_wrong() -> None:
    """A validator that accepts everything proves nothing."""
    button = render.button("x", "e1:join:")
    bad: list[dict[str, Any]] = [
        {"content": "x" * 2001},
        {"content": ""},
        {"content": " \n"},
        {"embeds": [{}]},
        {"embeds": [{"title": "x" * 257}]},
        {"embeds": [{"description": "x" * 4097}]},
        {"embeds": [{"fields": [{"name": "", "value": "x"}]}]},
        {"embeds": [{"fields": [{"name": "x", "value": "x" * 1025}]}]},
        {"embeds": [{"fields": [{"name": "x", "value": "x"}] * 26}]},
        {"embeds": [{"description": "x" * 4000}, {"description": "x" * 2001}]},
        {"content": "x", "components": [render.row(button)] * 6},
        {"content": "x", "components": [render.row(button, button)]},
        {"content": "x", "components": [render.row(*(render.button("x", f"e1:{n}:") for n in range(6)))]},
        {"content": "x", "components": [render.row(render.button("x", "y" * 101))]},
        {"content": "x", "components": [render.row({**button, "label": "x" * 81})]},
        {"content": "x", "components": [render.row({**button, "style": 9})]},
        {"content": "x", "components": [render.row(render.link("x", "ftp://x"))]},
        {"content": "x", "allowed_mentions": {"users": ["1"] * 101}},
        {"content": "x", "nonce": "x" * 26},
    ]
    for message in bad:
        assert problems_of_message(message) != [], message
    assert problems_of_response({"type": 7, "data": {"content": "x"}}, 2) != []
    assert problems_of_response({"type": 9, "data": {}}, 5) != []
    assert problems_of_response({"type": 8, "data": {"choices": [{"name": "x", "value": "x"}] * 26}}, 4) != []
    assert problems_of_modal({"title": "x" * 46, "custom_id": "x", "components": []}) != []
    assert problems_of_commands([{"name": "Upper", "description": "x"}]) != []


def test_only_what_came_from_a_message_changes_one() -> None:
    for answer in ({"type": 6}, {"type": 7, "data": {"content": "x"}}):
        assert problems_of_response(answer, 3) == []
        assert problems_of_response(answer, 5) == [f"type {answer['type']} answers components only"]
        assert problems_of_response(answer, 5, from_message=True) == []


def test_a_command_is_measured_as_a_whole() -> None:
    """Names, descriptions and values together, each in its longest language."""
    choices = [{"name": "x" * 100, "value": "y" * 62, "name_localizations": {"ja": "名"}} for _ in range(24)]
    option = {"type": 3, "name": "opt", "description": "d" * 100, "choices": choices}
    options = [{**option, "name": name} for name in ("one", "two")]  # 2 × (3 + 100 + 24 × 162)
    command = {"name": "event", "description": "x", "options": options}
    fits = {**command, "description": "x" * (8000 - 2 * 3991 - 5)}
    assert problems_of_commands([fits]) == []
    assert problems_of_commands([{**fits, "name": "events"}]) == ["events: 8001 characters, at most 8000"]
    longer = {"description_localizations": {"ja": "説" * (len(fits["description"]) + 1)}}
    assert problems_of_commands([{**fits, **longer}]) != []
