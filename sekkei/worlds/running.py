"""Seeds: run one, run many, and make the story of one that failed shorter."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sekkei.worlds.chance import dice_of, seeded
from sekkei.worlds.faults import Faults
from sekkei.worlds.loop import StandStill, VirtualLoop, lay_to_rest
from sekkei.worlds.script import Script
from sekkei.worlds.world import Broken, Event, World


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
    """Leave out operations as long as the same invariant still breaks."""
    best, tries = failed, 0
    keys = [event.key for event in failed.story if event.key]
    size = max(1, len(keys) // 2)
    while size and tries < tries_max:
        for start in range(0, len(keys), size):
            tries += 1
            without = best.skip | frozenset(keys[start : start + size])
            shorter = run(script, failed.seed, skip=without)
            if shorter.invariant == failed.invariant:
                best = shorter
                break
            if tries >= tries_max:
                return best
        else:
            size //= 2
            continue
        keys = [event.key for event in best.story if event.key]
        size = min(size, max(1, len(keys) // 2))
        progress(len(keys))
    return best


def many(script: Script, first: int, count: int) -> Iterator[Outcome]:
    for seed in range(first, first + count):
        yield run(script, seed)
