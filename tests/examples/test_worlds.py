"""The example of a world: its promises hold, and each finds a fault that is put in."""

from __future__ import annotations

from typing import Any

import pytest

from examples.worlds import tickets
from sekkei import cli
from sekkei.design import Update
from sekkei.worlds import run, shrink

SEEDS = range(8)


def found(promise: str) -> list[int]:
    return [seed for seed in SEEDS if run(tickets.WORLD, seed).invariant == promise]


def test_every_promise_holds() -> None:
    assert {seed: broken for seed in SEEDS if (broken := run(tickets.WORLD, seed).broken)} == {}


def test_a_place_that_is_sold_without_asking_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def when(self: Update[Any], *conditions: Any) -> Update[Any]:
        return self

    monkeypatch.setattr(Update, "when", when)
    seeds = found("every_place_has_one_ticket")
    assert seeds
    shorter = shrink(tickets.WORLD, run(tickets.WORLD, seeds[0]), tries_max=30)
    assert tickets.PLACES < len(shorter.operations) <= 8, "one more than there are places"


def test_a_sale_in_two_writes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def sell(self: tickets.BoxOffice, ticket: tickets.Ticket) -> bool:
        await self._db.write(tickets.concerts.update(ticket.concert).add(tickets.Concert.sold, 1))
        await self._db.write(tickets.tickets.put(ticket))
        return True

    monkeypatch.setattr(tickets.BoxOffice, "sell", sell)
    assert found("every_place_has_one_ticket")


def test_a_promise_that_is_not_kept_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def sell(self: tickets.BoxOffice, ticket: tickets.Ticket) -> bool:
        return True

    monkeypatch.setattr(tickets.BoxOffice, "sell", sell)
    assert found("whoever_was_told_so_has_a_ticket")


def test_the_command_finds_it_by_its_module(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["world", "examples.worlds.tickets", "--count", "2"]) == 0
    assert "2 seeds" in capsys.readouterr().out
