"""Those who come together are served together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from sekkei_systems.eventbot.service.crowds import Crowds


class Counter:
    """Serves whoever comes, and notes who came together; those called "nobody" are refused."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []

    async def __call__(self, key: str, askers: Sequence[str]) -> list[str | BaseException]:
        self.groups.append(list(askers))
        await asyncio.sleep(0)
        if "broken" in askers:
            raise RuntimeError("the counter fell over")
        return [LookupError(one) if one == "nobody" else f"{key}/{one}" for one in askers]


async def test_whoever_comes_meanwhile_is_served_next_in_order() -> None:
    counter = Counter()
    crowds = Crowds(counter, most=3)
    got = await asyncio.gather(*(crowds.served("a", str(number)) for number in range(7)))
    assert got == [f"a/{number}" for number in range(7)]
    assert counter.groups == [["0", "1", "2"], ["3", "4", "5"], ["6"]]
    assert await crowds.served("a", "alone") == "a/alone"


async def test_everybody_gets_their_own_refusal() -> None:
    crowds = Crowds(Counter(), most=3)
    got = await asyncio.gather(*(crowds.served("a", one) for one in ("x", "nobody", "y")), return_exceptions=True)
    assert [str(one) for one in got] == ["a/x", "nobody", "a/y"]


async def test_a_fault_is_told_to_all_of_its_group_and_to_nobody_else() -> None:
    counter = Counter()
    crowds = Crowds(counter, most=2)
    askers = ("broken", "with it", "later")
    got = await asyncio.gather(*(crowds.served("a", one) for one in askers), return_exceptions=True)
    assert [type(one) for one in got] == [RuntimeError, RuntimeError, str]


async def test_other_keys_do_not_wait_and_who_has_gone_is_no_obstacle() -> None:
    counter = Counter()
    crowds = Crowds(counter, most=9)
    gone = asyncio.create_task(crowds.served("a", "gone"))
    others = asyncio.gather(crowds.served("a", "stays"), crowds.served("b", "other"))
    await asyncio.sleep(0)
    gone.cancel()
    assert await others == ["a/stays", "b/other"]
    assert ["other"] in counter.groups
    with pytest.raises(asyncio.CancelledError):
        await gone
