"""What organisers see, against Discord's limits, with the longest texts that the bot takes."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei_fakes.discord.limits import problems_of_message
from sekkei_systems.eventbot.rules import panels
from sekkei_systems.eventbot.texts import wording
from tests.systems.eventbot.rules.test_render import STATES
from tests.systems.eventbot.samples import ID, NOW, view


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("state", STATES, ids=range(len(STATES)))
def test_panels(language: str, state: dict[str, Any]) -> None:
    words, found = wording(language), view(31, **state)
    assert problems_of_message(panels.panel_message(found, NOW, words, words("bot.saved"))) == []


def test_sure_questions() -> None:
    assert problems_of_message(panels.sure_message("x" * 3000, ("はい", f"e1:cancelyes:{ID}"))) == []
