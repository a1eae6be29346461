"""What a donor is told about a payment, if there is a way to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sekkei.design import Action
from sekkei.runtime.outbox import Outbox
from sekkei_systems.chiipochi.design.models import Donation
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.service.readers import Readers

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
