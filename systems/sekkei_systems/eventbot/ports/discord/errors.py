"""What Discord's REST end answers when it does not do what was asked.

DiscordError
├── RateLimited     429, or a bucket of ours that is empty for longer than one waits; `retry_after` says how long
├── Unavailable     no answer, or 5xx: try again later
├── Unauthorised    401: the token is wrong; nothing more is sent until the program starts anew
└── Refused         4xx with Discord's own code: `unknown`, `forbidden` say what it means for the bot
"""

from __future__ import annotations

UNKNOWN_CHANNEL = 10003
UNKNOWN_GUILD = 10004
UNKNOWN_MEMBER = 10007
UNKNOWN_MESSAGE = 10008
UNKNOWN_ROLE = 10011
UNKNOWN_USER = 10013
UNKNOWN_WEBHOOK = 10015
UNKNOWN_INTERACTION = 10062
UNKNOWN_SCHEDULED_EVENT = 10070
TOO_MANY_SCHEDULED_EVENTS = 30038
TOO_MANY_OLD_EDITS = 30046
ALREADY_ACKNOWLEDGED = 40060
MISSING_ACCESS = 50001
NOT_OUR_MESSAGE = 50005
EMPTY_MESSAGE = 50006
CANNOT_DM = 50007
MISSING_PERMISSION = 50013
WRONG_CHANNEL_TYPE = 50024
INVALID_TOKEN = 50027
INVALID_RECIPIENT = 50033
INVALID_FORM = 50035
ARCHIVED_THREAD = 50083
INVALID_JSON = 50109
NO_MUTUAL_GUILD = 50278
THREAD_EXISTS = 160004
LOCKED_THREAD = 160005
FINISHED_EVENT = 180000

POWERFUL_ROLE, RAISED_ROLE, ROLE_ABOVE_BOT = -1, -2, -3
"""Not Discord's but ours: a role with administrative permissions, one that stands above whoever chose it, and one that
stands above the bot, which Discord does not tell from a missing permission."""

FORBIDDEN = frozenset(
    {UNKNOWN_CHANNEL, UNKNOWN_GUILD, MISSING_ACCESS, MISSING_PERMISSION, CANNOT_DM, ARCHIVED_THREAD, LOCKED_THREAD}
)
"""Somebody in the guild has to do something first; trying again alone does not help."""
LOST = frozenset({UNKNOWN_MESSAGE, NOT_OUR_MESSAGE})
"""The message is gone, or was never ours: post another."""
UNREACHABLE = frozenset({UNKNOWN_USER, CANNOT_DM, INVALID_RECIPIENT, NO_MUTUAL_GUILD})
"""Somebody takes no direct messages, or is nobody any more."""
NOT_HERE = frozenset({UNKNOWN_GUILD, UNKNOWN_MEMBER, MISSING_ACCESS})
"""Somebody has left the guild, or the bot was thrown out of it."""
OVER = frozenset({UNKNOWN_WEBHOOK, UNKNOWN_INTERACTION, INVALID_TOKEN, ALREADY_ACKNOWLEDGED})
"""An interaction that can no longer be answered."""


class DiscordError(Exception):
    """Any of them."""


class RateLimited(DiscordError):
    def __init__(self, retry_after: float, scope: str) -> None:
        super().__init__(f"rate limited ({scope}) for {retry_after:.1f} s")
        self.retry_after, self.scope = retry_after, scope


class Unavailable(DiscordError):
    """Nobody answered, or something broke over there."""


class Unauthorised(DiscordError):
    """The bot's token is not accepted."""


class Refused(DiscordError):
    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(f"{status} ({code}): {message}")
        self.status, self.code, self.message = status, code, message
