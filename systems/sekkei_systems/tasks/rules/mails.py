"""The mails that go out, in both languages: nobody knows yet which one the reader speaks. And reports of those that
come back."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from email.message import EmailMessage
from email.utils import parseaddr
from html import escape
from typing import Any

from sekkei.texts import LANGUAGES
from sekkei_systems.tasks.design import Role, Task
from sekkei_systems.tasks.rules.filters import Late, lateness
from sekkei_systems.tasks.texts import say

SHOWN_MAX = 30
Mail = dict[str, str]


def invitation(inviter: str, team: str, role: Role, link: str, until: str) -> Mail:
    invited = "invitation-mail.as-admin" if role is Role.ADMIN else "invitation-mail.as-member"
    lines = [
        words
        for language in LANGUAGES
        for words in (
            say(language, invited, inviter=inviter, team=team),
            say(language, "invitation-mail.until", until=until),
        )
    ]
    ending = [say(language, "invitation-mail.ignore") for language in LANGUAGES]
    html = _paragraphs(lines) + f"<p>{_link(link, _both('invitation-mail.join'))}</p>" + _paragraphs(ending)
    text = "\n".join([*lines, "", link, "", *ending])
    return {"subject": _both("invitation-mail.subject", team=team), "text": text, "html": html}


def digest(name: str, late: Sequence[Task], teams: Mapping[str, str], today: date, url: str, stop: str) -> Mail:
    """What of somebody's work is late, with a link that stops these mails."""
    shown, rest = late[:SHOWN_MAX], len(late) - SHOWN_MAX
    head = [say(language, "digest-mail.head", name=name, today=today.isoformat()) for language in LANGUAGES]
    rows = [(_row(task, today, teams), f"{url}/teams/{task.team_id}/tasks/{task.task_id}") for task in shown]
    more = [_both("digest-mail.more", n=rest)] if rest > 0 else []
    ending = _both("digest-mail.stop")
    text = "\n".join([*head, "", *(f"- {words}\n  {link}" for words, link in rows), *more, "", f"{ending}: {stop}"])
    items = "".join(f"<li>{_link(link, words)}</li>" for words, link in rows)
    html = f"{_paragraphs(head)}<ul>{items}</ul>{_paragraphs(more)}<p>{_link(stop, ending)}</p>"
    return {"subject": _both("digest-mail.subject", n=len(late)), "text": text, "html": html}


def _row(task: Task, today: date, teams: Mapping[str, str]) -> str:
    """The title, the team, and how late it is to finish or to start."""
    finish = lateness(task, today) is Late.FINISH
    day = task.end if finish else task.start
    assert day is not None
    key = "digest-mail.end" if finish else "digest-mail.start"
    return f"{task.title}（{teams.get(task.team_id, '')}・{_both(key, day=f'{day:%m/%d}', n=(today - day).days)}）"


def _both(key: str, **values: object) -> str:
    return " / ".join(say(language, key, **values) for language in LANGUAGES)


def _paragraphs(lines: Sequence[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _link(address: str, words: str) -> str:
    return f'<a href="{escape(address)}">{escape(words)}</a>'


# Which addresses a report says mail does not reach: reports of Amazon SES, and those of mail servers (RFC 3464).


BOUNCE, COMPLAINT = "bounce", "complaint"


@dataclass(frozen=True, slots=True)
class Report:
    """One address, and why nothing is to be sent there any more."""

    email: str
    reason: str
    detail: str = ""


def from_ses(event: Mapping[str, Any]) -> list[Report]:
    """Of a notification (`notificationType`) or a published event (`eventType`). A full mailbox is no reason: only what
    is permanent counts, and complaints."""
    kind = event.get("notificationType") or event.get("eventType")
    if kind == "Bounce" and _of(event, "bounce").get("bounceType") == "Permanent":
        found = _of(event, "bounce").get("bouncedRecipients")
        return [Report(one, BOUNCE, words) for one, words in _recipients(found, "diagnosticCode")]
    if kind == "Complaint":
        about = _of(event, "complaint")
        if about.get("complaintFeedbackType") == "not-spam":
            return []
        return [Report(one, COMPLAINT, words) for one, words in _recipients(about.get("complainedRecipients"), "")]
    return []


def _of(event: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = event.get(name)
    return found if isinstance(found, dict) else {}


def _recipients(listed: Any, detail: str) -> list[tuple[str, str]]:
    given = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    pairs = [(_address(str(one.get("emailAddress", ""))), str(one.get(detail, ""))) for one in given]
    return [(address, words) for address, words in pairs if address]


def from_dsn(content: bytes) -> list[Report]:
    """Of the mail that a server sends back: every recipient whose action is `failed`, with a permanent status (5.x)."""
    mail = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    found: list[Report] = []
    for part in mail.walk():
        if part.get_content_type() != "message/delivery-status":
            continue
        for group in part.get_payload():
            fields = {name.lower(): str(value) for name, value in group.items()}  # type: ignore[union-attr]
            permanent = fields.get("status", "").strip().startswith("5")
            if fields.get("action", "").strip().lower() == "failed" and permanent:
                address = _address(fields.get("final-recipient", "").partition(";")[2])
                found += [Report(address, BOUNCE, fields.get("diagnostic-code", ""))] if address else []
    return found


def _address(text: str) -> str:
    """In the one form in which addresses are compared."""
    found = parseaddr(text.strip())[1].lower()
    return found if "@" in found and len(found) <= 254 else ""
