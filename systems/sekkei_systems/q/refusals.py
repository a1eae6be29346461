"""What Q. will not do: codes and statuses. The words stand in texts/, under [refusal]."""

from __future__ import annotations

from sekkei.runtime.refusals import Conflict, Gone, Invalid, NotAllowed, NotThere

# Who asks


class NotJoined(NotAllowed):
    """Signed in, but without a row in Q."""


class Banned(NotAllowed):
    """Suspended by the operators."""


class Leaving(NotAllowed):
    """In the week between asking to withdraw and the deletion."""


class OtherAccount(NotAllowed):
    """The page that asks was opened by somebody else."""


class NotAdmin(NotAllowed):
    """Only those who run Q. may do it."""


class AppIdNeeded(NotAllowed):
    """Posting needs an ID."""


class TermsNeeded(NotAllowed):
    """The terms in force were not agreed to yet."""


class NoAddress(NotAllowed):
    """Joining needs a verified mail address."""


class TooYoung(NotAllowed):
    """Under 13."""


class NotByApp(Gone):
    """Only a sign-in by an app can be ended over the API."""


# What is not there, or not for this viewer


class NoSuchUser(NotThere):
    """Gone, suspended, leaving, or blocking the viewer; which of them is never said."""


class BlockedPair(NoSuchUser):
    """One of the two blocks the other: to whoever is blocked, the other does not exist."""

    code = "no-such-user"


class NoSuchAnswer(NotThere):
    """Not there, or not for the viewer; which of them is never said."""


class AnswerFirst(NotAllowed):
    """Others' answers to the open question open with one's own."""


class NoQuestion(NotThere):
    """None was published yet."""


class NoSuchThing(NotThere):
    """Anything else that is not there."""


class InvitesFull(Conflict):
    """As many links that are still good as one may have."""


class TakenAlready(Conflict):
    """Whoever asks has taken this invite before."""


class FindableNeeded(Conflict):
    """Only those who want to be found may look for others by address."""


class TooManyContacts(Conflict):
    """As many addresses as one may ask for in a day."""


class Hidden(NotAllowed):
    """Lists of a private account are for its followers."""

    code = "private"


# What things are no longer, or already


class AlreadyJoined(Conflict):
    """One row for each account."""


class Taken(Conflict):
    """Somebody else has this name, address or word."""


class AppIdSet(Conflict):
    """An ID is chosen once."""


class AlreadyAnswered(Conflict):
    """One answer a day."""


class QuestionClosed(Gone):
    """The next question is out."""


class UndoOver(Gone):
    """A deletion can be taken back for half an hour."""


class TakenDown(NotAllowed):
    """What the operators removed is not the author's to restore."""


class AlreadyFollowing(Conflict):
    """There is an edge already."""


class NotFollowing(Conflict):
    """There is no edge to end."""


class AlreadyReported(Conflict):
    """One report for each target."""


class AlreadySubmitted(Conflict):
    """One suggestion a day."""


class WrongState(Conflict):
    """Somebody else has dealt with it meanwhile."""


class AlreadyPublished(Conflict):
    """What is out cannot be changed."""


class AdminsStay(Conflict):
    """Administrators give up the role before they leave or are banned."""


class NoWebPush(Conflict):
    """The operator has set no key up."""


class AppealedAlready(Conflict):
    """One appeal for each decision."""


class OwnDecision(Conflict):
    """Somebody else decides about an appeal, where there is somebody else."""


class OwnMatter(Conflict):
    """Somebody else decides about an administrator, where there is somebody else."""


class SecondPersonNeeded(Conflict):
    """A ban of a verified account takes two administrators."""


# What was given


class Oneself(Invalid):
    """Nobody follows, blocks or reports themselves."""


class BadText(Invalid):
    """Empty, or longer than {most} characters."""


class BadAppId(Invalid):
    """Not 3 to 15 of a-z, 0-9 and _."""


class BadUsername(Invalid):
    """Not 3 to 20 of A-Z, a-z, 0-9 and _."""


class NameReserved(Invalid):
    """A name that speaks for Q., or looks like an administrator's."""


class BadBirthDate(Invalid):
    """In the future, or before anybody's time."""


class BadReaction(Invalid):
    """Not one of the five."""


class BadToken(Invalid):
    """Not a push token."""


class BadPicture(Invalid):
    """Not a picture of at most {most} MB."""


class PictureRefused(Invalid):
    """Moderators took this picture down before."""


class ReasonNeeded(Invalid):
    """The person is told why."""


class QuietHalf(Invalid):
    """Quiet hours need both ends."""
