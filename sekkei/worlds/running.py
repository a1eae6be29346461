"""Seeds: run one, run many, and make the story of one that failed shorter."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from sekkei.worlds.chance import dice_of, seeded
from sekkei.worlds.faults import Faults
from sekkei.worlds.loop import StandStill, VirtualLoop, lay_to_rest
from sekkei.worlds.script import Script
from sekkei.worlds.world import AND_ON, Broken, Event, World

DEATHS = [f"{what}#{number}" for what in ("crash", "leap") for number in range(max(Faults().crashes, Faults().leaps))]
"""Left out first: they have nothing to do with most faults, and take long."""

SHORT = 8
"""A story of so few operations is left as it is when none of them can go."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one seed."""

    seed: int
    broken: str
    """Empty: every invariant held. Else which one did not, and how."""
    digest: str
    story: list[Event]
    simulated_seconds: float
    calls: int
    skip: frozenset[str] = field(default_factory=frozenset)

    @property
    def invariant(self) -> str:
        return self.broken.partition(":")[0]

    @property
    def operations(self) -> list[Event]:
        return [event for event in self.story if event.key]


def run(script: Script, seed: int, *, faults: Faults | None = None, skip: frozenset[str] = frozenset()) -> Outcome:
    """One seed, from its beginning to its end. The same arguments give the same outcome."""
    loop = VirtualLoop()
    chosen = (faults or Faults()).some(dice_of(seed, "faults"))
    # A collection in the middle would end coroutines of processes that were killed.
    collecting = gc.isenabled()
    gc.disable()
    logging.disable(logging.CRITICAL)
    broken, world = "", None
    try:
        with seeded(seed):
            world = World(script, seed, loop, chosen, skip)
            asyncio.set_event_loop(loop)
            loop.set_exception_handler(lambda loop, context: None)
            try:
                loop.run_until_complete(world.play())
            except Broken as error:
                broken = str(error)
            except StandStill as error:
                broken = f"stand_still: {error}"
            if broken:
                world.tell_the_rest()
            if loop.another_thread and not broken:
                broken = "one_thread: something was done in another thread, in real time"
            if world.quiet.wrong:  # it may be what broke something else
                broken = f"idle_until_it_says: {world.quiet.wrong}"
            digest = world.digest()
            return Outcome(seed, broken, digest, world.story, loop.time(), world.truth.calls, skip)
    finally:
        lay_to_rest(loop)
        if world is not None:
            world.close()
        asyncio.set_event_loop(None)
        logging.disable(logging.NOTSET)
        if collecting:
            gc.enable()


def shrink(
    script: Script, failed: Outcome, *, tries_max: int = 200, progress: Callable[[int], None] = lambda left: None
) -> Outcome:
    """Leave out deaths and operations as long as the same invariant still breaks: many at once, then fewer; and where
    no single one can go, some of them at random."""
    attempts = _Attempts(script, replace(failed, skip=failed.skip | _nothing_more(failed)), tries_max, progress)
    attempts.without(DEATHS)
    dice = dice_of(failed.seed, "shrink")
    _one_after_the_other(attempts)
    while len(attempts.keys) > SHORT and attempts.left:
        # What is left out shifts the moments of the others: another group may leave them as they must be.
        if attempts.without(dice.sample(attempts.keys, dice.randint(2, len(attempts.keys) - 1))):
            _one_after_the_other(attempts)
    return attempts.best


def _one_after_the_other(attempts: _Attempts) -> None:
    size = max(1, len(attempts.keys) // 2)
    while attempts.left:
        before, start = attempts.best, 0
        while attempts.left and start < len(attempts.keys):
            if not attempts.without(attempts.keys[start : start + size]):
                start += size
        if size == 1 and attempts.best is before:
            break
        size = max(1, size // 2)


def _nothing_more(outcome: Outcome) -> frozenset[str]:
    """Whoever does less has time for something else: it must not take the place of what was left out."""
    last: dict[str, int] = {}
    for event in outcome.operations:
        who, _, number = event.key.rpartition("#")
        last[who] = max(last.get(who, 0), int(number))
    return frozenset(f"{who}#{number + 1}{AND_ON}" for who, number in last.items())


@dataclass(slots=True)
class _Attempts:
    script: Script
    best: Outcome
    left: int
    progress: Callable[[int], None]

    @property
    def keys(self) -> list[str]:
        return [event.key for event in self.best.operations]

    def without(self, keys: Iterable[str]) -> bool:
        """Whether the same invariant breaks without these too; then that is the best story so far."""
        self.left -= 1
        shorter = run(self.script, self.best.seed, skip=self.best.skip | frozenset(keys))
        if shorter.invariant != self.best.invariant:
            return False
        self.best = shorter
        self.progress(len(shorter.operations))
        return True


def many(script: Script, first: int, count: int) -> Iterator[Outcome]:
    for seed in range(first, first + count):
        yield run(script, seed)
