"""The bot's slash commands as Discord registers them. Registered on deploy, not at start; names and words are texts."""

from __future__ import annotations

from typing import Any

from sekkei_systems.eventbot.texts import say

Payload = dict[str, Any]
_SUBCOMMAND, STRING, INTEGER, BOOLEAN, CHANNEL, ROLE = 1, 3, 4, 5, 7, 8
_TEXT_CHANNELS = [0, 5]
GUILD_ONLY = {"type": 1, "contexts": [0], "integration_types": [0]}
LANGUAGES = [{"name": "日本語", "value": "ja"}, {"name": "English", "value": "en"}]
EVENT = {"event": {"type": STRING, "required": True, "autocomplete": True}}

SETTINGS: dict[str, Payload] = {
    "recruit": {"type": CHANNEL, "channel_types": _TEXT_CHANNELS},
    "notice": {"type": CHANNEL, "channel_types": _TEXT_CHANNELS},
    "organiser": {"type": ROLE},
    "attendee": {"type": ROLE},
    "creator": {"type": ROLE},
    "member": {"type": ROLE},
    "remind": {"type": INTEGER, "min_value": 0, "max_value": 10080},
    "language": {"type": STRING, "choices": LANGUAGES},
    "zone": {"type": STRING},
    "thread": {"type": BOOLEAN},
    "mirror": {"type": BOOLEAN},
    "one_notice": {"type": BOOLEAN},
}
_TREE: dict[str, dict[str, dict[str, Payload]]] = {
    "event": {
        "create": {"template": {"type": STRING, "autocomplete": True}, "ping": {"type": ROLE}},
        "list": {},
        "mine": {},
        "past": {},
        "show": EVENT,
        "manage": EVENT,
        "notify": {"dm": {"type": BOOLEAN, "required": True}},
        "settings": SETTINGS,
        "web": {},
        "help": {},
    },
    "notice": {"create": EVENT, "list": EVENT},
}
"""Commands, their subcommands, and the options of these."""


def _named(*path: str, **more: Any) -> Payload:
    key = f"command.{'.'.join(path)}"
    return {
        "name": path[-1],
        "name_localizations": {"ja": say("ja", key)},
        "description": say("en", f"{key}.about"),
        "description_localizations": {"ja": say("ja", f"{key}.about")},
        **more,
    }


def _subcommand(command: str, name: str, options: dict[str, Payload]) -> Payload:
    listed = [_named(command, name, option, **shape) for option, shape in options.items()]
    return _named(command, name, type=_SUBCOMMAND, options=listed)


COMMANDS: list[Payload] = [
    _named(command, **GUILD_ONLY, options=[_subcommand(command, name, options) for name, options in subs.items()])
    for command, subs in _TREE.items()
]
