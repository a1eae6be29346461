"""What a donor is told about a payment, if there is a way to them."""

from __future__ import annotations

from typing import Any, Literal

from sekkei.design import Action
from sekkei.runtime.system import Context
from sekkei_systems.chiipochi.design.models import Donation
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.service.readers import Readers


class Letters:
    def __init__(self, context: Context, readers: Readers) -> None:
        self._outbox, self._readers = context.outbox, readers

    async def to(self, donation: Donation, what: Literal["failed", "refunded"]) -> list[Action[Any, Any]]:
        """A word to the donor, if there is a way to them."""
        language = await self._readers.one(donation.user_id)
        if language is None:
            return []
        said = messages.fixed(what, language)
        if what == "refunded":
            said = messages.refunded(PREFECTURES[donation.prefecture], donation.amount, language)
        reason = f"{what}/{order_id_of(donation.user_id, donation.created_at)}"
        return [self._outbox.message("line", donation.user_id, messages.body(messages.letter(said)), id=reason)]
