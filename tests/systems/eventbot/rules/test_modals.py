"""Every form against Discord's documented limits."""

from __future__ import annotations

import pytest

from sekkei_fakes.discord.limits import problems_of_modal
from sekkei_systems.eventbot.design import Template
from sekkei_systems.eventbot.rules import modals
from sekkei_systems.eventbot.texts import wording
from tests.systems.eventbot.samples import GUILD, ID, NOW, event

ZONE = "America/Argentina/ComodRivadavia"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_modals(language: str) -> None:
    words = wording(language)
    template = Template(
        guild_id=GUILD,
        template_id=f"TPL#{ID}",
        name="名" * 80,
        title="題" * 100,
        description="説" * 1500,
        location="場" * 100,
        capacity=10_000,
        created_by="1",
        created_at=NOW,
    )
    for modal in (
        modals.create_modal(words, ZONE),
        modals.create_modal(words, ZONE, template),
        modals.edit_modal(event(), words, ZONE),
        modals.details_modal(event(), words, ZONE),
        modals.notice_modal(event(), words, ZONE),
        modals.template_modal(event(), words, ZONE),
        modals.refilled(modals.create_modal(words, ZONE), {"title": "x" * 5000, "start": "y" * 5000}),
    ):
        assert problems_of_modal(modal) == []
