"""What is written to donors about payments: who can be written to, in which language, and what LINE is asked for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sekkei.design import Action, Database
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.transports.line import Quota, TokenRefused
from sekkei_systems.chiipochi.design import state, user_settings
from sekkei_systems.chiipochi.design.models import Donation, UserState, is_forgotten
from sekkei_systems.chiipochi.ports.line import LineEnd
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.conversation import Incoming
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.texts import Language


@dataclass
class Readers:
    """Who may be written to, and in which language."""

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


News = Literal["failed", "refunded", "refund-back", "paid-late", "paid-twice"]


@dataclass
class Letters:
    outbox: Outbox
    readers: Readers

    async def to(
        self, donation: Donation, news: News, amount: int | None = None, about: str = "", *, by_hand: bool = False
    ) -> list[Action[Any, Any]]:
        """A word to the donor; `amount` is all that was refunded so far, `about` names a second payment."""
        language = await self.readers.one(donation.user_id)
        if language is None:
            return []
        kind: messages.News = "failed-later" if news == "failed" and donation.waiting_for else news
        reason = f"{news}/{order_id_of(donation.user_id, donation.created_at)}"
        if news == "failed":
            said = messages.fixed(news, language)
        else:
            whole = donation.amount if amount is None else amount
            fresh = abs(whole - donation.refunded) if news in ("refunded", "refund-back") else whole
            way = "-cash" if news == "refunded" and donation.was_cash and not by_hand else ""
            said = messages.of_money(news + way, recipient_of(donation), fresh, language)
            reason = f"{reason}/{about or whole}{_which(donation, news)}"
        return [self.outbox.message("line", donation.user_id, messages.body(messages.letter(said), kind), id=reason)]


def _which(donation: Donation, news: News) -> str:
    """The same money may go back and come back more than once, and each time is told once."""
    since = [donation.refund_asked_at, donation.refund_failed_at] if news == "refunded" else []
    since = [donation.refunded_at] if news == "refund-back" else since
    return "".join(f"/{at.timestamp():.3f}" for at in since if at is not None)


QUOTA_SECONDS = 2.0

log = logging.getLogger("sekkei_systems.chiipochi.channel")


@dataclass
class Channel:
    """What the bot asks of LINE's channel besides sending; none of it is worth a failure."""

    line: LineEnd

    async def language_of(self, user_id: str) -> Language | None:
        """The language of ours that is nearest to a user's; None where LINE does not say."""
        tag = await self.line.language_of(user_id)
        return None if tag is None else "ja" if tag.lower().startswith("ja") else "en"

    async def quota(self) -> Quota | TokenRefused | None:
        """Pushes of this month, where LINE tells; a page waits for that only a moment."""
        try:
            async with asyncio.timeout(QUOTA_SECONDS):
                return await self.line.quota()
        except TokenRefused as refused:
            return refused
        except Exception as error:
            log.warning("LINE did not tell the quota", extra={"error": repr(error)})
            return None

    async def keep_waiting(self, events: Iterable[Incoming]) -> None:
        """Show those who wait that the bot is at work; whether that succeeds does not matter."""
        for user_id in {incoming.user_id for incoming in events if incoming.group is None}:
            try:
                await self.line.show_loading(user_id)
            except Exception as error:
                log.info("the loading sign could not be shown", extra={"user": user_id, "error": repr(error)})
