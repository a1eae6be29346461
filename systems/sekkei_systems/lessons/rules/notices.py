"""What people are told, in the channels and the language they chose: a place is free, a lesson begins or changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from html import escape
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei.runtime import days
from sekkei.runtime.settings import Settings
from sekkei_systems.days import JST
from sekkei_systems.lessons.design import COPIED, Contact, Lesson, TieKind, UserLesson, copies_of
from sekkei_systems.lessons.rules.links import Links
from sekkei_systems.lessons.rules.slots import slot_of
from sekkei_systems.lessons.rules.studios import Studios
from sekkei_systems.lessons.texts import say

LINE_UNITS_MAX = 5000
_LISTED_MAX = 10
TOPICS = ("opening", "reminder", "change", "search")
"""What one may be told of; a contact has those it does not want in `muted`."""
Messages = Mapping[str, Mapping[str, Any]]
"""The bodies by message kind (mail, line, push, webhook)."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What is said, whatever the channel."""

    topic: str
    title: str
    what: str
    note: str
    label: str
    link: str


@dataclass
class Notices:
    """Builds the messages; whoever has something to tell writes them into the outbox."""

    links: Links
    settings: Settings
    studios: Studios
    clock: Clock

    @property
    def url(self) -> str:
        return f"{self.settings.public_url}/lessons"

    def _name(self, studio_code: str) -> str:
        return next((studio.name for studio in self.studios if studio.code == studio_code), studio_code)

    def opening(self, person: Contact | None, tie: UserLesson, lesson: Lesson) -> Messages:
        """A place became free; one tap takes it."""
        language = _language_of(person)
        note = say(language, "notice.opening.note")
        if tie.offer_until is not None:
            note = say(language, "notice.opening.held", until=f"{tie.offer_until.astimezone(JST):%H:%M}")
        link = self._tap(tie, tie.waitlist_id)
        notice = Notice(
            "opening",
            say(language, "notice.opening"),
            self.words(lesson, person),
            note,
            say(language, "notice.opening.label"),
            link,
        )
        return self._messages(person, notice)

    def reminder(self, person: Contact | None, tie: UserLesson) -> Messages:
        """What is booked begins soon, and can be cancelled in one tap; or what is liked can still be booked."""
        language = _language_of(person)
        if tie.kind is TieKind.BOOKING:
            link = self._tap(tie, tie.reservation_id)
            notice = Notice(
                "reminder",
                say(language, "notice.reminder"),
                self.words(tie, person),
                say(language, "notice.reminder.note"),
                say(language, "notice.reminder.label"),
                link,
            )
        else:
            link = self._page(tie)
            notice = Notice(
                "reminder",
                say(language, "notice.liked"),
                self.words(tie, person),
                say(language, "notice.liked.note"),
                say(language, "notice.look"),
                link,
            )
        return self._messages(person, notice)

    def changed(self, person: Contact | None, tie: UserLesson, lesson: Lesson) -> Messages:
        """Another instructor, or another lesson at the same time."""
        language = _language_of(person)
        changes = [
            f"{say(language, f'field.{name}')}: {before or '–'} → {after or '–'}"
            for name, before, after in zip(COPIED, copies_of(tie).values(), copies_of(lesson).values(), strict=True)
            if before != after
        ]
        what = self.words(lesson, person)
        return self._messages(
            person,
            Notice(
                "change",
                say(language, "notice.change"),
                what,
                "\n".join(changes),
                say(language, "notice.look"),
                self._page(tie),
            ),
        )

    def called_off(self, person: Contact | None, lesson: Lesson) -> Messages:
        """The lesson does not take place; nobody has to cancel anything."""
        language = _language_of(person)
        what, note = self.words(lesson, person), say(language, "notice.off.note")
        return self._messages(
            person,
            Notice(
                "change",
                say(language, "notice.off"),
                what,
                f"{lesson.called_off_words}\n\n{note}" if lesson.called_off_words else note,
                say(language, "notice.look"),
                self._page(lesson),
            ),
        )

    def booked_by_desk(self, person: Contact, tie: UserLesson) -> Messages:
        """The studio has booked for somebody; one tap cancels it."""
        language = _language_of(person)
        title, note = say(language, "notice.desk.booked"), say(language, "notice.desk.booked.note")
        link = self._tap(tie, tie.reservation_id)
        label = say(language, "notice.reminder.label")
        return self._messages(person, Notice("change", title, self.words(tie, person), note, label, link))

    def booked_from_queue(self, person: Contact | None, tie: UserLesson) -> Messages:
        """A place became free and is booked, as they wished; one tap cancels it."""
        language = _language_of(person)
        title, note = say(language, "notice.auto"), say(language, "notice.auto.note")
        link, label = self._tap(tie, tie.reservation_id), say(language, "notice.reminder.label")
        return self._messages(person, Notice("opening", title, self.words(tie, person), note, label, link))

    def cancelled_by_desk(self, person: Contact, lesson: Lesson) -> Messages:
        """The studio has cancelled somebody's booking."""
        language = _language_of(person)
        title, note = say(language, "notice.desk.cancelled"), say(language, "notice.desk.cancelled.note")
        what, label = self.words(lesson, person), say(language, "notice.look")
        return self._messages(person, Notice("change", title, what, note, label, self._page(lesson)))

    def refused(self, person: Contact | None, tie: UserLesson) -> Messages:
        """The studio's own system had sold the place; the booking has ended."""
        language = _language_of(person)
        title, note = say(language, "notice.refused"), say(language, "notice.refused.note")
        what, label = self.words(tie, person), say(language, "notice.look")
        return self._messages(person, Notice("change", title, what, note, label, self._page(tie)))

    def moved(self, person: Contact | None, tie: UserLesson, lesson: Lesson) -> Messages:
        """The lesson takes place at another time; what one had to do with it has moved along."""
        language = _language_of(person)
        note = say(language, f"notice.moved.{tie.kind.value}")
        before = say(language, "notice.moved.before", what=self.words(tie, person))
        title, label = say(language, "notice.moved"), say(language, "notice.look")
        what = self.words(lesson, person)
        return self._messages(person, Notice("change", title, what, f"{before}\n{note}", label, self._page(lesson)))

    def brought_back(self, person: Contact | None, tie: UserLesson, *, goes_on: bool = True) -> Messages:
        """A lesson that was called off takes place after all; what had ended with it goes on, or can be had again."""
        language = _language_of(person)
        note = say(language, f"notice.back.{tie.kind.value}" if goes_on else "notice.back.again")
        title, label = say(language, "notice.back"), say(language, "notice.look")
        return self._messages(person, Notice("change", title, self.words(tie, person), note, label, self._page(tie)))

    def message(self, person: Contact | None, lesson: Lesson, words: str) -> Messages:
        """The studio has something to say to those who come."""
        language = _language_of(person)
        title, label = say(language, "notice.message"), say(language, "notice.look")
        return self._messages(
            person, Notice("change", title, self.words(lesson, person), words, label, self._page(lesson))
        )

    def found(self, person: Contact | None, lessons: Sequence[Lesson]) -> Messages:
        """Lessons that somebody looks for."""
        language = _language_of(person)
        lines = [self.words(lesson, person) for lesson in lessons[:_LISTED_MAX]]
        more = len(lessons) - _LISTED_MAX
        label, link = say(language, "notice.look"), self._page(lessons[0])
        if len(lessons) > 1:
            first = lessons[0]
            label, link = (
                say(language, "notice.search.label"),
                f"{self.url}/?studio={first.studio_code}&date={first.lesson_date}",
            )
        note = say(language, "notice.search.more", n=more) if more > 0 else ""
        return self._messages(
            person, Notice("search", say(language, "notice.search"), "\n".join(lines), note, label, link)
        )

    def code(self, language: str, channel: str, address: str, code: str) -> Messages:
        """Proves that an address is read by whoever gave it."""
        link = f"{self.url}/settings"
        notice = Notice(
            "code",
            say(language, "notice.code"),
            code,
            say(language, "notice.code.note"),
            say(language, "notice.code.label"),
            link,
        )
        return {channel: self._body(channel, address, "", language, notice)}

    def words(self, tie: UserLesson | Lesson, person: Contact | None = None, language: str = "") -> str:
        language = language or _language_of(person)
        day, studio = tie.lesson_date, self._name(tie.studio_code)
        weekday = say.choice(language, "weekday", str(day.weekday()))
        if language == "en":
            return f"{weekday} {day:%-d %b} {tie.start_time:%H:%M} {studio}: {tie.lesson_name} ({tie.instructor})"
        when = f"{day.month}/{day.day}（{weekday}）{tie.start_time:%H:%M}"
        return f"{when} {studio} {tie.lesson_name}（{tie.instructor}）"

    def _tap(self, tie: UserLesson, tie_id: str | None) -> str:
        return f"{self.url}/offers/{self.links.tap(tie.user_id, slot_of(tie), tie_id or '', days.now(self.clock))}"

    def _page(self, found: UserLesson | Lesson) -> str:
        return f"{self.url}/lessons/{slot_of(found)}"

    def _messages(self, person: Contact | None, notice: Notice) -> Messages:
        """By message kind. Without a contact there is nobody to tell."""
        if person is None or not reaches(person, notice.topic):
            return {}
        return {
            channel: self._body(channel, address, person.name, person.language, notice)
            for channel, address in addresses_of(person).items()
            if channel in person.channels
        }

    def _body(self, channel: str, to: str, name: str, language: str, notice: Notice) -> Mapping[str, Any]:
        if channel == "push":
            return {"to": to, "title": notice.title, "body": notice.what, "data": {"url": notice.link}}
        if channel == "webhook":
            said = {"title": notice.title, "text": notice.what, "note": notice.note, "url": notice.link}
            return {"to": to, "event": f"lessons.{notice.topic}", **said}
        dear = say(language, "notice.dear", name=name) if name else ""
        text = "\n\n".join(filter(None, (dear, notice.title, notice.what, notice.note)))
        text = f"{text}\n\n{notice.label}: {notice.link}"
        if channel == "line":
            # As one text, the form that the transport for LINE reads.
            return {"to": to, "messages": orjson.dumps([{"type": "text", "text": _cut(text)}]).decode()}
        settings = f"{self.url}/settings"
        return {
            "to": to,
            "subject": f"{notice.title}: {notice.what.partition(chr(10))[0]}",
            "text": f"{text}\n\n{say(language, 'notice.settings')}: {settings}\n",
            "html": _html(notice, dear, settings, say(language, "notice.settings")),
        }


