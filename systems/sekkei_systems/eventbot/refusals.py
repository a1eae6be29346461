"""What the bot refuses, and how it says so."""

from __future__ import annotations

from sekkei.runtime.refusals import Conflict, Invalid, NotAllowed, NotThere, TooMany
from sekkei_systems.eventbot.texts import say


class NoSuchEvent(NotThere): ...


class SeveralEvents(Conflict): ...


class NoSuchNotice(NotThere): ...


class NoSuchTemplate(NotThere): ...


class TooManyTemplates(Conflict): ...


class NotOrganiser(NotAllowed): ...


class NotManager(NotAllowed): ...


class NotRoleManager(NotAllowed): ...


class NotCreator(NotAllowed): ...


class NotInvited(NotAllowed): ...


class RoleTooHigh(NotAllowed): ...


class RoleTooPowerful(NotAllowed): ...


class BadRole(Invalid): ...


class Closed(Conflict): ...


class Cancelled(Conflict): ...


class Started(Conflict): ...


class Full(Conflict): ...


class AlreadyIn(Conflict): ...


class AlreadyMember(Conflict): ...


class NoSuchMember(NotThere): ...


class AlreadyWaiting(Conflict): ...


class NotIn(Conflict): ...


class AlreadySo(Conflict): ...


class NoticeOpen(Conflict): ...


class NoticeClosed(Conflict): ...


class NotMember(Conflict): ...


class AlreadyConfirmed(Conflict): ...


class Repeated(Conflict): ...


class Busy(TooMany): ...


class BadCapacity(Invalid): ...


class _OfField(Invalid):
    """Names the field in the language of whoever reads it."""

    def text(self, language: str) -> str:
        self.values["what"] = say.find(language, f"field.{self.field or 'title'}", {})
        return super().text(language)


class TooLong(_OfField): ...


class Missing(_OfField): ...


class BadZone(Invalid): ...


class NoChannel(Invalid): ...


class DiscordSilent(TooMany): ...


class BadLink(NotAllowed): ...


class CannotPost(Conflict): ...
