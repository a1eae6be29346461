"""Who may do what, as values: a service method that not everybody may call demands the proof by its type."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.runtime.refusals import NotAllowed, SignInNeeded
from sekkei_systems.chiipochi.service.links import Links


@dataclass(frozen=True, slots=True)
class Operator:
    """Proof, read in this request, that somebody runs the bot: they see payments of others and give money back."""

    id: str


@dataclass(frozen=True, slots=True)
class Donor:
    """Proof that whoever asks holds a donor's own link."""

    user_id: str
    token: str


class Access:
    def __init__(self, links: Links) -> None:
        self._links = links

    def operator(self, user_id: str | None, operates: bool) -> Operator:
        """`operates` is what the shell says of this request."""
        if not operates:
            raise SignInNeeded() if user_id is None else NotAllowed()
        return Operator(user_id or "demo")

    def donor(self, token: str) -> Donor:
        """Raises NotThere for a link that we never made, and Gone for one that has run out."""
        return Donor(self._links.user_of(token), token)
