"""The port: what a donation needs of whoever takes the money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sekkei_systems.chiipochi.design.models import Outcome


@dataclass(frozen=True, slots=True)
class Checkout:
    """A payment that was begun: the provider's id, and where the payer goes."""

    tx_id: str
    url: str


@dataclass(frozen=True, slots=True)
class PaymentEvent:
    """What a provider says about a payment."""

    id: str
    tx_id: str
    order_id: str
    amount: int
    outcome: Outcome


class RefundRefused(Exception):
    """The provider will not give this money back; somebody has to look at it."""


class Provider(Protocol):
    name: str

    async def create(self, order_id: str, amount: int, description: str, return_url: str, until: datetime) -> Checkout:
        """Begin a payment in yen, open until a moment; asking again for the same order gives the same payment."""
        ...

    def verify(self, body: bytes, headers: Mapping[str, str]) -> PaymentEvent | None:
        """A callback, if it is signed; None for kinds that say nothing about a payment. Raises BadCallback."""
        ...

    async def fetch(self, tx_id: str) -> PaymentEvent | None:
        """How a payment stands; None when the provider does not know it."""
        ...

    async def refund(self, tx_id: str, order_id: str) -> str:
        """Give all of a payment back; the refund's id, the same however often it is asked for. Raises RefundRefused,
        or anything else to be tried again."""
        ...
