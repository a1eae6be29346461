"""What services outside tell the system by themselves: late, twice, in any order, and again until it is taken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sekkei.worlds.chance import dice_of
from sekkei.worlds.errors import Gone

if TYPE_CHECKING:
    from sekkei.web.testing import Reply
    from sekkei.worlds.world import World

LATE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Letter:
    """A webhook on its way: `written` gives body and headers anew for each try, which is counted from 1."""

    key: str
    path: str
    written: Callable[[int], tuple[bytes, Mapping[str, str]]]
    tries_max: int = 8
    again_seconds: float = 5.0
    """After the first try; then twice as long, and so on."""


async def deliver(world: World, letter: Letter) -> None:
    """Until a process takes it, or the sender gives up. While faults are about it may be late, and come twice."""
    dice = dice_of(world.seed, "letter", letter.key)
    if world.faulty and dice.chance(world.faults.letters):
        await asyncio.sleep(dice.seconds(LATE_SECONDS))
    pause = letter.again_seconds
    for number in range(1, letter.tries_max + 1):
        if await _taken(world, letter, number):
            break
        await asyncio.sleep(pause * (1 + dice.random()))
        pause *= 2
    if world.faulty and dice.chance(world.faults.letters):
        await asyncio.sleep(dice.seconds(LATE_SECONDS))
        await _taken(world, letter, number + 1)


async def _taken(world: World, letter: Letter, number: int) -> bool:
    body, headers = letter.written(number)
    dice = dice_of(world.seed, "letter", letter.key, number)
    try:
        reply: Reply = await world.request("POST", letter.path, body, headers, dice)
    except Gone:
        return False
    return reply.status < 300
