"""What this system will not do. The words are in texts/, in the section [refusal]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sekkei.runtime.refusals import Changed, Conflict, Gone, Invalid, NotAllowed, NotThere, TooMany

__all__ = [
    "AlreadyInvited",
    "AlreadyMember",
    "BadDates",
    "BadFile",
    "BadText",
    "Circular",
    "Clashed",
    "Crowded",
    "EmailTaken",
    "HasSubtasks",
    "InvitationOver",
    "LastAdmin",
    "NoSuchBlocker",
    "NoSuchChange",
    "NoSuchCheck",
    "NoSuchComment",
    "NoSuchImport",
    "NoSuchMember",
    "NoSuchParent",
    "NoSuchTag",
    "NoSuchTask",
    "NoSuchTeam",
    "NotAdmin",
    "NotYourComment",
    "NotYourMail",
    "Overwritten",
    "OwnParent",
    "ParentIsSubtask",
    "TooLarge",
    "TooMany",
    "TooManySubtasks",
    "Unreachable",
]


class NoSuchTeam(NotThere):
    """No team, or not for this person: to strangers a team does not exist."""


class NoSuchTask(NotThere):
    """Deleted, or never there."""


class NoSuchComment(NotThere):
    """Deleted, or never there."""


class NoSuchImport(NotThere):
    """It ended more than a month ago, or never was."""


class NoSuchChange(NotThere):
    """No such line in the history, or not any more."""


class Overwritten(Conflict):
    """Somebody changed the same again since, so it cannot be undone."""


class NotYourComment(NotAllowed):
    """Only its author changes a comment."""


class Clashed(Changed):
    """Somebody else changed the same fields since; `draft` is what both agree on, with one's own where they do not."""

    code = "changed"

    def __init__(self, task: Any, draft: Any, clashes: Sequence[Any]) -> None:
        super().__init__()
        self.task, self.draft, self.clashes = task, draft, clashes


class NoSuchCheck(NotThere):
    """Taken off the list, or never on it."""


class NoSuchBlocker(Invalid):
    """There is no such task that could come first."""


class Circular(Conflict):
    """A task cannot come before itself, nor before what comes before it."""


class NoSuchParent(Invalid):
    """There is no such task in the team that it could be part of; what is in the trash is none."""


class OwnParent(Conflict):
    """A task cannot be part of itself."""


class ParentIsSubtask(Conflict):
    """What is part of a task has no parts of its own."""


class HasSubtasks(Conflict):
    """What has parts is not part of another."""


class TooManySubtasks(Conflict):
    """The parent has as many as it can have."""


class NoSuchTag(Invalid):
    """The team has no such tag."""


class NoSuchMember(Invalid):
    """Not a member of the team."""


class NotAdmin(NotAllowed):
    """Only admins may do this."""


class LastAdmin(Conflict):
    """The team would have no admin left."""


class EmailTaken(Conflict):
    """Somebody else has this address."""


class AlreadyMember(Conflict):
    """They are in the team."""


class AlreadyInvited(Conflict):
    """An invitation for this address is open."""


class InvitationOver(Gone):
    """Expired, revoked or used."""


class NotYourMail(NotAllowed):
    """The invitation is for another address."""


class BadText(Invalid):
    """Empty or too long."""


class Crowded(Conflict):
    """No place is left between two cards."""


class Unreachable(Conflict):
    """Mail bounced from this address, or its owner complained."""


class BadDates(Invalid):
    """The end is before the start."""


class BadFile(Invalid):
    """A line of a file cannot be read."""


class TooLarge(Invalid):
    """Too many at once."""
