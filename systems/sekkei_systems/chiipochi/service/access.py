"""Who may do what, as values: a method that not everybody may call demands the proof by its type."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from sekkei.web import User
from sekkei.web.console import operator
from sekkei_systems.chiipochi.service.links import Links


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
