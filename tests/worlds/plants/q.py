"""Faults for the world of q, one for each of its promises."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from sekkei.design import Transaction
from tests.worlds.plants.planting import (
    Planted,
    a_message_is_never_sent,
    every_worker_that_finds_a_message_sends_it,
    nothing,
)


def a_stranger_reads_answers(patch: pytest.MonkeyPatch) -> None:
    """Whoever follows reads, whether the author follows them back or not."""
    from sekkei_systems.q.service import sight, timeline

    def reads(viewer: str, author: Any, relation: Any) -> bool:
        return author is not None and (author.user_id == viewer or relation.follows)

    patch.setattr(sight, "reads_answers", reads)
    patch.setattr(timeline, "reads_answers", reads)


def a_follow_is_counted_on_one_side(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.q import design
    from sekkei_systems.q.design.models import User
    from sekkei_systems.q.design.tables import users

    sound = design.follow

    def follow(edge: Any, *rest: Any, **named: Any) -> Transaction:
        found = sound(edge, *rest, **named).actions
        last = max(place for place, each in enumerate(found) if each.entity is users)
        uncounted = users.update(edge.followee_id).add(User.follower_count, 0)
        return Transaction(*(uncounted if place == last else each for place, each in enumerate(found)))

    patch.setattr(design, "follow", follow)


def a_follow_does_not_ask_for_blocks(patch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from sekkei_systems.q import design
    from sekkei_systems.q.design.tables import blocks
    from sekkei_systems.q.rules.sight import Relation
    from sekkei_systems.q.service.following import Following

    sound, other = design.follow, Following._other

    def follow(*arguments: Any, **named: Any) -> Transaction:
        found = sound(*arguments, **named).actions
        return Transaction(*(each for each in found if each.entity is not blocks))

    async def near(self: Following, who: str, whom: str) -> Any:
        user, relation = await other(self, who, whom)
        return user, replace(relation, blocks=False) if isinstance(relation, Relation) else relation

    patch.setattr(design, "follow", follow)
    patch.setattr(Following, "_other", near)


def a_reaction_is_not_noted_at_the_answer(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.q import design
    from sekkei_systems.q.design.tables import reactions

    sound = design.remove_reaction

    def remove(*arguments: Any, **named: Any) -> Transaction:
        found = sound(*arguments, **named).actions
        return Transaction(*(each for each in found if each.entity is reactions))

    patch.setattr(design, "remove_reaction", remove)


def every_worker_publishes(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems import days
    from sekkei_systems.q.design.models import DailyQuestion
    from sekkei_systems.q.design.tables import daily_questions
    from sekkei_systems.q.service.questions import Planning

    async def publish(self: Planning) -> Any:
        day = (await self.plan(days.today(self.clock))).day
        await self.db.write(daily_questions.update(day).set(DailyQuestion.published_at, days.now(self.clock)))
        return days.now(self.clock)

    patch.setattr(Planning, "publish_due", publish)


def a_question_is_published_on_the_first_day_only(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems import days
    from sekkei_systems.q.service.questions import Planning

    sound = Planning.publish_due

    async def publish(self: Planning) -> Any:
        return await sound(self) if days.today(self.clock).day == 1 else days.now(self.clock)

    patch.setattr(Planning, "publish_due", publish)


def a_push_goes_out_twice(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime.transports.expo import Expo

    sound = Expo.send

    async def send(self: Expo, message: Any) -> str:
        await sound(self, message)
        return await sound(self, message)

    patch.setattr(Expo, "send", send)


def a_push_is_not_judged_when_it_goes_out(patch: pytest.MonkeyPatch) -> None:
    """Nor is word of it delivered at once: a minute later they may have parted."""
    from sekkei.runtime.outbox import Outbox
    from sekkei_systems.q.service.pushes import TheirDevices

    read, put = TheirDevices._read, Outbox.put

    async def judged(self: TheirDevices, message: Any) -> Any:
        return (await read(self, message))[0], True

    async def late(self: Outbox, kind: str, *arguments: Any, **named: Any) -> Any:
        return await put(self, kind, *arguments, **{**named, "after": timedelta(seconds=70)})

    patch.setattr(TheirDevices, "_read", judged)
    patch.setattr(Outbox, "put", late)


def phones_that_are_gone_stay(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.q.jobs.questions import Pushes
    from sekkei_systems.q.service.pushes import TheirDevices

    patch.setattr(Pushes, "_forget", nothing())
    patch.setattr(TheirDevices, "_forget", nothing())


def devices_of_those_who_left_stay(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.q.jobs.withdrawal import Withdrawal

    patch.setattr(Withdrawal, "_tokens", nothing((0, None)))


def nobody_is_let_go(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.q.jobs.withdrawal import Withdrawal

    patch.setattr(Withdrawal, "begin", nothing())


def a_withdrawal_is_given_up(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime import jobs
    from sekkei_systems.q.jobs.withdrawal import Withdrawal

    patch.setattr(jobs, "ATTEMPTS_MAX", 2)

    async def picture(self: Withdrawal, user: str, after: str | None) -> Any:
        raise ValueError("it cannot be deleted")

    patch.setattr(Withdrawal, "_picture", picture)


def a_ban_leaves_its_decision_in_force(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.q.service import sanctions

    patch.setattr(sanctions, "_ending", lambda found: [])


def nobody_ends_suspensions(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.q.service.sanctions import Sanctions

    patch.setattr(Sanctions, "end_suspension", nothing())


def whoever_is_locked_out_still_counts(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.q.rules import numbers

    sound = numbers.of_presence

    def of_presence(user: Any, present: bool) -> Any:
        return sound(user, True)

    patch.setattr(numbers, "of_presence", of_presence)


def decisions_are_not_told(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.q.design.tables import decisions
    from sekkei_systems.q.service.decisions import Decisions

    patch.setattr(Decisions, "actions", lambda self, made: [decisions.create(made)])


def a_private_account_is_followed_at_once(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems import days
    from sekkei_systems.q.design.models import Follow
    from sekkei_systems.q.service.following import Following

    async def ask(self: Following, who: str, other: str) -> None:
        await self._follow(Follow(follower_id=who, followee_id=other, created_at=days.now(self.clock), accepted=True))

    patch.setattr(Following, "_ask", ask)


def the_muted_are_heard(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.q.service.sight import Sight

    patch.setattr(Sight, "muted_by", nothing(frozenset()))


def members_administer(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.q.service import access

    patch.setattr(access, "_admin", lambda member, address: access.Admin(member.user, address))


MUTING = "mutes_or_listens", "reads_the_timeline", "answers"
PRIVATE = "follows_somebody", "follows_no_longer", "changes_who_may_see"
FOLLOWING = "follows_somebody", "blocks_or_forgives", "decides_who_may_follow"
REACTING = "answers", "reacts"

PLANTS = [
    Planted("q", a_private_account_is_followed_at_once, "whoever_is_private_was_asked", 0, PRIVATE),
    Planted("q", the_muted_are_heard, "nobody_is_shown_what_sight_forbids", 0, MUTING),
    Planted("q", members_administer, "tries_what_is_not_theirs", 1),
    Planted("q", a_stranger_reads_answers, "nobody_is_shown_what_sight_forbids", 5),
    Planted("q", a_follow_is_counted_on_one_side, "counters_equal_edges", 0),
    Planted("q", a_follow_does_not_ask_for_blocks, "nobody_follows_across_a_block", 0, FOLLOWING),
    Planted("q", a_reaction_is_not_noted_at_the_answer, "answers_know_their_reactions", 0, REACTING),
    Planted("q", every_worker_publishes, "a_question_comes_out_once_and_not_before_its_time", 0),
    Planted("q", a_question_is_published_on_the_first_day_only, "the_question_of_the_day_is_out", 0),
    Planted("q", a_push_goes_out_twice, "no_phone_is_told_twice", 0),
    Planted("q", every_worker_that_finds_a_message_sends_it, "nobody_is_told_twice", 0),
    Planted("q", a_push_is_not_judged_when_it_goes_out, "nobody_is_told_of_whom_they_have_parted_from", 0),
    Planted(
        "q",
        a_push_is_not_judged_when_it_goes_out,
        "nobody_is_told_of_whom_they_have_parted_from",
        3,
        ("mutes_or_listens", "reacts", "answers", "follows_somebody", "follows_no_longer"),
    ),
    Planted("q", phones_that_are_gone_stay, "phones_without_the_app_are_forgotten", 10),
    Planted("q", devices_of_those_who_left_stay, "nothing_remains_of_those_who_left", 0),
    Planted("q", nobody_is_let_go, "whoever_left_is_gone", 0),
    Planted("q", a_ban_leaves_its_decision_in_force, "one_decision_locks_somebody_out", 2),
    Planted("q", nobody_ends_suspensions, "suspensions_end_in_time", 2),
    Planted("q", whoever_is_locked_out_still_counts, "the_numbers_say_who_is_there_and_what_waits", 1),
    Planted("q", decisions_are_not_told, "whoever_is_acted_on_hears_of_it", 0),
    Planted("q", a_withdrawal_is_given_up, "nothing_is_given_up", 0, ("leaves", "answers")),
    Planted("q", a_message_is_never_sent, "everything_ends", 0),
]
