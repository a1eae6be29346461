"""No provider: a public address without one takes no money, and gives none away."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from datetime import datetime

from sekkei_systems.chiipochi.ports.payments.port import (
    Afterwards,
    Checkout,
    Instructions,
    LaterEvent,
    Movement,
    Order,
    PaymentEvent,
    ProviderDown,
    RefundRefused,
)
from sekkei_systems.chiipochi.refusals import BadCallback

NOT_SET_UP = "no payment provider is set up: SEKKEI_STRIPE_SECRET_KEY is missing"


class NoProvider:
    name = "none"

    async def create(self, order: Order) -> Checkout:
        raise ProviderDown(NOT_SET_UP)

    def verify(self, body: bytes, headers: Mapping[str, str]) -> PaymentEvent | LaterEvent | None:
        raise BadCallback()

    async def fetch(self, tx_id: str) -> PaymentEvent | None:
        raise ProviderDown(NOT_SET_UP)

    async def instructions(self, tx_id: str) -> Instructions | None:
        return None

    async def tx_of(self, payment_ref: str) -> str | None:
        return None

    async def afterwards(self, tx_id: str) -> Afterwards:
        raise ProviderDown(NOT_SET_UP)

    async def refund(self, tx_id: str, order_id: str, key: str) -> str:
        raise RefundRefused(NOT_SET_UP)

    async def movements(self, since: datetime, until: datetime) -> AsyncIterator[Movement]:
        raise ProviderDown(NOT_SET_UP)
        yield  # so that it is iterated over like any other

    async def parts_of(self, payout_id: str) -> list[str]:
        raise ProviderDown(NOT_SET_UP)

    async def balance(self) -> int:
        raise ProviderDown(NOT_SET_UP)
