"""The port: what a donation needs of whoever takes the money."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from sekkei_systems.chiipochi.design.models import Dispute, Outcome


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be paid, in yen, and where the payer goes afterwards."""

    id: str
    amount: int
    description: str
    done_url: str
    cancel_url: str
    until: datetime
    """A checkout stays open until then; a convenience store may take the money later."""


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
    paid_at: datetime | None = None
    """When the money came, where the provider tells."""
    payment_ref: str | None = None
    """What the provider calls the money itself; refunds and disputes name it."""
    method: str = ""
    """How the payer pays, where that takes days."""


@dataclass(frozen=True, slots=True)
class LaterEvent:
    """Something happened to money that had come: a refund, a dispute. What, the provider is asked."""

    id: str
    payment_ref: str


@dataclass(frozen=True, slots=True)
class Instructions:
    """How somebody pays at a convenience store or by bank transfer."""

    method: str
    pay_by: datetime | None
    url: str


@dataclass(frozen=True, slots=True)
class Afterwards:
    """What became of money that had come."""

    refunded: int
    dispute: Dispute | None


MovementKind = Literal["charge", "refund", "dispute", "payout", "other"]


@dataclass(frozen=True, slots=True)
class Movement:
    """Money that came into the account at the provider, or left it."""

    id: str
    kind: MovementKind
    amount: int
    fee: int
    at: datetime
    payment_ref: str | None = None
    order_id: str = ""
    payout_id: str = ""

    @property
    def net(self) -> int:
        return self.amount - self.fee


class RefundRefused(Exception):
    """The provider will not give this money back; somebody has to look at it."""


class ProviderDown(ConnectionError):
    """The provider refused or did not answer; it is tried again."""


class ProviderAway(ProviderDown):
    """It answers nobody just now; whatever else it would be asked can wait, too."""


class Provider(Protocol):
    name: str

    async def create(self, order: Order) -> Checkout:
        """Begin a payment; asking again for the same order gives the same payment."""
        ...

    def verify(self, body: bytes, headers: Mapping[str, str]) -> PaymentEvent | LaterEvent | None:
        """A callback, if it is signed; None for what is not about our payments. Raises BadCallback."""
        ...

    async def fetch(self, tx_id: str) -> PaymentEvent | None:
        """How a payment stands; None when the provider does not know it."""
        ...

    async def instructions(self, tx_id: str) -> Instructions | None:
        """How the payer of a payment that waits can pay."""
        ...

    async def tx_of(self, payment_ref: str) -> str | None:
        """The checkout of a payment; None when it is none of ours."""
        ...

    async def afterwards(self, tx_id: str) -> Afterwards:
        """Refunds and disputes of a payment, as they stand now."""
        ...

    async def refund(self, tx_id: str, order_id: str, key: str) -> str:
        """Give all that is left of a payment back; the refund's id, the same however often this key is asked with.
        Raises RefundRefused, or anything else to be tried again."""
        ...

    def movements(self, since: datetime, until: datetime) -> AsyncIterator[Movement]:
        """All that moved in the account from one moment until before another."""
        ...

    async def parts_of(self, payout_id: str) -> list[str]:
        """The movements that a payout to the bank is made of."""
        ...

    async def balance(self) -> int:
        """Yen in the account now."""
        ...
