"""Under which name the donations of somebody stay who asked to be forgotten."""

from __future__ import annotations

from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.design.models import FORGOTTEN


def pseudonym(settings: Settings, user_id: str) -> str:
    """Nobody can find the user from it; whoever knows the user finds it."""
    return FORGOTTEN + settings.secrets.signer("chiipochi/forget").mark(user_id)
