"""Addresses that the bot gives to people: signed, so that nobody can make one for somebody else."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sekkei.clock import Clock
from sekkei.kit.signing import BadToken, Signer, TokenOver
from sekkei.runtime.refusals import Gone, NotThere
from sekkei.runtime.settings import Settings

MY_PAGE_KEPT = timedelta(days=30)


@dataclass
class Links:
    """`pay(...)` leads to the payment of one donation, `mine(...)` to somebody's own donations."""

    settings: Settings
    clock: Clock

    def __post_init__(self) -> None:
        self._base = f"{self.settings.public_url}/chiipochi"
        self._orders = self.settings.secrets.signer("chiipochi orders")
        self._mine = self.settings.secrets.signer("chiipochi own pages")

    def dashboard(self) -> str:
        return f"{self._base}/"

    def pay(self, order_id: str) -> str:
        return f"{self._base}/pay/{self.order_token(order_id)}"

    def mine(self, user_id: str) -> str:
        return f"{self._base}/u/{self.my_token(user_id)}"

    def receipts(self, user_id: str) -> str:
        return f"{self.mine(user_id)}/receipts"

    def order_token(self, order_id: str) -> str:
        return self._orders.sign(order_id)

    def order_of(self, token: str) -> str:
        return self._opened(self._orders, token)

    def my_token(self, user_id: str) -> str:
        return self._mine.sign(user_id, until=int(self.clock.now() + MY_PAGE_KEPT.total_seconds()))

    def user_of(self, token: str) -> str:
        return self._opened(self._mine, token)

    def _opened(self, signer: Signer, token: str) -> str:
        try:
            content: str = signer.read(token, self.clock.now())
        except TokenOver:
            raise Gone() from None
        except BadToken:
            raise NotThere() from None
        return content


def order_id_of(user_id: str, created_at: datetime) -> str:
    """What providers call a donation: its key, so that a callback finds it without an index."""
    moment = created_at.astimezone(UTC).replace(tzinfo=None)
    return f"{user_id}|{moment.isoformat(timespec='milliseconds')}Z"


def donation_key(order_id: str) -> tuple[str, datetime] | None:
    """The donation that a provider speaks of; None when it is no order of ours."""
    user_id, bar, text = order_id.partition("|")
    try:
        created_at = datetime.fromisoformat(text)
        if created_at.tzinfo is None or not bar or not user_id:
            return None
        return user_id, created_at.astimezone(UTC)
    except (ValueError, OverflowError):  # the first and the last day of all have no time in other zones
        return None
