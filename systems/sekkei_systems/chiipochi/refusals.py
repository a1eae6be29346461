"""What ちいポチ answers when it will not do something; the words stand in texts/, under [refusal]."""

from __future__ import annotations

from sekkei.runtime.refusals import Conflict, Gone, Invalid, NotThere, Refusal


class BadSignature(Refusal):
    """A webhook that LINE did not sign."""

    status = 401


class BadCallback(Refusal):
    """A notice that the provider did not sign, or that nobody can read."""

    status = 400


class NotJson(Invalid):
    code = "invalid"


class NoEvents(Invalid):
    code = "invalid"


class NoDate(Invalid):
    code = "invalid"


class MessageTooLong(Invalid):
    code = "invalid"


class UnknownOrder(NotThere):
    """No donation has this order."""


class WrongAmount(Conflict):
    """A payment of another amount than its order."""


class NotRefundable(Conflict):
    """There is no money of this donation to give back."""


class DetailsMissing(Invalid):
    """A receipt needs a name and an address."""

    code = "invalid"


class NothingToReceipt(Conflict):
    """No money of it was kept."""


class InYearsReceipt(Conflict):
    """It is on the receipt of its year already."""


class NoOrganisation(Conflict):
    """Nobody has said who issues receipts."""


class BadAppeal(Invalid):
    """An appeal that nobody could give to."""

    code = "invalid"


class BadWording(Invalid):
    """Words that are too long, or sums that no card can offer."""

    code = "invalid"


class MonthNotOver(Conflict):
    """A month can be closed when it is over."""


class TooLateToPay(Gone):
    code = "gone"


class PaymentsDown(Refusal):
    """The provider does not answer; the payer may try again in a few minutes."""

    status = 503
