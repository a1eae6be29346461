"""The outbox: what goes to the outside is written down first, in the transaction of its cause, and sent afterwards.

A message has an id that says why it is sent; there is one message for one reason, however often the reason is given.
Every message can be read, whether it went out or not. `sekkei.runtime.delivery` sends them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any, Protocol

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Put
from sekkei.kit.retries import retry_after
from sekkei.runtime import days
from sekkei.runtime.design import Message, messages
from sekkei.runtime.receipts import forget
from sekkei.runtime.retention import Kept
from sekkei.store.http import Answer

KEPT = timedelta(days=90)
_PAUSE_SECONDS_MIN = 1.0
SHELL = "web"
"""What the web shell itself sends, such as codes to sign in with; every process may see to it."""

CLOSED = {"sealed": "cannot be opened: SEKKEI_SECRET is not the one it was sealed with"}
"""What is found in place of a body that was sealed under another secret."""


class Undeliverable(Exception):
    """It will never go out: a refused address, a message the provider rejects. Not tried again."""


class TryAgain(Exception):
    """The provider says when to come back; until then no process sends anything this way.

    With `everywhere=False` it speaks of one destination only, such as a channel that is written to too fast.
    """

    def __init__(self, seconds: float, reason: str, *, everywhere: bool = True) -> None:
        super().__init__(reason)
        self.seconds, self.everywhere = max(_PAUSE_SECONDS_MIN, seconds), everywhere


def busy(
    answer: Answer, clock: Clock, reason: str, *, otherwise: float | None = None, everywhere: bool = True
) -> TryAgain | ConnectionError | None:
    """Return what to raise for a server that is busy or down, None for any other answer. `otherwise` is the pause for
    one that asks for none."""
    if answer.status != 429 and answer.status < 500:
        return None
    asked = retry_after(answer.headers.get(b"retry-after"), clock.now()) if answer.status in (429, 503) else None
    seconds = otherwise if asked is None and answer.status == 429 else asked
    return ConnectionError(reason) if seconds is None else TryAgain(seconds, reason, everywhere=everywhere)


class Rejected(Exception):
    """The provider does not accept our credentials. Messages are kept, and an operator is told to mend it."""


class Transport(Protocol):
    """A way out for one kind of message. It may say more of itself:

    `timeout_seconds`    how long one message may take (30)
    `at_once`            how many go out at the same time (16); of those, one for each person or place
    `remembers_seconds`  for how long the provider takes a second try for the first one (always, or it never does); what
                         may have gone out longer ago than that is given up, for somebody to look at, and not sent twice
    `given_up(message)`  what follows when it was refused for good or tried for the last time; repeated until it is done
    `destination(message)`  what counts as one place (default: the address), such as a webhook's host
    """

    async def send(self, message: Message) -> str:
        """Send it; returns what the provider calls it.

        Raises Undeliverable, TryAgain, Rejected, or anything else to be tried again after a pause.
        """
        ...


class Shown:
    """The local end: the message is kept where people can read it, and that is where it ends."""

    async def send(self, message: Message) -> str:
        return "shown"


class Outbox:
    """`await db.transact(effect, outbox.message(...))`, or `await outbox.put(...)` alone."""

    def __init__(self, runtime: Database, clock: Clock, system: str, kept: Kept | None = None) -> None:
        self._runtime = runtime
        self._clock = clock
        self._system = system
        self._kept = kept or Kept()

    def message(
        self,
        kind: str,
        to: str,
        body: Mapping[str, Any],
        *,
        id: str,
        after: timedelta = timedelta(),
        people: Collection[str] = (),
    ) -> Put[Message]:
        """An action for a transaction. The transaction fails if the same reason has been given before.

        `people` are the ids of those it is for and those it tells of; when one of them leaves, it goes (`forget`).
        """
        now = days.now(self._clock)
        return messages.create(
            Message(
                id=f"{self._system}/{id}",
                system=self._system,
                kind=kind,
                to=to,
                people=frozenset(people),
                body=dict(body),
                kept_days=self._kept.days(f"{self._system}/{id}"),
                created_at=now,
                due_at=now + after,
                listed_at=now,
                expires=now + KEPT,
            )
        )

    async def put(
        self,
        kind: str,
        to: str,
        body: Mapping[str, Any],
        *,
        id: str,
        after: timedelta = timedelta(),
        people: Collection[str] = (),
    ) -> bool:
        """Write one message down; False when this reason has been given before."""
        try:
            await self._runtime.write(self.message(kind, to, body, id=id, after=after, people=people))
        except ConditionFailed:
            return False
        return True

    async def get(self, id: str) -> Message | None:
        return await self._runtime.get(messages(f"{self._system}/{id}").consistent())

    async def forget(self, *people: str) -> int:
        """Take along what is addressed to these people (addresses, devices, ids) or tells of them, as they leave."""
        return await forget(self._runtime, people, self._system)
