"""What people are told on their phones, whether they want to hear it, and when: without a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from sekkei_systems import days
from sekkei_systems.q.design.models import Notice, PushToken, ReactionType, User
from sekkei_systems.q.design.models import NoticeKind as NoticeKind
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.texts import say

OFFICIAL = (NoticeKind.DECISION, NoticeKind.OUTCOME)
TEXT_MAX = 300
"""Code points of a message's text. Expo takes 4,096 bytes with everything; emoji of several parts are long."""
KEPT_SECONDS = 6 * 3600
PUSH = "push"
"""The kind of message that goes to phones."""
WEB_PUSH = "web-push"
"""The kind of message that goes to browsers."""
NOT_THEIRS = "not theirs any more"
GONE = "gone"
"""What a message is called that went nowhere: the device is with somebody else, or has the app no longer."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """Which notices somebody wants, and between which hours none."""

    question: bool
    reaction: bool
    follow: bool
    digest: bool
    quiet_from: time | None
    quiet_until: time | None


def wishes_of(user: User) -> Wishes:
    return Wishes(
        user.notify_question,
        user.notify_reaction,
        user.notify_follow,
        user.notify_digest,
        user.quiet_from,
        user.quiet_until,
    )


def is_wanted(user: User, kind: NoticeKind) -> bool:
    """What moderators decided is told in any case."""
    return bool(getattr(wishes_of(user), kind.value, True))


def is_still_for(user: User, kind: str) -> bool:
    """Whether what has waited is told after all. Being locked out keeps word of a decision from nobody."""
    return NoticeKind(kind) in OFFICIAL or (is_present(user) and is_wanted(user, NoticeKind(kind)))


def quiet_left(user: User, now: datetime) -> timedelta:
    """How long the quiet hours go on, if they are now; they may go past midnight. Both in Japan's time."""
    first, last = user.quiet_from, user.quiet_until
    if first is None or last is None or first == last:
        return timedelta()
    local = now.astimezone(days.JST)
    at = local.time()
    is_quiet = first <= at < last if first < last else at >= first or at < last
    if not is_quiet:
        return timedelta()
    ends = local.replace(hour=last.hour, minute=last.minute, second=0, microsecond=0)
    return (ends if ends > local else ends + timedelta(days=1)) - local


def _message(kind: NoticeKind, text: str, data: Mapping[str, Any], collapse: str) -> dict[str, Any]:
    return {
        "title": "Q.",
        "body": text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]}…",
        "data": dict(data),
        "sound": "default",
        "channelId": kind.value,
        "collapseId": collapse,
        "ttl": KEPT_SECONDS,
    }


def for_browser(device: PushToken, message: Mapping[str, Any]) -> dict[str, Any]:
    """The same message for a browser: what its worker shows, and whose it is, so that nobody else is shown it."""
    return {
        "channelId": message["channelId"],
        "user": device.user_id,
        "keys": {"p256dh": device.p256dh, "auth": device.auth},
        "ttl": message["ttl"],
        "topic": message["collapseId"],
        "urgency": "high" if message["channelId"] == NoticeKind.QUESTION.value else "normal",
        "payload": {
            "for": device.user_id,
            "title": message["title"],
            "body": message["body"],
            "url": message["data"]["url"],
            "tag": message["collapseId"],
        },
    }


def new_question(day: date, text: str) -> dict[str, Any]:
    """The day is what collapses: a message that arrives twice is shown once."""
    return _message(NoticeKind.QUESTION, text, {"day": day.isoformat(), "url": "/q/"}, day.isoformat())


def new_reaction(day: date, by: User, kind: ReactionType, language: str) -> dict[str, Any]:
    text = say(language, "notice.reaction", name=_name(by, language), emoji=kind.value)
    return _message(NoticeKind.REACTION, text, {"day": day.isoformat(), "url": "/q/"}, f"reactions-{day}")


def new_follower(by: User, language: str) -> dict[str, Any]:
    text = say(language, "notice.follower", name=_name(by, language))
    return _message(NoticeKind.FOLLOW, text, {"url": "/q/#/people"}, "followers")


def new_request(by: User, language: str) -> dict[str, Any]:
    text = say(language, "notice.request", name=_name(by, language))
    return _message(NoticeKind.FOLLOW, text, {"url": "/q/#/people"}, "requests")


def accepted(by: User, language: str) -> dict[str, Any]:
    text = say(language, "notice.accepted", name=_name(by, language))
    return _message(NoticeKind.FOLLOW, text, {"url": f"/q/#/u/{by.user_id}"}, "accepted")


def weekly_digest(until: date, total: int, kinds: Mapping[ReactionType, int], language: str) -> dict[str, Any]:
    marks = " ".join(f"{kind.value}{count}" for kind, count in kinds.items())
    text = say(language, "notice.digest", n=total, marks=marks)
    return _message(NoticeKind.DIGEST, text, {"url": "/q/#/me"}, f"digest-{until}")


def words_of(notice: Notice, by: User | None, language: str) -> str:
    """What the inbox says, about somebody as the reader sees them."""
    name = _name(by, language) if by is not None else say(language, "notice.somebody")
    return say(language, notice.said, **{**(notice.values or {}), "name": name})


def official(notice: Notice, language: str) -> dict[str, Any]:
    """Word of a moderator's decision, for a device."""
    return _message(notice.kind, words_of(notice, None, language), {"url": notice.url}, notice.notice_id)


def official_mail(notice: Notice, public_url: str, language: str) -> dict[str, str]:
    said = words_of(notice, None, language)
    reason = (notice.values or {}).get("reason", "")
    why = say(language, "notice.mail.reason", reason=reason) if reason else ""
    text = say(language, "notice.mail.text", said=said, reason=why, url=f"{public_url}{notice.url}")
    return {"subject": say(language, "notice.mail.subject", said=said), "text": text}


def _name(user: User, language: str) -> str:
    return user.display_name or user.username or user.app_id or say(language, "notice.somebody")
