"""Who may be written to, and in which language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sekkei.design import Database
from sekkei_systems.chiipochi.design import state, user_settings
from sekkei_systems.chiipochi.design.models import UserState, is_forgotten
from sekkei_systems.chiipochi.texts import Language


@dataclass
class Readers:
    db: Database

    async def standing(self, user_id: str) -> tuple[UserState | None, Language]:
        """Where a user is in the conversation, and the language to answer in."""
        found = await self.db.get(state(user_id))
        if found is not None and found.language is not None:
            return found, spoken(found.language)
        chosen = await self.db.get(user_settings(user_id).consistent())
        return found, spoken(chosen.language if chosen is not None else None)

    async def of(self, user_ids: Sequence[str]) -> dict[str, Language]:
        """The language of each; whoever has blocked the bot or is forgotten is not among them."""
        known = sorted({user_id for user_id in user_ids if not is_forgotten(user_id)})
        states = dict(zip(known, await self.db.get_many([state(user_id) for user_id in known]), strict=True))
        there = [user_id for user_id in known if not _has_left(states[user_id])]
        languages = {user_id: found.language for user_id in there if (found := states[user_id]) is not None}
        unsaid = [user_id for user_id in there if languages.get(user_id) is None]
        for user_id, chosen in zip(
            unsaid, await self.db.get_many([user_settings(user_id) for user_id in unsaid]), strict=True
        ):
            languages[user_id] = chosen.language if chosen is not None else None
        return {user_id: spoken(language) for user_id, language in languages.items()}

    async def one(self, user_id: str) -> Language | None:
        return (await self.of([user_id])).get(user_id)


def spoken(language: str | None) -> Language:
    return "en" if language == "en" else "ja"


def _has_left(found: UserState | None) -> bool:
    return found is not None and found.unfollowed_at is not None
