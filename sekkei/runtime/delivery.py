"""Sending what waits in the outbox: a pool, so that one call that hangs holds nothing else back.

Each kind of message has so many places, and each destination one of them: what is for one person goes out in the order
it was written. A destination that fails again and again is left alone for a while. When a provider says when to come
back, or does not accept our credentials, all processes leave it alone, and in the second case an alarm rings; the
messages are kept.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import logging
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sekkei.backoff import backoff_seconds
from sekkei.clock import Clock
from sekkei.design import Database, Update
from sekkei.kit.retries import backoff
from sekkei.runtime import days
from sekkei.runtime.alarms import Alarms
from sekkei.runtime.design import (
    FAILED,
    OUTBOX,
    SENT,
    HeldPlace,
    Hold,
    Message,
    State,
    due_messages,
    held_places,
    holds,
    messages,
    places_held,
)
from sekkei.runtime.failures import error_line
from sekkei.runtime.leases import Due, LeaseLost, Leases, due, take
from sekkei.runtime.outbox import CLOSED, SHELL, Rejected, Shown, Transport, TryAgain, Undeliverable

ATTEMPTS_MAX = 12
AT_ONCE = 16
TIMEOUT_SECONDS = 30.0
WAITING_MAX = 500
"""Messages that are known here and wait for a place."""
_LOOK_SHARE = 9
"""While some wait for a place, looking for more takes a tenth of the time at most."""
FAILURES_MAX = 3
"""In a row; then a destination is left alone."""
_OPEN_SECONDS = 5.0
_OPEN_SECONDS_MAX = 300.0
_CIRCUITS_MAX = 10_000
REJECTED_SECONDS = 30.0
_HOLDS_KNOWN_SECONDS = 2.0

log = logging.getLogger("sekkei.runtime.outbox")


Place = tuple[str, str]
"""A kind of message and a destination."""


@dataclass(slots=True)
class _Circuit:
    """What is known of a destination that fails."""

    failures: int = 0
    open_until: datetime | None = None


@dataclass(slots=True)
class Held:
    """What all processes leave alone of one kind, as it was read a moment ago."""

    known_until: datetime
    until: datetime
    places: dict[str, datetime]
    """By the hash of a destination."""


class Delivery:
    """Sends what waits in the outbox. What the systems of another process wrote is left to it, unless there is a way
    out for it here; without `systems` nothing is another's."""

    def __init__(
        self,
        runtime: Database,
        clock: Clock,
        transports: Mapping[str, Transport],
        worker: str = "worker",
        systems: Collection[str] | None = None,
        alarms: Alarms | None = None,
    ) -> None:
        self._runtime = runtime
        self._clock = clock
        self._transports = dict(transports)
        self._worker = worker
        self._systems = None if systems is None else {SHELL, *systems}
        self._alarms = alarms or Alarms(runtime, clock)
        self._local = Shown()
        self._leases = Leases(runtime, clock, Message.lease_until, Message.lease_by)
        self.when = Due(clock)
        self._waiting: dict[Place, deque[Message]] = {}
        """By destination, in the order they were written."""
        self._known: set[str] = set()
        """The ids of those."""
        self._running: dict[str, asyncio.Task[bool]] = {}
        self._busy: Counter[str] = Counter()
        self._busy_places: set[Place] = set()
        self._circuits: OrderedDict[Place, _Circuit] = OrderedDict()
        self._holds: dict[str, Held] = {}
        self._look_again = 0.0
        self._stopping = False
        self.outcomes: Counter[tuple[str, str]] = Counter()
        """By kind and what came of it, for /metrics."""

    async def run_once(self, limit: int = WAITING_MAX) -> int:
        """Send all that is due now and wait for it; returns how many messages were tried. For tests and commands."""
        tried = 0
        self.begin()
        await self._look(limit)
        while True:
            self._start()
            if not self._running:
                self._drop(lambda place: True)
                return tried
            done, _ = await asyncio.wait(self._running.values(), return_when=asyncio.FIRST_COMPLETED)
            tried += sum(task.result() for task in done)
            self._forget(done)

    async def dispatch(self) -> int:
        """Start what is due now and has a place; returns how many. They go on by themselves."""
        self._forget([task for task in self._running.values() if task.done()])
        started = self._clock.monotonic()
        if not self._waiting or started >= self._look_again:
            await self._look(WAITING_MAX)
            now = self._clock.monotonic()
            self._look_again = now + _LOOK_SHARE * (now - started)
        return self._start()

    def begin(self) -> None:
        """After a `stop` it goes on."""
        self._stopping = False

    async def stop(self, seconds: float) -> None:
        """What is under way may end; what does not in time is another worker's when its lease is over."""
        self._stopping = True
        if self._running:
            _, late = await asyncio.wait(self._running.values(), timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._running.clear()

    @property
    def kinds(self) -> Collection[str]:
        """The kinds of messages that have a real way out here."""
        return self._transports.keys()

    @property
    def open_circuits(self) -> dict[Place, _Circuit]:
        """Destinations that are left alone at the moment."""
        now = days.now(self._clock)
        return {place: one for place, one in self._circuits.items() if one.open_until and one.open_until > now}

    async def _look(self, limit: int) -> None:
        """Find what is due, beyond what is known."""
        found = await due(self._runtime, due_messages(self.when.until), self._is_new, limit)
        ready = sorted(self.when.now_of(found, Message.due_at), key=lambda one: (one.created_at, one.id))
        for message in ready:
            if not await self._is_held(self._place(message)):
                self._waiting.setdefault(self._place(message), deque()).append(message)
                self._known.add(message.id)

    def _is_new(self, message: Message) -> bool:
        ours = self._systems is None or message.system in self._systems or message.kind in self._transports
        if not ours or message.id in self._running or message.id in self._known:
            return False
        now = days.now(self._clock)
        if message.lease_until is not None and message.lease_until > now:
            return False  # another worker sends it
        return not self._is_open(self._place(message), now)

    def _start(self) -> int:
        """As many as there are places for."""
        if self._stopping:
            return 0
        now = days.now(self._clock)
        self._drop(lambda place: self._is_open(place, now))
        return sum([self._start_one(place) for place in list(self._waiting)])

    def _start_one(self, place: Place) -> bool:
        """The next one for a destination, if it has a place."""
        kind = place[0]
        at_once = getattr(self._transports.get(kind, self._local), "at_once", AT_ONCE)
        if place in self._busy_places or self._busy[kind] >= at_once:
            return False
        message = self._waiting[place].popleft()
        self._known.discard(message.id)
        if not self._waiting[place]:
            del self._waiting[place]
        self._busy[kind] += 1
        self._busy_places.add(place)
        task = asyncio.create_task(self._deliver(message), name=f"message {message.id}")
        task.add_done_callback(functools.partial(self._leave, place))
        self._running[message.id] = task
        return True

    def _leave(self, place: Place, task: asyncio.Task[bool]) -> None:
        self._busy[place[0]] -= 1
        self._busy_places.discard(place)
        error = None if task.cancelled() else task.exception()
        if error is not None:  # the store did not answer: the lease runs out, and it is tried again
            log.warning("what came of a message could not be written down", extra={"error": error_line(error)})
        self._start()

    def _drop(self, unwanted: Callable[[Place], bool]) -> None:
        """Let go of what waits for some destinations; it is found again when it can go out."""
        for place in [place for place in self._waiting if unwanted(place)]:
            self._known.difference_update(message.id for message in self._waiting.pop(place))

    def _forget(self, done: Collection[asyncio.Task[bool]]) -> None:
        self._running = {id: task for id, task in self._running.items() if task not in done}

    def _transport(self, message: Message) -> Transport:
        return self._transports.get(message.kind, self._local)

    def _place(self, message: Message) -> Place:
        destination = getattr(self._transport(message), "destination", None)
        if isinstance(self._transport(message), Shown):
            return message.kind, message.id  # nothing to wait for
        return message.kind, destination(message) if destination is not None else message.to

    # Destinations and providers that are left alone

    def _is_open(self, place: Place, now: datetime) -> bool:
        circuit = self._circuits.get(place)
        if circuit is None or circuit.open_until is None or circuit.open_until <= now:
            return False
        self.when.sooner(circuit.open_until)
        return True

    def _failed(self, place: Place) -> None:
        circuit = self._circuits.setdefault(place, _Circuit())
        self._circuits.move_to_end(place)
        circuit.failures += 1
        if circuit.failures >= FAILURES_MAX:
            more = circuit.failures - FAILURES_MAX + 1
            seconds = backoff_seconds(more, first=_OPEN_SECONDS, longest=_OPEN_SECONDS_MAX)
            circuit.open_until = days.now(self._clock) + timedelta(seconds=seconds)
            log.warning("a destination is left alone", extra={"kind": place[0], "seconds": seconds})
        while len(self._circuits) > _CIRCUITS_MAX:
            self._circuits.popitem(last=False)

    async def _is_held(self, place: Place) -> bool:
        """Whether a provider or a destination is left alone by all processes; asked for every few seconds."""
        kind, now = place[0], days.now(self._clock)
        if kind not in self._transports:
            return False
        held = self._holds.get(kind)
        if held is None or held.known_until < now:
            held = self._holds[kind] = await self._read_holds(kind, now)
        until = max(held.until, held.places.get(_hashed(place), now))
        if until <= now:
            return False
        self.when.sooner(until)
        return True

    async def _read_holds(self, kind: str, now: datetime) -> Held:
        found = await self._runtime.get(holds(kind))
        places = {one.place: one.until for one in await self._runtime.all(places_held(kind))}
        known_until = now + timedelta(seconds=_HOLDS_KNOWN_SECONDS)
        return Held(known_until, found.until if found is not None else now, places)

    async def _hold(self, kind: str, seconds: float, reason: str) -> None:
        now = days.now(self._clock)
        until = now + timedelta(seconds=seconds)
        hold = Hold(kind=kind, until=until, reason=reason, expires=until + timedelta(days=1))
        await self._runtime.write(holds.put(hold))
        self._holds[kind] = Held(until, until, {})
        self._drop(lambda place: place[0] == kind)

    async def _hold_place(self, place: Place, seconds: float) -> None:
        """The others of its kind go on."""
        kind, now = place[0], days.now(self._clock)
        until = now + timedelta(seconds=seconds)
        row = HeldPlace(kind=kind, place=_hashed(place), until=until, expires=until + timedelta(days=1))
        await self._runtime.write(held_places.put(row))
        self._holds.setdefault(kind, Held(now, now, {})).places[row.place] = until
        self._drop(lambda waiting: waiting == place)

    # One message

    async def _deliver(self, message: Message) -> bool:
        taken = await self._begin(message)
        if taken is None:
            return False
        outcome = await self._attempt(taken)
        self.outcomes[taken.kind, outcome] += 1
        return True

    async def _attempt(self, taken: Message) -> str:
        """Send it, and write down what came of it."""
        place, transport = self._place(taken), self._transport(taken)
        try:
            receipt = await self._send(taken, transport)
        except Undeliverable as error:
            await self._give_up(taken, error)
            return "failed"
        except LeaseLost as error:
            log.warning("a message was left to another worker", extra={"message_id": taken.id, "error": str(error)})
            return "left"
        except TryAgain as error:
            if error.everywhere:
                await self._hold(taken.kind, error.seconds, str(error))
            else:
                await self._hold_place(place, error.seconds)
            await self._put_back(taken, error, error.seconds)
            return "held"
        except Rejected as error:
            await self._hold(taken.kind, REJECTED_SECONDS, str(error))
            await self._alarms.ring(f"outbox/{taken.kind}", f"Credentials are not accepted: {error}")
            await self._put_back(taken, error, REJECTED_SECONDS)
            return "rejected"
        except Exception as error:
            log.warning("a message could not be sent", extra={"message_id": taken.id, "error": error_line(error)})
            self._failed(place)
            await self._try_later(taken, error)
            return "again"
        self._circuits.pop(place, None)
        await self._alarms.clear(f"outbox/{taken.kind}")
        await self._sent(taken, receipt)
        return "sent"

    async def _send(self, message: Message, transport: Transport) -> str:
        if message.body == CLOSED:
            raise Undeliverable(f"The text {CLOSED['sealed']}.")
        if self._may_be_told_twice(message, transport):
            raise Undeliverable(
                f"It may have gone out on {message.unsure_since:%Y-%m-%d %H:%M} UTC, too long ago for the provider to "
                "know it again. Look whether it arrived before you send it once more."
            )

        async def in_time() -> str:
            seconds: float = getattr(transport, "timeout_seconds", TIMEOUT_SECONDS)
            try:
                async with asyncio.timeout(seconds):
                    return await transport.send(message)
            except TimeoutError:
                raise ConnectionError(f"no answer within {seconds:g} seconds") from None

        return await self._leases.keep(messages.update(message.id), message.lease_by or "", in_time())

    def _may_be_told_twice(self, message: Message, transport: Transport) -> bool:
        """The provider has forgotten an attempt of which we do not know whether it arrived."""
        seconds: float | None = getattr(transport, "remembers_seconds", None)
        if seconds is None or message.unsure_since is None:
            return False
        return days.now(self._clock) - message.unsure_since > timedelta(seconds=seconds)

    async def _begin(self, message: Message) -> Message | None:
        update = messages.update(message.id).add(Message.attempts, 1)
        if message.attempts:
            # Whoever had it died over it; or it is of before 0.2 and does not say when it was tried.
            since = message.lease_until or message.created_at
            update = update.set_if_absent(Message.unsure_since, since)
        update = update.when(Message.state == State.QUEUED, self._leases.free())
        return await take(self._runtime, self._leases.taking(update, self._leases.token(self._worker)))

    async def _sent(self, message: Message, receipt: str) -> None:
        """Whoever holds the lease now: what went out went out, and must not go out once more."""
        now = days.now(self._clock)
        update = (
            messages.update(message.id)
            .set(Message.state, State.SENT)
            .set(Message.sent_at, now)
            .set(Message.receipt, receipt)
            .set(Message.due_pk, SENT)
            .set(Message.due_at, now + timedelta(days=message.kept_days))
            .remove(Message.lease_until)
            .remove(Message.lease_by)
            .remove(Message.unsure_since)
            .remove(Message.last_error)
        )
        await take(self._runtime, update)  # it is gone when its person left meanwhile

    async def _give_up(self, message: Message, error: Exception) -> None:
        given_up = getattr(self._transport(message), "given_up", None)
        if given_up is not None and message.body != CLOSED:
            try:
                await given_up(message)
            except Exception as failed:
                log.warning(
                    "a message could not be given up", extra={"message_id": message.id, "error": error_line(failed)}
                )
                await self._postpone(message, error, backoff(message.attempts, self._clock), counted=True)
                return
        await self._alarms.ring("dead-letters/message", f"{message.kind}: {type(error).__name__} ({message.id})")
        await self._put_down(
            message,
            messages.update(message.id)
            .set(Message.state, State.FAILED)
            .set(Message.last_error, error_line(error))
            .set(Message.due_pk, FAILED + OUTBOX)
            .set(Message.due_at, days.now(self._clock)),
        )

    async def _try_later(self, message: Message, error: Exception) -> None:
        if message.attempts >= ATTEMPTS_MAX:
            await self._give_up(message, error)
            return
        await self._postpone(message, error, backoff(message.attempts, self._clock), counted=True)

    async def _put_back(self, message: Message, error: Exception, seconds: float) -> None:
        """Not the message's fault, and it did not arrive: this attempt does not count."""
        await self._postpone(message, error, timedelta(seconds=seconds), counted=False)

    async def _postpone(self, message: Message, error: Exception, pause: timedelta, *, counted: bool) -> None:
        update = messages.update(message.id).set(Message.due_at, days.now(self._clock) + pause)
        update = update.set(Message.last_error, error_line(error))
        if counted:
            update = update.set_if_absent(Message.unsure_since, days.now(self._clock))
        else:
            update = update.add(Message.attempts, -1)
        await self._put_down(message, update)

    async def _put_down(self, message: Message, update: Update[Any]) -> None:
        """End a try that failed; when another worker has taken it meanwhile, it is theirs."""
        await take(self._runtime, self._leases.putting_down(update, message.lease_by))


def _hashed(place: Place) -> str:
    """A destination may be somebody's address."""
    return hashlib.sha256(place[1].encode()).hexdigest()[:32]
