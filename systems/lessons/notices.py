"""What people are told, in the channels they chose: a place is free, and one tap takes it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from systems.lessons.design import Contact, Lesson, UserLesson
from systems.lessons.links import Links
from systems.lessons.rules import slot_of
from systems.lessons.studios import Studio

WEEKDAYS = "月火水木金土日"


class Notices:
    """Builds the messages; the monitor writes them into the outbox."""

    def __init__(self, links: Links, url: str, studios: list[Studio]) -> None:
        self._links = links
        self._url = url
        self._names = {studio.code: studio.name for studio in studios}

    def opening(self, person: Contact | None, tie: UserLesson, lesson: Lesson) -> Mapping[str, Mapping[str, Any]]:
        """A place became free. Without a contact there is nobody to tell."""
        if person is None:
            return {}
        link = f"{self._url}/offers/{self._links.offer(tie.user_id, slot_of(tie))}"
        what = self.words(tie)
        text = f"{person.name} さん\n\n空きが出ました。\n\n{what}\n\n予約する: {link}\n\n早い者勝ちの場合があります。"
        found: dict[str, Mapping[str, Any]] = {}
        if "mail" in person.channels and person.email:
            html = (
                f"<p>{escape(person.name)} さん</p><p>空きが出ました。</p><p><b>{escape(what)}</b></p>"
                f'<p><a href="{escape(link)}">予約する</a></p>'
            )
            found["mail"] = {"to": person.email, "subject": f"空きが出ました: {what}", "text": text, "html": html}
        if "line" in person.channels and person.line_user_id:
            found["line"] = {"to": person.line_user_id, "messages": [{"type": "text", "text": text[:5000]}]}
        if "push" in person.channels and person.push_token:
            found["push"] = {"to": person.push_token, "title": "空きが出ました", "body": what, "data": {"url": link}}
        return found

    def words(self, tie: UserLesson | Lesson) -> str:
        day = tie.lesson_date
        studio = self._names.get(tie.studio_code, tie.studio_code)
        return (
            f"{day.month}/{day.day}（{WEEKDAYS[day.weekday()]}）{tie.start_time:%H:%M} {studio} "
            f"{tie.lesson_name}（{tie.instructor}）"
        )
