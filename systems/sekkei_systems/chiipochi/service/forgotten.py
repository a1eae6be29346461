"""Under which name the donations of somebody stay who asked to be forgotten."""

from __future__ import annotations

import hashlib

from sekkei.runtime.system import Context
from sekkei_systems.chiipochi.design.models import FORGOTTEN


def pseudonym(context: Context, user_id: str) -> str:
    """Nobody can find the user from it; whoever knows the user finds it."""
    key = context.settings.secrets.key("chiipochi/forget")
    return FORGOTTEN + hashlib.blake2b(user_id.encode(), key=key, digest_size=12).hexdigest()
