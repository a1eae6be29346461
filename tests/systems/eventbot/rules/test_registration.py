"""The commands against Discord's documented limits."""

from __future__ import annotations

from sekkei_systems.eventbot.rules.limits import (
    problems_of_commands,
)
from sekkei_systems.eventbot.rules.registration import COMMANDS


def test_commands() -> None:
    assert problems_of_commands(COMMANDS) == []
