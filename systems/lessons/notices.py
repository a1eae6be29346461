"""What people are told, in the channels they chose: a place is free, a lesson begins, changes or is called off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import orjson

from systems.lessons.design import Contact, Lesson, UserLesson
from systems.lessons.links import Links
from systems.lessons.rules import slot_of
from systems.lessons.studios import Studio

WEEKDAYS = "月火水木金土日"
LINE_TEXT_MAX = 5000

Messages = Mapping[str, Mapping[str, Any]]
"""The bodies by message kind (mail, line, push)."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What is said, whatever the channel."""

    title: str
    what: str
    note: str
    label: str
    link: str


class Notices:
    """Builds the messages; the monitor and the alerts write them into the outbox."""

    def __init__(self, links: Links, url: str, studios: list[Studio]) -> None:
        self._links = links
        self._url = url
        self._names = {studio.code: studio.name for studio in studios}

    def opening(self, person: Contact | None, tie: UserLesson, lesson: Lesson) -> Messages:
        """A place became free; one tap takes it."""
        link = f"{self._url}/offers/{self._links.offer(tie.user_id, slot_of(tie))}"
        notice = Notice("空きが出ました", self.words(tie), "早い者勝ちの場合があります。", "予約する", link)
        return _messages(person, notice)

    def reminder(self, person: Contact | None, tie: UserLesson) -> Messages:
        """What is booked begins soon."""
        notice = Notice("まもなくレッスンです", self.words(tie), "お気をつけてお越しください。", *self._open(tie))
        return _messages(person, notice)

    def changed(self, person: Contact | None, tie: UserLesson, lesson: Lesson) -> Messages:
        """Another instructor, or another lesson at the same time."""
        changes = [
            f"{name}: {before} → {after}"
            for name, before, after in (
                ("インストラクター", tie.instructor, lesson.instructor),
                ("レッスン", tie.lesson_name, lesson.lesson_name),
            )
            if before != after
        ]
        notice = Notice("レッスンの内容が変わりました", self.words(lesson), "\n".join(changes), *self._open(tie))
        return _messages(person, notice)

    def called_off(self, person: Contact | None, lesson: Lesson) -> Messages:
        """The lesson does not take place; nobody has to cancel anything."""
        note = "予約とキャンセル待ちは自動で取り消しました。"
        return _messages(person, Notice("休講のお知らせ", self.words(lesson), note, *self._open(lesson)))

    def _open(self, found: UserLesson | Lesson) -> tuple[str, str]:
        return "レッスンを見る", f"{self._url}/lessons/{slot_of(found)}"

    def words(self, tie: UserLesson | Lesson) -> str:
        day = tie.lesson_date
        studio = self._names.get(tie.studio_code, tie.studio_code)
        return (
            f"{day.month}/{day.day}（{WEEKDAYS[day.weekday()]}）{tie.start_time:%H:%M} {studio} "
            f"{tie.lesson_name}（{tie.instructor}）"
        )


def _messages(person: Contact | None, notice: Notice) -> Messages:
    """By message kind. Without a contact there is nobody to tell."""
    if person is None:
        return {}
    text = (
        f"{person.name} さん\n\n{notice.title}。\n\n{notice.what}\n\n{notice.note}\n\n{notice.label}: {notice.link}\n"
    )
    found: dict[str, Mapping[str, Any]] = {}
    if "mail" in person.channels and person.email:
        html = (
            f"<p>{escape(person.name)} さん</p><p>{escape(notice.title)}。</p><p><b>{escape(notice.what)}</b></p>"
            f"<p>{escape(notice.note)}</p>"
            f'<p><a href="{escape(notice.link)}">{escape(notice.label)}</a></p>'
        )
        subject = f"{notice.title}: {notice.what}"
        found["mail"] = {"to": person.email, "subject": subject, "text": text, "html": html}
    if "line" in person.channels and person.line_user_id:
        # As one text, the form that the transport for LINE reads.
        letters = orjson.dumps([{"type": "text", "text": text[:LINE_TEXT_MAX]}]).decode()
        found["line"] = {"to": person.line_user_id, "messages": letters}
    if "push" in person.channels and person.push_token:
        body = {"title": notice.title, "body": notice.what, "data": {"url": notice.link}}
        found["push"] = {"to": person.push_token, **body}
    return found
