"""Two bots, each in a process of its own, on one store behind HTTP, and one Discord for both.

A thousand press «join» on one event of 500 places, half of them at each bot. Both must give the same counts; the
event's message is posted once, no two edits of it are ever under way together, and the last shows the last count.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import tempfile
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import orjson
import uvicorn
import uvloop

from bench.eventbot import PLACES, RUSH, Crowd, _row
from bench.markdown import table
from bench.served import told
from sekkei.clock import SYSTEM
from sekkei.engine.engine import Engine
from sekkei.runtime.http import Http
from sekkei.runtime.live import Live
from sekkei.runtime.settings import Secrets, Settings
from sekkei.store import Embedded, Remote
from sekkei.store.http import Limits
from sekkei.web.application import application
from sekkei.web.server import bind, http_server
from sekkei.wire.server import Server
from sekkei_fakes.discord import demo
from sekkei_fakes.discord.discord import LocalDiscord
from sekkei_fakes.discord.served import API, Served
from sekkei_systems.eventbot.demo import guild
from sekkei_systems.eventbot.ports.discord.rest import RestAnswer
from sekkei_systems.eventbot.ports.discord.signature import Signer
from sekkei_systems.eventbot.rules.drafts import Draft
from sekkei_systems.eventbot.system import SYSTEM as EVENTBOT

SECRET = b"a secret of the benchmark"
TOKEN = "a.token.of-the-benchmark"
SETTLED_SECONDS = 120


class Watched(LocalDiscord):
    """Notes every post and edit, and whether two of one message were under way together."""

    calls: list[tuple[str, str]]
    under_way: dict[str, int]
    together = 0

    async def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> RestAnswer:
        self.under_way[path] = self.under_way.get(path, 0) + 1
        self.together += method == "PATCH" and self.under_way[path] > 1
        try:
            answer = await super().send(method, path, headers, body)
        finally:
            self.under_way[path] -= 1
        if answer.status == 200 and "/messages" in path:
            self.calls.append((method, body.decode()))
        return answer


def _ground(pipe: Connection, folder: str) -> None:
    """The store and the Discord that both bots use."""

    async def run() -> None:
        engine = Engine(Path(folder) / "pair.db")
        wire = Server(engine)
        await wire.start()
        local = Watched(Embedded(), "bench", SYSTEM, Live(), demo.server(), guild.BOT_ID, TOKEN)
        local.calls, local.under_way = [], {}
        socket = bind("127.0.0.1", 0)
        app = Served(local, Signer(SECRET.ljust(32)[:32]), SYSTEM, Http()).application()
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        serving = asyncio.create_task(server.serve([socket]))
        pipe.send((wire.port, socket.getsockname()[1]))
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(None, pipe.recv) != "stop":
            pipe.send((local.calls, local.together))
        server.should_exit = True
        await serving
        await wire.stop()
        engine.close()

    uvloop.run(run())


def _bot(pipe: Connection, folder: str, store_port: int, discord_port: int) -> None:
    # Late answers go to tokens that the crowd made up, which this Discord rightly refuses.
    logging.disable(logging.CRITICAL)

    async def run() -> None:
        store = Remote(endpoint_url=f"http://127.0.0.1:{store_port}", credentials=("local", "local"))
        values = {
            "rate_limit": "off",
            "discord_application_id": guild.BOT_ID,
            "discord_public_key": Signer(SECRET.ljust(32)[:32]).public_key,
            "discord_bot_token": TOKEN,
            "discord_api_url": f"http://127.0.0.1:{discord_port}{API}",
        }
        settings = Settings(data=Path(folder), env="bench", secrets=Secrets(SECRET), values=values)
        socket = bind("127.0.0.1", 0)
        app = application([EVENTBOT], store, settings, SYSTEM, loopback=True, work=True)
        server = http_server(app, lambda: pipe.send(socket.getsockname()[1]))
        serving = asyncio.create_task(server.serve([socket]))
        loop = asyncio.get_running_loop()
        while (command := await loop.run_in_executor(None, pipe.recv)) != "stop":
            pipe.send(await _carried_out(app.state.shell.deployment.systems["eventbot"].parts.service, command))
        server.should_exit = True
        await serving
        await store.close()

    uvloop.run(run())


async def _carried_out(service: Any, command: str) -> Any:
    if command == "event":
        host = next(iter(guild.PEOPLE.values())).actor
        draft = Draft("大きな会", start=service.desk.now().replace(microsecond=0).replace(year=2030), capacity=PLACES)
        made = await service.events.create(await service.access.creator(host), draft, guild.RECRUIT)
        return made.event_id[4:]
    [event] = await service.events.of_guild(guild.GUILD_ID)
    view = await service.events.view(guild.GUILD_ID, event.event_id)
    return view.event.member_count, len(view.members), view.event.waiting_count, len(view.waiting)


async def _measure(ground: Connection, bots: list[Connection], ports: list[int]) -> None:
    limits = Limits(connections=RUSH, connect_seconds=10.0, answer_seconds=60.0, idle_seconds=30.0)
    signer, https = Signer(SECRET.ljust(32)[:32]), [Http(limits) for _ in bots]
    urls = [f"http://127.0.0.1:{port}/eventbot/interactions" for port in ports]
    crowds = [Crowd(url, http, signer) for url, http in zip(urls, https, strict=True)]
    event = await told(bots[0], "event")
    posts = []
    for user in range(RUSH):
        crowd = crowds[user % len(crowds)]
        crowd.serial = user  # interactions have ids of their own, whichever bot gets them
        posts.append((crowd, crowd.press(1_000 + user, "join", event)))
    started = time.perf_counter()
    answered = await asyncio.gather(*(crowd.send(post) for crowd, post in posts))
    seconds = time.perf_counter() - started
    heads = ["interactions", "answered", "a second", "median ms", "p99 ms", "slowest ms", "CPU ms each"]
    row = _row(f"{RUSH:,} joins at once, two bots on one store", [took for took, _ in answered], seconds, 0.0)
    print("\n" + table(heads[:-1], [row[:-1]]))
    await _check(ground, bots)
    for http in https:
        http.close()


async def _check(ground: Connection, bots: list[Connection]) -> None:
    """Once the last edit is made, everything agrees."""
    wanted = (PLACES, PLACES, RUSH - PLACES, RUSH - PLACES)
    shown = f"{PLACES}/{PLACES}"
    until = time.perf_counter() + SETTLED_SECONDS
    while True:
        counts = [await told(bot, "compare") for bot in bots]
        calls, together = await told(ground, "calls")
        edits = [body for method, body in calls if method == "PATCH"]
        last = orjson.loads(edits[-1]) if edits else {}
        if counts == [wanted, wanted] and shown in str(last) and f"{RUSH - PLACES}" in str(last):
            break
        if time.perf_counter() > until:
            raise SystemExit(f"the bots do not agree: {counts}, last edit {str(last)[:200]}")
        await asyncio.sleep(0.2)
    posted = [body for method, body in calls if method == "POST" and orjson.loads(body).get("embeds")]
    print(
        f"\nBoth bots: {counts[0][1]} members, {counts[0][3]} waiting; one message, {len(edits)} edits, one at a time."
    )
    if together or len(posted) != 1:
        raise SystemExit(f"{len(posted)} messages, {together} edits at once")


def run() -> None:
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        pipes, processes = [], []
        try:
            ground, there = multiprocessing.Pipe()
            processes.append(context.Process(target=_ground, args=(there, folder), daemon=True))
            processes[-1].start()
            there.close()  # so that one which dies at its start ends the wait
            pipes.append(ground)
            where = ground.recv()
            bots, ports = [], []
            for _ in range(2):
                here, there = multiprocessing.Pipe()
                processes.append(context.Process(target=_bot, args=(there, folder, *where), daemon=True))
                processes[-1].start()
                there.close()
                bots.append(here)
                pipes.append(here)
                ports.append(here.recv())  # one after the other: the first makes the tables
            uvloop.run(_measure(ground, bots, ports))
        finally:
            for pipe in pipes:
                pipe.send("stop")
            for process in processes:
                process.join(10)
                process.terminate()


if __name__ == "__main__":
    run()
