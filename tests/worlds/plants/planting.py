"""How a fault is put in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from sekkei.design import Transaction

Plant = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True, slots=True)
class Planted:
    """A fault, the promise that it breaks, and a seed that shows it."""

    world: str
    plant: Plant
    promise: str
    seed: int | None
    """None: it is rare, and left to whoever searches (`make torture`)."""
    focus: tuple[str, ...] = ()
    """The operations that the seed is run with, as `sekkei world --focus` does; none for all. What stands there twice
    is done twice as often."""

    @property
    def name(self) -> str:
        return f"{self.world}: {self.plant.__name__}"


def unconditional(action: Any) -> Any:
    """The same write, whatever is there."""
    return action._with(conditions=())


def nothing(answer: Any = None) -> Callable[..., Awaitable[Any]]:
    async def do(*arguments: Any, **named: Any) -> Any:
        return answer

    return do


def on_unconditional(patch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
    """What a function returns is written whatever is there; of a transaction, its first action."""
    sound = getattr(owner, name)

    def made(*arguments: Any, **named: Any) -> Any:
        found = sound(*arguments, **named)
        if isinstance(found, Transaction):
            return Transaction(unconditional(found.actions[0]), *found.actions[1:])
        return unconditional(found)

    patch.setattr(owner, name, made)


# Any system


def a_message_is_never_sent(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime.delivery import Delivery

    patch.setattr(Delivery, "dispatch", nothing(0))


def jobs_are_never_done(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime.worker import Worker

    patch.setattr(Worker, "work_on_jobs", nothing(0))


def every_worker_that_finds_a_message_sends_it(patch: pytest.MonkeyPatch) -> None:
    """Also while another one is at it: nobody asks for the lease."""
    from sekkei.runtime.delivery import Delivery
    from sekkei.runtime.design import Message, State, messages
    from sekkei.runtime.leases import take

    async def begin(self: Delivery, message: Message) -> Message | None:
        update = messages.update(message.id).add(Message.attempts, 1).when(Message.state == State.QUEUED)
        return await take(self._runtime, self._leases.taking(update, self._leases.token(self._worker)))

    def is_new(self: Delivery, message: Message) -> bool:
        ours = self._systems is None or message.system in self._systems or message.kind in self._transports
        return ours and message.id not in self._running and message.id not in self._known

    patch.setattr(Delivery, "_begin", begin)
    patch.setattr(Delivery, "_is_new", is_new)


def a_failed_try_is_the_last(patch: pytest.MonkeyPatch) -> None:
    """What could not be sent is noted as sent."""
    from sekkei.runtime.delivery import Delivery
    from sekkei.runtime.design import Message

    async def later(self: Delivery, message: Message, error: Exception) -> None:
        await self._sent(message, "")

    patch.setattr(Delivery, "_try_later", later)
