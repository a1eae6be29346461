"""Seeds: run one, run many, and make the story of one that failed shorter."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sekkei.worlds.chance import dice_of, seeded
from sekkei.worlds.errors import Broken, Errors, overheard
from sekkei.worlds.faults import Faults
from sekkei.worlds.loop import StandStill, VirtualLoop, lay_to_rest
from sekkei.worlds.replay import AND_ON, AS_IT_WAS, Retelling
from sekkei.worlds.script import Script
from sekkei.worlds.world import Event, World

_DEATHS = [f"{what}#{number}" for what in ("crash", "leap") for number in range(max(Faults().crashes, Faults().leaps))]
"""Left out first: they have nothing to do with most faults, and take long."""

SHORT = 8
"""A story of so few operations can be read: what can still go is looked for one by one."""
PATIENCE = 25
"""So many tries in vain, and a story is cut anew from its whole."""


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
    retelling: Retelling = AS_IT_WAS
    began: Mapping[str, float] = field(default_factory=dict)
    """When each operation began, by its key."""
    lost: Sequence[Event] = ()
    """What the network did: too much for a whole story, and what it takes to understand a short one."""
    done: frozenset[str] = frozenset()
    """Names of operations that had something to tell."""

    @property
    def invariant(self) -> str:
        return self.broken.partition(":")[0]

    @property
    def operations(self) -> list[Event]:
        return [event for event in self.story if event.key]


def run(script: Script, seed: int, *, faults: Faults | None = None, retelling: Retelling = AS_IT_WAS) -> Outcome:
    """One seed, from its beginning to its end. The same arguments give the same outcome."""
    loop = VirtualLoop()
    chosen = (faults or Faults()).some(dice_of(seed, "faults"))
    # A collection in the middle would end coroutines of processes that were killed.
    collecting = gc.isenabled()
    gc.disable()
    try:
        with overheard() as errors:
            return _run(script, seed, loop, chosen, retelling, errors)
    finally:
        if collecting:
            gc.enable()


def _run(script: Script, seed: int, loop: VirtualLoop, faults: Faults, retelling: Retelling, errors: Errors) -> Outcome:
    broken, world = "", None
    try:
        with seeded(seed):
            world = World(script, seed, loop, faults, retelling, errors)
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
            for service in world.outside.values():
                if service.wrong and not broken:
                    broken = f"mail_servers_take_it: {service.wrong}"
            told = world.digest(), world.story, loop.time(), world.truth.calls, retelling, world.began
            return Outcome(seed, broken, *told, world.lost, frozenset(world.done))
    finally:
        lay_to_rest(loop)
        if world is not None:
            world.close()
        asyncio.set_event_loop(None)


def shrink(
    script: Script, failed: Outcome, *, tries_max: int = 400, progress: Callable[[int], None] = lambda left: None
) -> Outcome:
    """Leave out deaths and operations as long as the same invariant still breaks: many at once, then fewer.

    What is left out shifts the moments of the others, so they are kept; and the dice of the processes, so that two
    things that must meet may no longer do. Where no single operation can go, the whole story is cut by chance: half of
    the tries keep the moments, each has other luck, and whoever gets nowhere begins anew."""
    attempts = _Attempts(script, failed, tries_max, progress)
    attempts.again(failed.retelling.leaving_out(_nothing_more(script, failed)))
    # What was down for hours shifts the moments of all that came after.
    attempts.again(replace(attempts.best.retelling.leaving_out(_DEATHS), moments={}))
    whole = attempts.best
    attempts.one_after_the_other()
    shortest, in_vain, dice = attempts.best, PATIENCE, dice_of(failed.seed, "shrink")
    while len(shortest.operations) > SHORT and attempts.left:
        if in_vain == PATIENCE:
            attempts.best, in_vain = whole, 0
        keys = attempts.keys
        some = dice.sample(keys, dice.randint(len(keys) // 3, len(keys) - 1))
        found = attempts.without(some, luck=tries_max - attempts.left, in_time=dice.chance(0.5))
        in_vain = 0 if found else in_vain + 1
        shortest = min(shortest, attempts.best, key=lambda each: len(each.operations))
    attempts.best = shortest
    attempts.one_after_the_other()
    return attempts.best


def _nothing_more(script: Script, outcome: Outcome) -> frozenset[str]:
    """Whoever does less has time for something else, and so have those who did nothing before it broke: that must not
    take the place of what was left out."""
    last = {f"{role.name}-{number + 1}": 0 for role in script.roles.values() for number in range(role.count)}
    for event in outcome.operations:
        who, _, number = event.key.rpartition("#")
        last[who] = max(last[who], int(number))
    return frozenset(f"{who}#{number + 1}{AND_ON}" for who, number in last.items())


@dataclass(slots=True)
class _Attempts:
    """The shortest story so far that breaks the same invariant."""

    script: Script
    best: Outcome
    left: int
    progress: Callable[[int], None]

    @property
    def keys(self) -> list[str]:
        return [event.key for event in self.best.operations]

    def again(self, retelling: Retelling) -> bool:
        """Whether the same invariant breaks in this one too, and it is not longer; then it is the best so far."""
        if self.left <= 0:
            return False
        self.left -= 1
        shorter = run(self.script, self.best.seed, retelling=retelling)
        if shorter.invariant != self.best.invariant or len(shorter.operations) > len(self.best.operations):
            return False
        self.best = shorter
        self.progress(len(shorter.operations))
        return True

    def without(self, keys: Iterable[str], luck: int | None = None, *, in_time: bool = True) -> bool:
        """`in_time`: what is left begins when it began."""
        told = self.best.retelling.leaving_out(keys)
        moments = self.best.began if in_time else {}
        return self.again(replace(told, moments=moments, luck=told.luck if luck is None else luck))

    def one_after_the_other(self) -> None:
        size = max(1, len(self.keys) // 2)
        while self.left:
            before, start = self.best, 0
            while self.left and start < len(self.keys):
                if not self.without(self.keys[start : start + size]):
                    start += size
            if size == 1 and self.best is before:
                break
            size = max(1, size // 2)


def many(script: Script, first: int, count: int) -> Iterator[Outcome]:
    for seed in range(first, first + count):
        yield run(script, seed)
