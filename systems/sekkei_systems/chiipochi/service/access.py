"""Who may do what, as values: a method that not everybody may call demands the proof by its type."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from starlette.requests import Request

from sekkei.clock import Clock
from sekkei.kit.signing import BadToken, Signer, TokenOver
from sekkei.runtime.refusals import Gone, NotThere
from sekkei.runtime.settings import Settings
from sekkei.web import User
from sekkei.web.console import operator

_MY_PAGE_KEPT = timedelta(days=30)


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
        return self._mine.sign(user_id, until=int(self.clock.now() + _MY_PAGE_KEPT.total_seconds()))

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


@dataclass(frozen=True, slots=True)
class Operator:
    """Proof, read in this request, that somebody runs the bot: they see others' payments and refund them."""

    id: str


@dataclass(frozen=True, slots=True)
class Donor:
    """Proof that whoever asks is this donor: an event that LINE signed, or a link that we signed."""

    user_id: str


@dataclass
class Access:
    """Makes the proofs, and nobody else does."""

    links: Links

    def operator_of(self, request: Request, user: User | None) -> Operator:
        """In person, with the authenticator app where there is one; whoever is signed out is sent to the sign-in."""
        operator(request)
        return Operator(user.id if user else "demo")

    def donor_of(self, token: str) -> Donor:
        """The donor behind a link; raises NotThere for one that we never made, Gone for one that has run out."""
        return Donor(self.links.user_of(token))

    def writer_of(self, user_id: str) -> Donor:
        """The donor who wrote a message that LINE signed."""
        return Donor(user_id)
