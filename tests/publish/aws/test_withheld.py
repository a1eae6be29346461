"""Every permission is held back from the role of a deployed function until somebody on a walk is refused it."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from requests import RequestException

from bench import peers
from tests.publish.aws import deployed as settings
from tests.publish.aws import walks
from tests.publish.aws.deployed import Cloud, Stack
from tests.publish.aws.listening import listening
from tests.publish.aws.test_deployed import deployed, ministack
from tests.publish.aws.village import Village
from tests.publish.aws.withheld import ROLES, Withheld

__all__ = ["ministack"]
pytestmark = [pytest.mark.torture, pytest.mark.timeout(7200)]
MOST_IN_VAIN = 6
ROUNDS = 2
HOSTS = ("api.line.me", "api.stripe.com", "discord.com", "studio.example")


def _until_it_works(stack: Stack, withheld: Withheld, walk: Callable[[], None]) -> None:
    """Each request is sent again until nothing is missing for it. One that failed half way may still leave something
    that stops the walk later; then another person begins anew."""
    in_vain = 0
    while in_vain < MOST_IN_VAIN:
        before = len(withheld.given)
        try:
            return walk()
        except (AssertionError, LookupError, RequestException) as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(f"{stack.name}: again, {where.name}: {where.line}: {error!r:.200}", flush=True)
            in_vain = 0 if len(withheld.given) > before else in_vain + 1
            stack.renew("work")  # it leaves a service alone for a while that has failed
    raise AssertionError("nothing more is missing, but it does not work")


def _walks(stack: Stack, ports: Mapping[str, int]) -> Iterator[Callable[[], None]]:
    """Somebody visits, a village lives, somebody goes, and whatever recurs comes round."""
    people, villages, script = count(), count(), walks.WORLDS[stack.name]
    yield lambda: walks.visit(stack, next(people))
    yield lambda: asyncio.run(Village(stack, script, next(villages)).live(ports, ROUNDS))
    yield lambda: walks.leave(stack, next(people))
    for name in walks.recurring(stack):
        yield partial(walks.fire, stack, name)


def _ports() -> dict[str, int]:
    return {host: peers.free_port() for host in HOSTS}


@pytest.mark.parametrize("system", ["tasks", "lessons", "eventbot", "chiipochi", "q"])
def test_whatever_is_taken_away_is_missed(
    ministack: Cloud, tmp_path: Path, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "SETTLE_SECONDS", 12.0)
    ports = _ports()
    with listening(ministack.port) as ears:
        stack = deployed(ministack, system, tmp_path, change=ears.change, ports=ports)
        withheld = Withheld(stack, ears, [each for each in ROLES if each != "stream" or system != "eventbot"])
        for walk in _walks(replace(stack, attempt=withheld.attempt), ports):
            _until_it_works(stack, withheld, walk)
            print(f"{system}: {len(withheld.given)} of {len(withheld.allowed)}", flush=True)
    unused, answered = withheld.allowed - withheld.given, [said for said in withheld.answered.values() if said]
    print(f"{system}: {len(withheld.allowed)} permissions, {len(withheld.given)} missed on the walk: ", end="")
    print(f"{len(answered)} by an answer that failed, the others in a log; asked for by nobody here: {len(unused)}")
    print("  " + ", ".join(sorted(" ".join(each) for each in unused)))
    assert ears.heard <= withheld.allowed
    assert withheld.unseen() == []
