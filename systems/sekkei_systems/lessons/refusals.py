"""What this system will not do. The words are in texts/, in the section [refusal]."""

from __future__ import annotations

from sekkei.runtime.refusals import Conflict, Gone, Invalid, NotAllowed, NotThere, Refusal


class NoSuchLesson(NotThere):
    pass


class NoSuchTie(NotThere):
    """Nothing ties the user to this lesson, or not any more."""

    code = "not-registered"


class BadSlot(Invalid):
    """No studio, day or time that could be a key."""


class BadTime(Invalid):
    """No time of the day."""


class BadDay(Invalid):
    """No day."""


class EndBeforeStart(Invalid):
    """A lesson that would go round the clock."""


class LessonOver(Conflict):
    pass


class Full(Conflict):
    pass


class NotFull(Conflict):
    """A place is free: nobody has to wait."""


class Held(Conflict):
    """What is free is held for others, to whom it was offered: they waited longer, or one's own hold has ended."""


class Closed(Conflict):
    pass


class BookedElsewhere(Conflict):
    """The studio's own system sells this lesson; here it can only be watched."""


class StudioSilent(Refusal):
    """The studio's own system gave no answer: nothing was booked."""

    status = 503


class AlreadyRegistered(Conflict):
    pass


class TooLateToCancel(Conflict):
    pass


class SlotTaken(Conflict):
    """A studio has one lesson at a time."""


class CalledOff(Conflict):
    """Called off at the desk; only saying so brings it back."""


class NoteTooLong(Invalid):
    pass


class NotStaff(NotAllowed):
    pass


class NotManager(NotAllowed):
    """The desk's role does not set rules, schedules, staff or secrets."""


class NotYourself(Conflict):
    """Nobody takes their own role away."""


class NoSuchStudio(NotThere):
    pass


class BadSignature(Refusal):
    status = 401


class Replayed(Conflict):
    """This push was received before."""


class LinkOver(Gone):
    """Past its time, disabled, or about something that has ended."""


class BadAddress(Invalid):
    pass


class WrongCode(Invalid):
    pass


class CodeOver(Gone):
    pass


class NotProven(Invalid):
    """Only confirmed addresses are used."""


class BadSearch(Invalid):
    pass


class TooManySearches(Conflict):
    pass


class NoSuchSearch(NotThere):
    pass


class NoSuchMember(Invalid):
    """Nobody who has been here has this mail address."""


class BadWords(Invalid):
    """Nothing was said, or too much."""


class NoSuchAct(NotThere):
    pass


class CannotUndo(Conflict):
    """Undone before, too long ago, or something that cannot be taken back."""


class NotYetOpen(Conflict):
    """The studio takes bookings only some days before."""


class NoPass(Conflict):
    """The studio asks for a membership or a ticket, and there is none for that day."""


class WeekFull(Conflict):
    """As many lessons of a week as the studio allows."""


class Blocked(Conflict):
    """After lessons that were booked and missed."""


class BadRules(Invalid):
    pass


class BadConnection(Invalid):
    pass


class BookingsOnlyHere(Invalid):
    """The studio's system does not know of them, and would sell their places again."""


class BadPass(Invalid):
    pass


class BadPause(Invalid):
    """A pause ends after today and before the lesson."""


class BadWish(Invalid):
    """Hours before the start, up to two weeks."""


class NoSuchWeekly(NotThere):
    pass


class TooEarly(Conflict):
    """Attendance is taken from shortly before the start."""


class BadLesson(Invalid):
    pass


class WaitlistsElsewhere(Conflict):
    """The old table still leads."""
