"""Payment providers behind one port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.design.models import Dispute, Outcome
from sekkei_systems.chiipochi.refusals import BadCallback

# The port: what a donation needs of whoever takes the money.


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


# No provider: a public address without one takes no money, and gives none away.


_NOT_SET_UP = "no payment provider is set up: SEKKEI_STRIPE_SECRET_KEY is missing"


class NoProvider:
    name = "none"

    async def create(self, order: Order) -> Checkout:
        raise ProviderDown(_NOT_SET_UP)

    def verify(self, body: bytes, headers: Mapping[str, str]) -> PaymentEvent | LaterEvent | None:
        raise BadCallback()

    async def fetch(self, tx_id: str) -> PaymentEvent | None:
        raise ProviderDown(_NOT_SET_UP)

    async def instructions(self, tx_id: str) -> Instructions | None:
        return None

    async def tx_of(self, payment_ref: str) -> str | None:
        return None

    async def afterwards(self, tx_id: str) -> Afterwards:
        raise ProviderDown(_NOT_SET_UP)

    async def refund(self, tx_id: str, order_id: str, key: str) -> str:
        raise RefundRefused(_NOT_SET_UP)

    async def movements(self, since: datetime, until: datetime) -> AsyncIterator[Movement]:
        raise ProviderDown(_NOT_SET_UP)
        yield  # so that it is iterated over like any other

    async def parts_of(self, payout_id: str) -> list[str]:
        raise ProviderDown(_NOT_SET_UP)

    async def balance(self) -> int:
        raise ProviderDown(_NOT_SET_UP)


# Ways to pay at Stripe, as the settings name them.


KNOWN = ("card", "konbini", "customer_balance")
LEAST = {"card": 50, "konbini": 120, "customer_balance": 50}
MOST = {"konbini": 300_000}
"""Yen below and above which Stripe does not take a way to pay."""
_KONBINI_DAYS, KONBINI_DAYS_MAX = 3, 60


@dataclass(frozen=True, slots=True)
class Methods:
    names: tuple[str, ...] = ()
    """Empty: whatever is switched on in Stripe's Dashboard."""
    konbini_days: int = _KONBINI_DAYS

    @staticmethod
    def configured(settings: Settings) -> Methods:
        names = tuple(name.strip() for name in settings.get("stripe_payment_methods").split(",") if name.strip())
        unknown = [name for name in names if name not in KNOWN]
        if unknown or (names and "card" not in names):
            raise ValueError(
                f"SEKKEI_STRIPE_PAYMENT_METHODS is a list of {', '.join(KNOWN)} with card in it (a small donation can "
                f"be paid no other way); it is {','.join(names)!r}."
            )
        days = settings.get("stripe_konbini_days", str(_KONBINI_DAYS))
        if not days.isascii() or not days.isdigit() or not 1 <= int(days) <= KONBINI_DAYS_MAX:
            raise ValueError(f"SEKKEI_STRIPE_KONBINI_DAYS is a number from 1 to {KONBINI_DAYS_MAX}; it is {days!r}.")
        return Methods(names, int(days))

    @property
    def needs_customer(self) -> bool:
        return "customer_balance" in self.names

    def fields(self, amount: int) -> dict[str, str]:
        """Of a new checkout; ways that Stripe does not take for so little or so much are left out."""
        offered = [name for name in self.names if takes(name, amount)]
        found = {f"payment_method_types[{place}]": name for place, name in enumerate(offered)}
        if not self.names or "konbini" in offered:
            found["payment_method_options[konbini][expires_after_days]"] = str(self.konbini_days)
        if "customer_balance" in offered:
            found["payment_method_options[customer_balance][funding_type]"] = "bank_transfer"
            found["payment_method_options[customer_balance][bank_transfer][type]"] = "jp_bank_transfer"
        return found


def takes(name: str, amount: int) -> bool:
    return LEAST[name] <= amount <= MOST.get(name, amount)


# What must be set up together. Half of it would mean free money, or none: then the program does not start.


TOGETHER = (
    ("line_channel_secret", "line_channel_token"),
    ("stripe_secret_key", "stripe_webhook_secret"),
)


class HalfSetUp(ValueError):
    """Settings that make no sense without others."""


def check(settings: Settings) -> None:
    """Raise HalfSetUp, with a sentence that says what to set."""
    for names in TOGETHER:
        given = [name for name in names if settings.get(name)]
        if given and len(given) < len(names):
            missing = " and ".join(_named(name) for name in names if name not in given)
            raise HalfSetUp(f"{_named(given[0])} is set, and {missing} is not. ちいポチ needs both or neither.")
    if settings.get("line_channel_secret") and not settings.get("stripe_secret_key") and not settings.demo:
        raise HalfSetUp(
            "A LINE channel is set up, and no payment provider: donations would be free. Set SEKKEI_STRIPE_SECRET_KEY "
            "and SEKKEI_STRIPE_WEBHOOK_SECRET, or SEKKEI_DEMO=1 to try it on this machine."
        )


def _named(name: str) -> str:
    return f"SEKKEI_{name.upper()}"
