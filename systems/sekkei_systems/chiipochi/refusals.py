"""What ちいポチ answers when it will not do something."""

from __future__ import annotations

from sekkei.runtime.refusals import Conflict, NotThere, Refusal, say


class BadSignature(Refusal):
    code = "bad-signature"
    status = 401
    words = say("署名が正しくありません。", "The signature is not right.")


class UnknownOrder(NotThere):
    code = "unknown-order"
    words = say("この注文はありません。", "There is no such order.")


class WrongAmount(Conflict):
    code = "wrong-amount"
    words = say("金額が注文と一致しません。", "The amount is not that of the order.")


class NotRefundable(Conflict):
    code = "not-refundable"
    words = say("この寄付には返金できる入金がありません。", "There is no money of this donation to give back.")


class BadCallback(Refusal):
    """Not signed by the provider, or nothing that can be read."""

    code = "bad-callback"
    status = 400
    words = say("決済会社からの通知として認められません。", "This is not a notice of the payment provider.")
