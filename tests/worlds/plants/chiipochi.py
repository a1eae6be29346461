"""Faults for the world of chiipochi, one for each of its promises."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.design import Transaction
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service.donations import order_id_of
from tests.worlds.plants.planting import Planted, nothing, unconditional


def money_is_declared_failed_too_early(patch: pytest.MonkeyPatch) -> None:
    """A checkout that is complete and unpaid waits for a convenience store; here it counts as failed."""
    from sekkei_systems.chiipochi.design.models import Outcome
    from sekkei_systems.chiipochi.ports import stripe

    sound = stripe._standing

    def early(session: Any) -> Outcome:
        found = sound(session)
        return Outcome.FAILED if found is Outcome.WAITING else found

    patch.setattr(stripe, "_standing", early)


def a_slip_counts_as_money(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi.design.models import Outcome
    from sekkei_systems.chiipochi.ports import stripe

    sound = stripe._standing

    def early(session: Any) -> Outcome:
        found = sound(session)
        return Outcome.PAID if found is Outcome.WAITING else found

    patch.setattr(stripe, "_standing", early)


def a_yes_that_comes_again_donates_again(patch: pytest.MonkeyPatch) -> None:
    """Neither the mark of the event nor the state of the conversation stands in the way."""
    from dataclasses import replace

    from sekkei_systems.chiipochi.design import donations
    from sekkei_systems.chiipochi.service.conversations import Conversations

    confirm, carry_out = Conversations._confirm, Conversations._carry_out

    def confirmed(self: Conversations, *arguments: Any) -> Any:
        effects, answer = confirm(self, *arguments)
        return [unconditional(each) for each in effects if each.entity is donations], answer

    async def carried_out(self: Conversations, incoming: Any, *rest: Any) -> bool:
        return await carry_out(self, replace(incoming, event_id=self._clock.uuid()), *rest)

    patch.setattr(Conversations, "_confirm", confirmed)
    patch.setattr(Conversations, "_carry_out", carried_out)


def what_banks_do_later_is_not_heard(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi.service.payments import Later

    patch.setattr(Later, "look", nothing("heard"))


def a_refund_stays_in_the_totals(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi.service.awards import Awards

    patch.setattr(Awards, "_corrected", nothing(True))


def a_correction_leaves_the_stamp(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi.design import correct_award, stamps
    from sekkei_systems.chiipochi.service import awards

    def without_stamps(*arguments: Any) -> Transaction:
        return Transaction(*(each for each in correct_award(*arguments).actions if each.entity is not stamps))

    patch.setattr(awards, "correct_award", without_stamps)


def nobody_asks_the_provider(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi.service.payments import Reconciled, Reconciliation

    patch.setattr(Reconciliation, "run", nothing(Reconciled(0, 0, 0)))


def what_a_process_left_over_stays(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi.service.inbox import Inbox

    patch.setattr(Inbox, "handle_left_over", nothing(0))
    patch.setattr(Inbox, "_handle_one", nothing(False))


def thanks_come_before_the_money(patch: pytest.MonkeyPatch) -> None:
    """As soon as somebody stands at the checkout."""
    from sekkei_systems.chiipochi import reactions
    from sekkei_systems.chiipochi.rules import messages
    from sekkei_systems.chiipochi.service.awards import Awards

    sound = reactions.AwardReactions._react

    async def react(self: reactions.AwardReactions, change: Any) -> None:
        found = change.new
        if found is not None and found.tx_id is not None:
            letter = messages.thanks_letter(
                recipient_of(found), found.amount, {found.prefecture: 1}, "https://example.com/", "ja"
            )
            reason = f"thanks/{order_id_of(found.user_id, found.created_at)}"
            await self._context.outbox.put("line", found.user_id, messages.body(letter, "thanks"), id=reason)
        await sound(self, change)

    patch.setattr(reactions.AwardReactions, "_react", react)
    patch.setattr(Awards, "_thanks", nothing([]))


def every_change_of_a_donation_is_thanked_for(patch: pytest.MonkeyPatch) -> None:
    """Also when its bank takes a part of it back; each time under another retry key."""
    from sekkei_systems.chiipochi import reactions
    from sekkei_systems.chiipochi.service.awards import Awards

    sound, thanks = reactions.AwardReactions._react, Awards._thanks

    async def react(self: reactions.AwardReactions, change: Any) -> None:
        if change.new is not None and change.new.counts:
            for action in await thanks(self._service.awards, [change.new]):
                message, name = action.instance, f"thanks/{self._context.clock.uuid()}"
                await self._context.outbox.put("line", message.to, message.body, id=name)
        await sound(self, change)

    patch.setattr(reactions.AwardReactions, "_react", react)
    patch.setattr(Awards, "_thanks", nothing([]))


def stamps_of_the_forgotten_stay(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi import jobs

    patch.setattr(jobs, "_forget_stamps", nothing(0))


def a_refund_that_is_refused_stays_on_its_way(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi.service.refunds import RefundTransport

    patch.setattr(RefundTransport, "given_up", nothing(None))


def what_stripe_failed_over_is_asked_under_one_key(patch: pytest.MonkeyPatch) -> None:
    """Which answers for a day that it has failed."""
    from sekkei_systems.chiipochi.ports import stripe

    patch.setattr(stripe, "_is_kept_failure", lambda answer: False)


def two_taps_at_once_are_one_too_many(patch: pytest.MonkeyPatch) -> None:
    """Stripe says that it is at the first one, and that is taken for its last word."""
    from sekkei_systems.chiipochi.ports import stripe

    patch.setattr(stripe, "BUSY_SECONDS", ())


def whoever_leaves_stays_in_the_records(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime.jobs import Progress
    from sekkei_systems.chiipochi.service.personal import BotPeople

    patch.setattr(BotPeople, "_unsign", nothing(Progress(0)))


def a_second_payment_that_comes_back_is_not_owed(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi.service.refunds import Surpluses

    patch.setattr(Surpluses, "_came_back", nothing(True))


def what_was_given_by_hand_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    """As soon as the provider is asked, its word alone counts."""
    from sekkei_systems.chiipochi.design.models import Donation

    patch.setattr(Donation, "given_by_hand", 0)


def a_second_payment_is_taken_for_news_of_the_first(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi.service.refunds import Surpluses

    patch.setattr(Surpluses, "file", nothing(False))


def a_number_is_taken_before_its_receipt_is_written(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi.design import last_number, receipt_counters
    from sekkei_systems.chiipochi.design.models import ReceiptCounter
    from sekkei_systems.chiipochi.service.receipts import Receipts

    sound = Receipts._next

    async def counted_first(self: Receipts, donor: Any, what: str, given: Any, person: Any) -> Any:
        year = given[0].paid_day.year
        last = await self._db.get(last_number(year))
        await self._db.write(receipt_counters.upsert(year).set(ReceiptCounter.last, last.last + 1 if last else 1))
        return await sound(self, donor, what, given, person)

    patch.setattr(Receipts, "_next", counted_first)


def a_receipt_stays_when_money_goes_back(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.chiipochi.service.receipts import Receipts

    patch.setattr(Receipts, "correct", nothing(None))


DONATING = "names_a_speciality", "says_yes", "follows_the_link"
TAPPING = *DONATING, "taps_the_link_twice"
FORGETTING = *DONATING, *("wants_to_be_forgotten",) * 5
GIVING_BACK = (
    *(*DONATING, *("follows_the_link", "pays_once_more") * 2),
    *("refunds", "gives_back_by_hand", "gives_a_second_payment_back", "leaves"),
)
RECEIPTS = *DONATING, "asks_something", *("wants_receipts",) * 3, "refunds"
NUMBERS = "receipts_are_numbered_without_gaps"
YEN = "no_yen_is_on_two_receipts_or_on_one_too_many"
THANKS = "nobody_is_thanked_for_nothing_or_twice"
YES = "nobody_donates_more_often_than_they_say_yes"

PLANTS = [
    Planted("chiipochi", money_is_declared_failed_too_early, "nothing_fails_that_can_still_be_paid", 4, DONATING),
    Planted("chiipochi", a_slip_counts_as_money, "nothing_succeeds_without_money", 4, DONATING),
    Planted("chiipochi", a_yes_that_comes_again_donates_again, YES, 1, DONATING[:2]),
    Planted("chiipochi", what_banks_do_later_is_not_heard, "money_equals_the_ledger", 9, (*DONATING, "refunds")),
    Planted("chiipochi", a_refund_stays_in_the_totals, "totals_equal_a_recount", 3),
    Planted("chiipochi", a_correction_leaves_the_stamp, "stamps_equal_donations", 2, (*DONATING, "refunds")),
    Planted("chiipochi", nobody_asks_the_provider, "no_payment_waits_for_ever", 4),
    Planted("chiipochi", what_a_process_left_over_stays, "everything_that_line_delivered_is_handled", 0),
    Planted("chiipochi", thanks_come_before_the_money, THANKS, 6, DONATING),
    Planted("chiipochi", every_change_of_a_donation_is_thanked_for, THANKS, 2, DONATING),
    Planted("chiipochi", a_refund_that_is_refused_stays_on_its_way, "no_refund_runs_for_ever", 2, GIVING_BACK),
    Planted("chiipochi", what_stripe_failed_over_is_asked_under_one_key, "no_errors_of_ours", 4, DONATING),
    Planted("chiipochi", two_taps_at_once_are_one_too_many, "payments_are_down_only_where_stripe_is", 2, TAPPING),
    Planted("chiipochi", whoever_leaves_stays_in_the_records, "whoever_left_is_named_nowhere", 0, GIVING_BACK),
    Planted("chiipochi", a_second_payment_that_comes_back_is_not_owed, "money_equals_the_ledger", 3, GIVING_BACK),
    Planted("chiipochi", a_second_payment_is_taken_for_news_of_the_first, "money_equals_the_ledger", 0, GIVING_BACK),
    Planted("chiipochi", what_was_given_by_hand_is_forgotten, "money_equals_the_ledger", 0, GIVING_BACK),
    Planted("chiipochi", a_number_is_taken_before_its_receipt_is_written, NUMBERS, 3, RECEIPTS),
    Planted("chiipochi", a_receipt_stays_when_money_goes_back, YEN, 6, RECEIPTS),
    Planted("chiipochi", stamps_of_the_forgotten_stay, "nothing_remains_of_the_forgotten", 6, FORGETTING),
]
