"""Which Discord the bot talks to: the real one when a token is set, else the fake of `sekkei-fakes`.

SEKKEI_DISCORD_APPLICATION_ID   the application's id
SEKKEI_DISCORD_PUBLIC_KEY       its public key; signatures are checked against it
SEKKEI_DISCORD_BOT_TOKEN        the bot's token
SEKKEI_DISCORD_CLIENT_SECRET    the application's secret: organisers sign in by Discord (optional)
SEKKEI_DISCORD_API_URL          another address of the API, for tests
SEKKEI_SCHEDULE_TARGET, _ROLE, SEKKEI_SCHEDULE_REGION   reminders through EventBridge Scheduler
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from starlette.routing import BaseRoute

from sekkei.clock import SYSTEM
from sekkei.runtime.aws.eventbridge import EventBridgeSchedules
from sekkei.runtime.fakes import fake
from sekkei.runtime.http import LIMITS, Http
from sekkei.runtime.schedules import Schedules
from sekkei.runtime.settings import Settings
from sekkei.runtime.system import Context
from sekkei_systems.eventbot.ports.discord.oauth import OAuth
from sekkei_systems.eventbot.ports.discord.rest import API_URL, WAIT_SECONDS_MAX, Rest, over_http
from sekkei_systems.eventbot.ports.discord.signature import Verifier
from sekkei_systems.eventbot.rules.identifiers import is_snowflake

_CONNECTIONS = 200
"""More than one process has under way at once: what hangs takes no connection from anybody else."""
_REQUIRED = ("discord_application_id", "discord_public_key", "discord_bot_token")


class OwnDiscord(Protocol):
    """A fake Discord that stands in this process (`sekkei_fakes.discord`)."""

    application_id: str
    token: str
    public_key: str
    send: Any

    def routes(self, given: Any) -> list[BaseRoute]:
        """The simulator's pages."""
        ...


@dataclass(frozen=True, slots=True)
class Gateway:
    """The bot's connections. `own` is there only where no Discord is set up."""

    rest: Rest
    verifier: Verifier
    application_id: str
    own: OwnDiscord | None
    oauth: OAuth | None
    """Sign-in by Discord, where it is set up."""


def connect(context: Context) -> Gateway:
    settings = context.settings
    # A clock that stands still is not waited for: whatever is early comes back later.
    wait_max = WAIT_SECONDS_MAX if context.clock is SYSTEM else 0.0
    _must_be_whole(settings)
    token = settings.get("discord_bot_token")
    if not token:
        own: OwnDiscord = fake("discord")(context, _redirect(settings))
        rest = Rest(own.send, own.token, own.application_id, settings.public_url, context.clock, wait_max=wait_max)
        asking = f"{settings.public_url}/eventbot/simulator/authorise"
        oauth = OAuth(own.send, own.application_id, own.token, asking, _redirect(settings), rest.agent)
        return Gateway(rest, Verifier(own.public_key), own.application_id, own, oauth)
    application_id = settings.get("discord_application_id")
    if not is_snowflake(application_id):
        raise ValueError("SEKKEI_DISCORD_APPLICATION_ID must be the number on the application's page.")
    url = settings.get("discord_api_url", API_URL).rstrip("/")
    send = over_http(Http(LIMITS._replace(connections=_CONNECTIONS)), url)
    rest = Rest(send, token, application_id, settings.public_url, context.clock, wait_max=wait_max)
    secret = settings.get("discord_client_secret")
    asking = f"{url.partition('/api/')[0]}/oauth2/authorize"
    by_discord = OAuth(send, application_id, secret, asking, _redirect(settings), rest.agent) if secret else None
    return Gateway(rest, Verifier(settings.get("discord_public_key")), application_id, None, by_discord)


def _redirect(settings: Settings) -> str:
    return f"{settings.public_url}/eventbot/discord/callback"


def _must_be_whole(settings: Settings) -> None:
    """Half set up would mean reminders that nobody gets, marked as sent: with one of them set, all must be."""
    given = {name: settings.get(name) for name in _REQUIRED}
    missing = [f"SEKKEI_{name.upper()}" for name, value in given.items() if not value]
    further = settings.get("discord_api_url") or settings.get("discord_client_secret")
    if missing and (any(given.values()) or further):
        raise ValueError(f"The event bot is half set up. Set {', '.join(missing)} too, or nothing of SEKKEI_DISCORD_*.")


def schedules_of(context: Context) -> Schedules:
    """EventBridge where it is set up, else our own."""
    settings = context.settings
    target, role = settings.get("schedule_target"), settings.get("schedule_role")
    if bool(target) != bool(role):
        raise ValueError("Set SEKKEI_SCHEDULE_TARGET and SEKKEI_SCHEDULE_ROLE together, or neither.")
    if not target:
        return context.schedules
    region = settings.get("schedule_region", "ap-northeast-1")
    return EventBridgeSchedules(context.system, region, target, role, Http(), context.clock)
