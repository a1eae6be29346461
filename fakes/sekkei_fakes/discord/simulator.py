"""The simulator's page and what its script asks for. In a demo on one's own machine only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

import msgspec
import orjson
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from sekkei.clock import Clock
from sekkei.kit.typed import Token
from sekkei.runtime.live import Live
from sekkei.runtime.refusals import Invalid, NotThere
from sekkei.web import Events, Html, Pages
from sekkei_fakes.discord import oauth
from sekkei_fakes.discord.client import AppClient, Outcome
from sekkei_fakes.discord.delivery import deliver
from sekkei_fakes.discord.design import LocalMessage
from sekkei_fakes.discord.discord import TOPIC, Fault, LocalDiscord
from sekkei_systems.eventbot.demo import guild
from sekkei_systems.eventbot.ports.discord.signature import Signer
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.webhooks.commands import COMMANDS

pages = Pages()

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
    chosen: Annotated[list[Text], Meta(max_length=25)] | None = None


class NewFault(msgspec.Struct):
    kind: Literal["rate", "global", "error", "forbidden", "gone", "none"]
    count: Annotated[int, Meta(ge=1, le=50)] = 1
    seconds: Annotated[float, Meta(ge=0, le=120)] = 3.0


class Advance(msgspec.Struct):
    seconds: Annotated[int, Meta(ge=1, le=ADVANCE_SECONDS_MAX)]


@dataclass(frozen=True, slots=True)
class Simulator:
    """The local Discord, and the keys of its app."""

    local: LocalDiscord
    signer: Signer
    application_id: str
    clock: Clock
    live: Live
    url: str

    def client(self, app: ASGIApp, locale: str) -> AppClient:
        async def send(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
            return await deliver(app, self.url, "/eventbot/interactions", body, headers)

        return AppClient(self.local, self.signer, send, self.application_id, self.clock, locale)


class Player:
    """Proof that somebody plays on their own machine."""


async def player_of(request: Request) -> Player:
    if not request.app.state.shell.demo_allowed(request):
        raise NoSimulator()
    return Player()


class StateQuery(msgspec.Struct):
    channel: Token = ""
    person: Token = ""


@pages.get("/simulator", name="simulator")
async def show(player: Player, simulator: Simulator, language: str) -> Html:
    server = simulator.local.server
    config = {
        "guild": {"id": guild.GUILD_ID, "name": guild.GUILD_NAME},
        "channels": [{"id": id, "name": name} for id, name in guild.CHANNELS.items()],
        "people": [
            {"id": one.id, "name": one.name, "organiser": one.permissions != guild.EVERYBODY or bool(one.roles)}
            for one in guild.PEOPLE.values()
        ],
        "roles": [{"id": one["id"], "name": one["name"].lstrip("@")} for one in server.guild["roles"]],
        "commands": _commands(language),
        "movable": hasattr(simulator.clock, "advance"),
    }
    return Html("eventbot/simulator.html", config=config)


@pages.get("/simulator/authorise")
async def authorise(request: Request, player: Player, simulator: Simulator) -> Html | Response:
    """Where Discord asks whether the bot may know who somebody is; one of the people says yes."""
    asked = dict(request.query_params)
    person = asked.pop("person", "")
    if not person:
        people = [(one, urlencode({**asked, "person": one.id})) for one in guild.PEOPLE.values()]
        return Html("eventbot/authorise.html", people=people, simulated=True)
    await simulator.local.prepare()
    to = await oauth.grant(simulator.local, asked, person)
    if to is None:
        raise NotThere()
    return RedirectResponse(to, 303)


@pages.get("/simulator/state")
async def state(player: Player, simulator: Simulator, desk: Desk, query: StateQuery) -> Response:
    """A channel as one person sees it."""
    if query.channel not in guild.CHANNELS or query.person not in guild.PEOPLE:
        raise NotThere()
    messages = await simulator.local.messages(query.channel, query.person)
    return _json(
        {
            "now": simulator.clock.now(),
            "zone": (await desk.settings(guild.GUILD_ID)).time_zone,
            "messages": [shown(one) for one in messages],
            "threads": dict(await simulator.local.things("thread")),
            "log": list(simulator.local.log)[:20],
            "faults": [{"kind": one.kind, "count": one.count} for one in simulator.local.faults],
        }
    )


@pages.post("/simulator/act")
async def act(request: Request, player: Player, simulator: Simulator, language: str) -> Response:
    wanted: Act = await _body(request, Act)
    person = guild.PEOPLE.get(wanted.person)
    if person is None or wanted.channel not in guild.CHANNELS:
        raise NotThere()
    client = simulator.client(request.app, "ja" if language == "ja" else "en-US")
    outcome = await performed(simulator.local, client, person, wanted)
    simulator.live.publish(TOPIC, "changed")
    return _json(act_json(outcome))


def act_json(outcome: Outcome) -> dict[str, Any]:
    return {
        "ok": outcome.ok,
        "reason": outcome.reason,
        "modal": outcome.modal,
        "choices": outcome.choices,
        "message": outcome.message_id,
        "private": outcome.private,
    }


async def performed(local: LocalDiscord, client: AppClient, person: guild.Person, act: Act) -> Outcome:
    """What somebody does, done. Raises Invalid."""
    if act.kind == "say":
        if not act.words.strip():
            raise Invalid(field="words")
        await local.prepare()
        posted = await local.post(act.channel, {"content": act.words[:2000]}, author=person.id)
        return Outcome(True, message_id=posted.message_id)
    if act.kind == "command":
        return await client.command(person, act.channel, act.words, act.options)
    if act.kind == "complete":
        return await client.complete(person, act.channel, act.words, act.options)
    if act.kind == "press" and act.message is not None:
        return await client.press(person, act.channel, act.message, act.custom_id, act.chosen)
    if act.kind == "submit":
        return await client.submit(person, act.channel, act.custom_id, act.values, act.message)
    raise Invalid(field="message")


@pages.post("/simulator/fault")
async def fault(request: Request, player: Player, simulator: Simulator) -> Response:
    """The next requests of the bot go wrong."""
    new: NewFault = await _body(request, NewFault)
    if new.kind == "none":
        simulator.local.faults.clear()
    else:
        simulator.local.faults.append(Fault(new.kind, new.count, new.seconds))
    simulator.live.publish(TOPIC, "changed")
    return _json({"faults": len(simulator.local.faults)})


@pages.post("/simulator/clock")
async def advance(request: Request, player: Player, simulator: Simulator) -> Response:
    """Only a clock that is moved by hand can be moved."""
    by: Advance = await _body(request, Advance)
    move = getattr(simulator.clock, "advance", None)
    if move is None:
        raise ClockFixed()
    move(by.seconds)
    simulator.live.publish(TOPIC, "changed")
    return _json({"now": simulator.clock.now()})


@pages.get("/simulator/live")
async def live(player: Player) -> Events:
    return Events(TOPIC)


def _json(content: Any) -> Response:
    return Response(orjson.dumps(content), media_type="application/json", headers={"Cache-Control": "no-store"})


async def _body(request: Request, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Invalid() from None


def shown(message: LocalMessage) -> dict[str, Any]:
    return {
        "id": message.message_id,
        "author": message.author,
        "body": orjson.loads(message.body),
        "private": message.seen_by is not None,
        "pinged": message.pinged,
        "thinking": message.thinking,
        "at": message.at.timestamp(),
        "edited": message.edited_at.timestamp() if message.edited_at else None,
    }


def _commands(language: str) -> list[dict[str, Any]]:
    """Every subcommand with its names, as the app lists them in one language."""
    return [
        {
            "words": f"{command['name']} {sub['name']}",
            "shown": f"/{_name(command, language)} {_name(sub, language)}",
            "about": _about(sub, language),
            "options": [_option(option, language) for option in sub["options"]],
        }
        for command in COMMANDS
        for sub in command["options"]
    ]


def _option(option: dict[str, Any], language: str) -> dict[str, Any]:
    return {
        "name": option["name"],
        "label": _name(option, language),
        "about": _about(option, language),
        "type": option["type"],
        "required": option.get("required", False),
        "autocomplete": option.get("autocomplete", False),
        "choices": option.get("choices", []),
    }


def _name(one: dict[str, Any], language: str) -> str:
    return str(one["name_localizations"].get(language, one["name"]))


def _about(one: dict[str, Any], language: str) -> str:
    return str(one["description_localizations"].get(language, one["description"]))
