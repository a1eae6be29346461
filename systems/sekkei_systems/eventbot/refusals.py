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


class NotPinger(NotAllowed): ...


class TooManyReminders(Invalid): ...


class NotInvited(NotAllowed): ...


class RoleTooHigh(NotAllowed): ...


class RoleTooPowerful(NotAllowed): ...


class BadRole(Invalid): ...


class ForeignEmoji(Invalid): ...


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


class BadOption(Invalid): ...


class SameOption(Invalid): ...


class TooManyOptions(Invalid): ...


class OptionTaken(Conflict): ...


class NoSuchOption(NotThere): ...


class OptionFull(Conflict): ...


class ChooseOption(Conflict): ...


class NotStarted(Conflict): ...


class NobodyThere(Conflict): ...


class SeveralMembers(Conflict): ...


class _OfField(Invalid):
    """Names the field in the language of whoever reads it."""

    def text(self, language: str) -> str:
        self.values["what"] = say(language, f"field.{self.field or 'title'}")
        return super().text(language)


class TooLong(_OfField): ...


class Missing(_OfField): ...


class BadDate(Invalid):
    """A text that is no date that can be used; its code is the reason that `sekkei.kit.dates` names."""

    def text(self, language: str) -> str:
        return say(language, f"refusal.{self.code}", **self.values)


class BadZone(Invalid): ...


class NoChannel(Invalid): ...


class DiscordSilent(TooMany): ...


class BadLink(NotAllowed): ...


class BadSignIn(NotAllowed): ...


class NoGuilds(NotAllowed): ...


class CannotPost(Conflict): ...
