"""Who asks for the money: what the law wants shown, and what happens to people's data."""

from __future__ import annotations

from sekkei.web import Html, Pages
from sekkei_systems.chiipochi.rules.conversation import AMOUNT_MAX, AMOUNT_MIN
from sekkei_systems.chiipochi.rules.organisation import Organisation

pages = Pages()


@pages.get("/about", name="about")
async def about(organisation: Organisation) -> Html:
    """特定商取引法に基づく表記."""
    return Html("chiipochi/about.html", organisation=organisation, low=AMOUNT_MIN, high=AMOUNT_MAX)


@pages.get("/privacy", name="privacy")
async def privacy(organisation: Organisation) -> Html:
    return Html("chiipochi/privacy.html", organisation=organisation)
