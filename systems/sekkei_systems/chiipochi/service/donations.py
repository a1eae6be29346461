"""A new donation, and what makes it happen once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any
from zlib import crc32

from sekkei.design import Action, Put
from sekkei.runtime.design import Once
from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.design.models import Donation, Status
from sekkei_systems.chiipochi.rules.messages import Letter

KEY_KEPT = timedelta(days=60)
"""Long after the last chance to answer a question, or to deliver the answer again."""

Actions = list[Action[Any, Any]]
Effects = tuple[Actions, Letter | None]
"""What is written, and what is answered."""


@dataclass
class Donations:
    idempotency: Idempotency
    settings: Settings

    @cached_property
    def day_shards(self) -> int:
        """Over how many partitions a day's donations are spread; 0 is the document's single one."""
        return int(self.settings.get("chiipochi_day_shards", "0") or 0)

    def new(self, user_id: str, prefecture: str, amount: int, now: datetime, key: str) -> Donation:
        """A donation that waits for its payment, on the day that it is in Japan."""
        shard = crc32(user_id.encode()) % self.day_shards if self.day_shards else None
        moment = now.astimezone(UTC)
        return Donation(
            user_id=user_id,
            created_at=moment.replace(microsecond=moment.microsecond // 1000 * 1000),
            amount=amount,
            prefecture=prefecture,
            status=Status.PENDING,
            idempotency_key=key,
            day_shard=shard,
        )

    def once(self, donation: Donation) -> Put[Once]:
        """Part of the transaction that adds a donation: it fails when there is one of this key."""
        return self.idempotency.mark(f"donation/{donation.idempotency_key}", kept=KEY_KEPT)
