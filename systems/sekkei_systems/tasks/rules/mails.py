"""The mails that go out. Each is in both languages: nobody knows yet which one the reader speaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape

from sekkei.texts import LANGUAGES
from sekkei_systems.tasks.design import Role, Task
from sekkei_systems.tasks.rules.agenda import lateness
from sekkei_systems.tasks.rules.filters import Late
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