def reaches(person: Contact | None, topic: str) -> bool:
    """Whether somebody can be told of this, and wants to."""
    if person is None or topic in person.muted:
        return False
    return any(channel in person.channels for channel in addresses_of(person))


def addresses_of(person: Contact) -> dict[str, str]:
    """Where somebody can be reached, by channel; all of them proven."""
    found = {
        "mail": person.email,
        "line": person.line_user_id,
        "push": person.push_token,
        "webhook": person.webhook_url,
    }
    return {channel: address for channel, address in found.items() if address}


def _language_of(person: Contact | None) -> str:
    return person.language if person else "ja"


def _cut(text: str) -> str:
    """To what LINE takes, which counts UTF-16 units."""
    while len(text.encode("utf-16-le")) // 2 > LINE_UNITS_MAX:
        text = text[: -max(1, len(text) - LINE_UNITS_MAX)]
    return text


def _html(notice: Notice, dear: str, settings: str, settings_label: str) -> str:
    what = escape(notice.what).replace("\n", "<br>")
    note = f"<p>{escape(notice.note)}</p>" if notice.note else ""
    button = (
        "display:inline-block;padding:12px 24px;border-radius:8px;background:#3d5afe;color:#fff;text-decoration:none"
    )
    return (
        f"<p>{escape(dear)}</p><h2>{escape(notice.title)}</h2><p><b>{what}</b></p>{note}"
        f'<p><a style="{button}" href="{escape(notice.link)}">{escape(notice.label)}</a></p>'
        f'<p><small><a href="{escape(settings)}">{escape(settings_label)}</a></small></p>'
    )


# Hours in which somebody does not want to be woken.


def is_quiet(moment: datetime, quiet_from: time | None, quiet_until: time | None) -> bool:
    """Whether somebody does not want to be woken; the hours may go over midnight."""
    if quiet_from is None or quiet_until is None or quiet_from == quiet_until:
        return False
    now = moment.astimezone(JST).time()
    if quiet_from < quiet_until:
        return quiet_from <= now < quiet_until
    return now >= quiet_from or now < quiet_until


def _end_of_quiet(moment: datetime, quiet_until: time) -> datetime:
    local = moment.astimezone(JST)
    end = datetime.combine(local.date(), quiet_until, JST)
    return end if end > local else end + timedelta(days=1)


def quiet_pause(person: Contact | None, now: datetime, starts_at: datetime) -> timedelta:
    """How long a notice waits: until the end of the quiet hours, if the lesson is not over by then."""
    if person is None or person.quiet_until is None or not is_quiet(now, person.quiet_from, person.quiet_until):
        return timedelta()
    end = _end_of_quiet(now, person.quiet_until)
    return end - now if end < starts_at else timedelta()
