"""Answers to interactions, by their types in Discord's documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei_systems.eventbot.rules.limits import EPHEMERAL

Answer = dict[str, Any]
PONG: Answer = {"type": 1}
DEFERRED_UPDATE: Answer = {"type": 6}


def message(content: Mapping[str, Any]) -> Answer:
    return {"type": 4, "data": dict(content)}


def deferred_private() -> Answer:
    """«… is thinking»; the message follows within 15 minutes."""
    return {"type": 5, "data": {"flags": EPHEMERAL}}


def update(content: Mapping[str, Any]) -> Answer:
    """Puts another message into the place of the one that the button stands in."""
    data = {name: value for name, value in content.items() if name != "flags"}
    return {"type": 7, "data": {"content": "", "embeds": [], "components": [], **data}}


def choices(found: list[tuple[str, str]]) -> Answer:
    return {"type": 8, "data": {"choices": [{"name": name[:100], "value": value} for name, value in found[:25]]}}


def modal(content: Mapping[str, Any]) -> Answer:
    return {"type": 9, "data": dict(content)}
