"""The event bot under load: signed interactions over HTTP to a server in another process, every answer durable.

Fifty people press buttons of twenty events for some seconds; then a thousand press «join» on one event of 500 places at
once. Afterwards the members in the table are counted and compared with the counters of the events. Then the same rush
goes to two bots on one store, with a Discord of our own over HTTP (`bench/eventbot_pair.py`).
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import orjson

from bench import served
from bench.markdown import number, table
from bench.served import Post, told
from sekkei.runtime.http import Http
from sekkei.store.http import Limits
from sekkei.web.shell import Shell
from sekkei_systems.eventbot.demo.guild import BOT_PERMISSIONS, GUILD_ID, PEOPLE, RECRUIT
from sekkei_systems.eventbot.ports.discord.signature import Signer
from sekkei_systems.eventbot.rules.drafts import Draft
from sekkei_systems.eventbot.system import SYSTEM as EVENTBOT
from sekkei_systems.eventbot.webhooks.desk import ANSWER_LATE, InteractionDesk

USERS = 50
EVENTS = 20
SECONDS = 10.0
RUSH = 1_000
PLACES = 500
VERBS = ("join", "leave", "maybe", "join", "no", "members")


async def _events(shell: Shell) -> list[str]:
    """Twenty events of six places, and the one for the rush."""
    service = shell.deployment.systems["eventbot"].parts.service
    host = next(iter(PEOPLE.values())).actor
    start = service.desk.now() + timedelta(days=3)
    made = [
        await service.events.create(
            await service.access.creator(host), Draft(f"会 {at}", start=start, capacity=6), RECRUIT
        )
        for at in range(EVENTS)
    ]
    made.append(
        await service.events.create(
            await service.access.creator(host), Draft("大きな会", start=start, capacity=PLACES), RECRUIT
        )
    )
    return [event.event_id[4:] for event in made]


async def _cpu(shell: Shell) -> float:
    return time.process_time()


async def _compare(shell: Shell) -> list[tuple[int, int, int, int]]:
    """For each event: its counters, and what stands in the tables, once everybody has been served who was put off."""
    service = shell.deployment.systems["eventbot"].parts.service
    desk: InteractionDesk = shell.deployment.systems["eventbot"].parts.scheduled[ANSWER_LATE].__self__  # type: ignore[attr-defined]
    await desk.settled()
    found = []
    for event in await service.events.of_guild(GUILD_ID):
        view = await service.events.view(GUILD_ID, event.event_id)
        found.append((view.event.member_count, len(view.members), view.event.waiting_count, len(view.waiting)))
    return found


def _serve(pipe: Connection, folder: str) -> None:
    served.serve(pipe, folder, EVENTBOT, {"events": _events, "compare": _compare, "cpu": _cpu})


# The crowd


@dataclass
class Crowd:
    """Signs as Discord does; every interaction has an id of its own."""

    url: str
    http: Http
    signer: Signer
    serial: int = 0

    def press(self, user: int, verb: str, event: str) -> Post:
        self.serial += 1
        name = f"u{user}"
        member = {"user": {"id": str(10**17 + user), "username": name}, "roles": [], "permissions": "0"}
        body = orjson.dumps(
            {
                "id": str(10**18 + self.serial),
                "type": 3,
                "token": f"token-{self.serial}",
                "guild_id": GUILD_ID,
                "channel_id": RECRUIT,
                "member": member,
                "app_permissions": str(BOT_PERMISSIONS),
                "locale": "ja",
                "message": {"id": "1", "flags": 0},
                "data": {"custom_id": f"e1:{verb}:{event}", "component_type": 2},
            }
        )
        return body, self.signer.headers(body, time.time())

    async def send(self, request: Post) -> tuple[float, dict[str, Any]]:
        took, answer = await served.post(self.http, self.url, request)
        return took, orjson.loads(answer)


async def _steady(crowd: Crowd, events: list[str]) -> tuple[list[float], float]:
    """Fifty people, each pressing as soon as the last press is answered."""
    times: list[float] = []
    until = time.perf_counter() + SECONDS

    async def person(user: int) -> None:
        chance = random.Random(user)
        while time.perf_counter() < until:
            took, _ = await crowd.send(crowd.press(user, chance.choice(VERBS), chance.choice(events)))
            times.append(took)

    started = time.perf_counter()
    await asyncio.gather(*(person(user) for user in range(USERS)))
    return times, time.perf_counter() - started


async def _rush(crowd: Crowd, event: str) -> tuple[list[float], float]:
    """A thousand people at one button."""
    requests = [crowd.press(1_000 + user, "join", event) for user in range(RUSH)]
    started = time.perf_counter()
    answered = await asyncio.gather(*(crowd.send(request) for request in requests))
    return [took for took, _ in answered], time.perf_counter() - started


def _row(what: str, times: list[float], seconds: float, cpu_seconds: float) -> list[str]:
    slowest = statistics.quantiles(times, n=100)[98]
    typical = statistics.median(times)
    return [
        what,
        number(len(times)),
        number(len(times) / seconds),
        f"{typical:.1f}",
        f"{slowest:.1f}",
        f"{max(times):.0f}",
        f"{1000 * cpu_seconds / len(times):.2f}",
    ]


async def _measure(port: int, pipe: Connection, folder: Path) -> None:
    http = Http(Limits(connections=RUSH, connect_seconds=10.0, answer_seconds=60.0, idle_seconds=30.0))
    signer = Signer(served.settings(folder).secrets.key("eventbot-discord"))
    crowd = Crowd(f"http://127.0.0.1:{port}/eventbot/interactions", http, signer)
    events = await told(pipe, "events")
    before = await told(pipe, "cpu")
    steady = await _steady(crowd, events[:-1])
    between = await told(pipe, "cpu")
    rush = await _rush(crowd, events[-1])
    after = await told(pipe, "cpu")
    compared = await told(pipe, "compare")
    http.close()
    rows = [
        _row(f"{USERS} people, {EVENTS} events", *steady, between - before),
        _row(f"{RUSH:,} joins at once, {PLACES} places", *rush, after - between),
    ]
    heads = ["interactions", "answered", "a second", "median ms", "p99 ms", "slowest ms", "CPU ms each"]
    print(table(heads, rows))
    large = next((one for one in compared if one[0] > 6), (0, 0, 0, 0))
    agree = all(one[0] == one[1] and one[2] == one[3] for one in compared)
    print(f"\nAfter the rush: {large[1]} members, {large[3]} waiting; counters {'agree' if agree else 'DIFFER'}.")
    if not agree or (large[1], large[3]) != (PLACES, RUSH - PLACES):
        raise SystemExit("the counters do not agree with the members")


def run() -> None:
    from bench import eventbot_pair

    served.measure(_serve, _measure)
    eventbot_pair.run()


def main() -> None:
    run()


if __name__ == "__main__":
    main()
