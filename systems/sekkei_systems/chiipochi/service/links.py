"""Addresses that the bot gives to people: signed, so that nobody can make one for somebody else."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta

from sekkei.clock import Clock
from sekkei.runtime.refusals import Gone, NotThere
from sekkei.runtime.settings import Settings

MY_PAGE_KEPT = timedelta(days=30)
_MAC_LENGTH = 22


class Links:
    """`pay(...)` leads to the payment of one donation, `mine(...)` to somebody's own donations."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._base = f"{settings.public_url}/chiipochi"
        self._key = settings.secrets.key("chiipochi/links")
        self._clock = clock

    def dashboard(self) -> str:
        return f"{self._base}/"

    def pay(self, order_id: str) -> str:
        return f"{self._base}/pay/{self.order_token(order_id)}"

    def mine(self, user_id: str) -> str:
        return f"{self._base}/u/{self.my_token(user_id)}"

    def receipts(self, user_id: str) -> str:
        return f"{self.mine(user_id)}/receipts"

    def order_token(self, order_id: str) -> str:
        return self._sealed("order", order_id)

    def order_of(self, token: str) -> str:
        return self._opened("order", token)

    def my_token(self, user_id: str) -> str:
        until = int(self._clock.now() + MY_PAGE_KEPT.total_seconds())
        return self._sealed("mine", f"{until}|{user_id}")

    def user_of(self, token: str) -> str:
        until, _, user_id = self._opened("mine", token).partition("|")
        if int(until) < self._clock.now():
            raise Gone()
        return user_id

    def _sealed(self, purpose: str, text: str) -> str:
        body = urlsafe_b64encode(text.encode()).decode().rstrip("=")
        return f"{body}.{self._mac(purpose, body)}"

    def _opened(self, purpose: str, token: str) -> str:
        body, _, mac = token.partition(".")
        if len(token) > 500 or not hmac.compare_digest(mac.encode(), self._mac(purpose, body).encode()):
            raise NotThere()
        return urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode()

    def _mac(self, purpose: str, body: str) -> str:
        digest = hmac.digest(self._key, f"{purpose}|{body}".encode(), "sha256")
        return urlsafe_b64encode(digest).decode()[:_MAC_LENGTH]


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
