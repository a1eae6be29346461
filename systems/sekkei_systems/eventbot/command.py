"""`sekkei eventbot register`: tell Discord which commands the bot has. `discord`: a strict Discord of one's own."""

from __future__ import annotations

import argparse
import asyncio
import sys

import orjson

from sekkei.commands import OK, CouldNotRun

SUMMARY = "Event bot: register its commands with Discord, or run a strict Discord of your own to try it on."

EXAMPLES = """\
examples:
  sekkei eventbot register --guild 123456789        in one server, where they appear at once
  sekkei eventbot register                          everywhere; Discord takes up to an hour
  sekkei eventbot register --dry-run                print what would be sent, as JSON
  sekkei eventbot discord --port 8900               a local Discord over HTTP; it prints the settings for the bot

Registering reads SEKKEI_DISCORD_APPLICATION_ID, SEKKEI_DISCORD_BOT_TOKEN and, for another Discord than the real one,
SEKKEI_DISCORD_API_URL from the environment, never from the command line.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("register", "discord"))
    parser.add_argument("--guild", metavar="ID", help="only in this server")
    parser.add_argument("--dry-run", action="store_true", help="send nothing; print the commands as JSON")
    parser.add_argument("--port", type=int, default=8900, help="of the local Discord; 0 for any that is free")


def run(arguments: argparse.Namespace) -> int:
    from sekkei_systems.eventbot.rules.identifiers import is_snowflake
    from sekkei_systems.eventbot.webhooks.commands import COMMANDS

    if arguments.what == "discord":
        return _discord(arguments.port)
    if arguments.guild is not None and not is_snowflake(arguments.guild):
        raise CouldNotRun(f"{arguments.guild!r} is no server's id: copy it from Discord with developer mode on")
    if arguments.dry_run:
        sys.stdout.write(orjson.dumps(COMMANDS, option=orjson.OPT_INDENT_2).decode() + "\n")
        return OK
    return asyncio.run(_register(arguments.guild))


async def _register(guild_id: str | None) -> int:
    from sekkei.clock import SYSTEM
    from sekkei.runtime.http import Http
    from sekkei.runtime.settings import from_environment
    from sekkei_systems.eventbot.ports.discord.rest import API_URL, DiscordError, Rest, over_http
    from sekkei_systems.eventbot.webhooks.commands import COMMANDS

    settings = from_environment()
    token, application_id = settings.get("discord_bot_token"), settings.get("discord_application_id")
    if not token or not application_id:
        raise CouldNotRun("set SEKKEI_DISCORD_BOT_TOKEN and SEKKEI_DISCORD_APPLICATION_ID first")
    http = Http()
    send = over_http(http, settings.get("discord_api_url", API_URL).rstrip("/"))
    try:
        made = await Rest(send, token, application_id, settings.public_url, SYSTEM).overwrite_commands(
            COMMANDS, guild_id
        )
    except DiscordError as error:
        raise CouldNotRun(f"Discord refused: {error}") from error
    finally:
        http.close()
    print(f"{len(made)} commands are registered {'in server ' + guild_id if guild_id else 'everywhere'}.")
    return OK


def _discord(port: int) -> int:
    from sekkei.runtime.fakes import fake

    fake("discord-server")(port)
    return OK
