"""The simulator's page and what its script asks for. In a demo on one's own machine only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
import orjson
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sekkei.clock import Clock
from sekkei.runtime.live import Live
from sekkei.runtime.refusals import Invalid, NotThere
from sekkei.web.live import sse
from sekkei.web.rendering import page
from sekkei.web.texts import language_of
from sekkei_systems.eventbot.local import world
from sekkei_systems.eventbot.local.client import AppClient, Outcome
from sekkei_systems.eventbot.local.delivery import deliver
from sekkei_systems.eventbot.local.design import LocalMessage
from sekkei_systems.eventbot.local.discord import TOPIC, Fault, LocalDiscord
from sekkei_systems.eventbot.ports.discord.signature import Signer
from sekkei_systems.eventbot.rules.registration import COMMANDS

ADVANCE_SECONDS_MAX = 40 * 24 * 3600
Text = Annotated[str, Meta(max_length=4000)]
Id = Annotated[str, Meta(max_length=40, pattern="^[0-9]+$")]


class NoSimulator(NotThere): ...


class ClockFixed(NotThere): ...


class Act(msgspec.Struct):
    """Somebody does something."""

    person: Id
    channel: Id
    kind: Literal["command", "complete", "press", "submit", "say"]
    words: Text = ""
    options: dict[str, Any] = {}
    message: Id | None = None
    custom_id: Text = ""
    values: dict[str, Text] = {}


class NewFault(msgspec.Struct):
    kind: Literal["rate", "global", "error", "forbidden", "gone", "none"]
    count: Annotated[int, Meta(ge=1, le=50)] = 1
    seconds: Annotated[float, Meta(ge=0, le=120)] = 3.0


class Advance(msgspec.Struct):
    seconds: Annotated[int, Meta(ge=1, le=ADVANCE_SECONDS_MAX)]


class Simulator:
    """Routes below /eventbot/simulator."""

    def __init__(
        self, local: LocalDiscord, signer: Signer, application_id: str, clock: Clock, live: Live, url: str
    ) -> None:
        self._local, self._signer, self._application_id = local, signer, application_id
        self._clock, self._live, self._url = clock, live, url

    def routes(self) -> list[Route]:
        return [
            Route("/simulator", self.show, methods=["GET"], name="simulator"),
            Route("/simulator/state", self.state, methods=["GET"]),
            Route("/simulator/act", self.act, methods=["POST"]),
            Route("/simulator/fault", self.fault, methods=["POST"]),
            Route("/simulator/clock", self.advance, methods=["POST"]),
            Route("/simulator/live", self.live, methods=["GET"]),
        ]

    def _check(self, request: Request) -> None:
        if not request.app.state.shell.demo_allowed(request):
            raise NoSimulator()

    async def show(self, request: Request) -> Response:
        self._check(request)
        config = {
            "guild": {"id": world.GUILD_ID, "name": world.GUILD_NAME},
            "channels": [{"id": id, "name": name} for id, name in world.CHANNELS.items()],
            "people": [
                {"id": one.id, "name": one.name, "organiser": one.permissions != world.EVERYBODY or bool(one.roles)}
                for one in world.PEOPLE.values()
            ],
            "roles": [
                {"id": world.ORGANISER_ROLE, "name": "主催者"},
                {"id": world.ATTENDEE_ROLE, "name": "参加者"},
            ],
            "commands": _commands(),
            "movable": hasattr(self._clock, "advance"),
        }
        return page(request, "eventbot/simulator.html", config=config)

    async def state(self, request: Request) -> Response:
        """A channel as one person sees it."""
        self._check(request)
        channel, person = request.query_params.get("channel", ""), request.query_params.get("person", "")
        if channel not in world.CHANNELS or person not in world.PEOPLE:
            raise NotThere()
        messages = await self._local.messages(channel, person)
        return _json(
            {
                "now": self._clock.now(),
                "messages": [_shown(one) for one in messages],
                "threads": dict(await self._local.things("thread")),
                "log": list(self._local.log)[:20],
                "faults": [{"kind": one.kind, "count": one.count} for one in self._local.faults],
            }
        )

    async def act(self, request: Request) -> Response:
        self._check(request)
        act = await _body(request, Act)
        person = world.PEOPLE.get(act.person)
        if person is None or act.channel not in world.CHANNELS:
            raise NotThere()
        app = request.app

        async def send(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
            return await deliver(app, self._url, "/eventbot/interactions", body, headers)

        locale = "ja" if language_of(request) == "ja" else "en-US"
        client = AppClient(self._local, self._signer, send, self._application_id, self._clock, locale)
        outcome = await self._perform(client, person, act)
        self._live.publish(TOPIC, "changed")
        return _json(
            {
                "ok": outcome.ok,
                "reason": outcome.reason,
                "modal": outcome.modal,
                "choices": outcome.choices,
                "message": outcome.message_id,
                "private": outcome.private,
            }
        )

    async def _perform(self, client: AppClient, person: world.Person, act: Act) -> Outcome:
        if act.kind == "say":
            if not act.words.strip():
                raise Invalid(field="words")
            await self._local.prepare()
            posted = await self._local.post(act.channel, {"content": act.words[:2000]}, author=person.id)
            return Outcome(True, message_id=posted.message_id)
        if act.kind == "command":
            return await client.command(person, act.channel, act.words, act.options)
        if act.kind == "complete":
            return await client.complete(person, act.channel, act.words, act.options)
        if act.kind == "press" and act.message is not None:
            return await client.press(person, act.channel, act.message, act.custom_id)
        if act.kind == "submit":
            return await client.submit(person, act.channel, act.custom_id, act.values, act.message)
        raise Invalid(field="message")

    async def fault(self, request: Request) -> Response:
        """The next requests of the bot go wrong."""
        self._check(request)
        new = await _body(request, NewFault)
        if new.kind == "none":
            self._local.faults.clear()
        else:
            self._local.faults.append(Fault(new.kind, new.count, new.seconds))
        self._live.publish(TOPIC, "changed")
        return _json({"faults": len(self._local.faults)})

    async def advance(self, request: Request) -> Response:
        """Only a clock that is moved by hand can be moved."""
        self._check(request)
        by = await _body(request, Advance)
        move = getattr(self._clock, "advance", None)
        if move is None:
            raise ClockFixed()
        move(by.seconds)
        self._live.publish(TOPIC, "changed")
        return _json({"now": self._clock.now()})

    async def live(self, request: Request) -> Response:
        self._check(request)
        return sse(request, self._live, TOPIC)


def _json(content: Any) -> Response:
    return Response(orjson.dumps(content), media_type="application/json", headers={"Cache-Control": "no-store"})


async def _body(request: Request, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Invalid() from None


def _shown(message: LocalMessage) -> dict[str, Any]:
    return {
        "id": message.message_id,
        "author": message.author,
        "body": orjson.loads(message.body),
        "private": message.seen_by is not None,
        "thinking": message.thinking,
        "at": message.at.timestamp(),
        "edited": message.edited_at.timestamp() if message.edited_at else None,
    }


def _commands() -> list[dict[str, Any]]:
    """Every subcommand with its Japanese names, as the app lists them."""
    found = []
    for command in COMMANDS:
        for sub in command["options"]:
            found.append(
                {
                    "words": f"{command['name']} {sub['name']}",
                    "shown": f"/{command['name_localizations']['ja']} {sub['name_localizations']['ja']}",
                    "about": sub["description_localizations"]["ja"],
                    "options": [
                        {
                            "name": option["name"],
                            "label": option["name_localizations"]["ja"],
                            "about": option["description_localizations"]["ja"],
                            "type": option["type"],
                            "required": option.get("required", False),
                            "autocomplete": option.get("autocomplete", False),
                            "choices": option.get("choices", []),
                        }
                        for option in sub["options"]
                    ],
                }
            )
    return found
