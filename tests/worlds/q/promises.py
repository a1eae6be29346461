"""What holds in Q.'s world: after every commit, or when everything has come to rest."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any

from sekkei.worlds import World, promises
from sekkei_systems.days import JST
from sekkei_systems.q.design.models import (
    Block,
    DailyQuestion,
    Decision,
    DecisionKind,
    DecisionState,
    Follow,
    Reaction,
    Totals,
)
from sekkei_systems.q.design.tables import design
from sekkei_systems.q.jobs.withdrawal import JOB as TRACES
from sekkei_systems.q.rules.numbers import waits_since
from tests.worlds.q.hearing import SKEW
from tests.worlds.q.people import DAY, WORLD, expo_of


@WORLD.always_in("Users", "Follows")
def counters_equal_edges(world: World) -> None:
    """Those who are banned are not counted, from the moment on when their edges are marked."""
    edges: list[Follow] = world.decoded("Follows")
    following = Counter(one.follower_id for one in edges if not one.followee_banned)
    followers = Counter(one.followee_id for one in edges if not one.follower_banned)
    for user in world.decoded("Users"):
        said, there = (user.following_count, user.follower_count), (following[user.user_id], followers[user.user_id])
        assert said == there, f"{user.display_name} says {said}, there are {there}"


@WORLD.always_in("Users", "Decisions")
def one_decision_locks_somebody_out(world: World) -> None:
    """Nobody is locked out without one, and nobody goes free under one; what a suspension says is when it ends. Whoever
    leaves loses their decisions before their row."""
    found: list[Decision] = world.decoded("Decisions")
    for user in (one for one in world.decoded("Users") if one.deleting_at is None):
        locking = [one for one in found if one.user_id == user.user_id and _locks_out(one)]
        assert len(locking) == int(user.is_banned), f"{user.display_name}: {len(locking)} decisions, {user.is_banned}"
        if locking:
            assert locking[0].until == user.banned_until, f"{user.display_name} is let in at another time than told"


def _locks_out(one: Decision) -> bool:
    return one.kind in (DecisionKind.BAN, DecisionKind.SUSPENSION) and one.state is DecisionState.IN_FORCE


@WORLD.always_in("Follows", "FollowRequests")
def whoever_is_private_was_asked(world: World) -> None:
    """Of a follow that is new: its request was there just before."""
    edges = {(one.follower_id, one.followee_id) for one in world.decoded("Follows")}
    asked = {(one.follower_id, one.followee_id) for one in world.decoded("FollowRequests")}
    before = world.given.get("edges", (edges, asked))
    world.given["edges"] = edges, asked
    unasked = edges - before[0] - before[1]
    if unasked:
        private = {one.user_id for one in world.decoded("Users") if one.is_private}
        wrongly = [follower for follower, followee in unasked if followee in private]
        assert not wrongly, f"{wrongly[0]} follows a private account and has not asked"


@WORLD.always_in("Follows", "Blocks")
def nobody_follows_across_a_block(world: World) -> None:
    blocks: list[Block] = world.decoded("Blocks")
    apart = {(one.blocker_id, one.blocked_id) for one in blocks} | {(one.blocked_id, one.blocker_id) for one in blocks}
    crossing = [one for one in world.decoded("Follows") if (one.follower_id, one.followee_id) in apart]
    assert crossing == [], f"{len(crossing)} follows across a block"


@WORLD.always_in("Answers", "Reactions", "Users")
def answers_know_their_reactions(world: World) -> None:
    """Of those who stay; whoever has left loses one after the other."""
    given: dict[tuple[date, str], dict[str, str]] = {}
    rows: list[Reaction] = world.decoded("Reactions")
    for one in rows:
        given.setdefault((one.day, one.user_id), {})[one.reactor_id] = one.reaction_type.value
    here = {one.user_id for one in world.decoded("Users") if one.deleting_at is None}
    for answer in (one for one in world.decoded("Answers") if one.user_id in here):
        there = given.get((answer.day, answer.user_id), {})
        assert answer.reactors in (None, there), f"an answer knows {answer.reactors}, there are {there}"


@WORLD.always_in("DailyQuestions")
def a_question_comes_out_once_and_not_before_its_time(world: World) -> None:
    known: dict[date, Any] = world.given["published"]
    for row in world.decoded("DailyQuestions"):
        if row.published_at is not None:
            first = known.setdefault(row.day, (row.published_at, row.question_text))
            assert first == (row.published_at, row.question_text), f"{row.day} came out again"
            early = _planned(row) - row.published_at.timestamp()
            assert early < SKEW, f"{row.day} came out {early:.0f} s early"


def _planned(row: DailyQuestion) -> float:
    at = row.scheduled_publish_time
    return datetime.combine(row.day, at, JST).timestamp()


WORLD.finally_(promises.everything_ends)
WORLD.finally_(promises.nothing_is_given_up)
WORLD.finally_(promises.nobody_is_told_twice)
WORLD.finally_(promises.what_is_sent_was_received)


@WORLD.finally_
def the_question_of_the_day_is_out(world: World) -> None:
    """If it was planned for more than two minutes ago; and its day is over soon after it is planned for."""
    now = world.clock.now()
    for row in world.decoded("DailyQuestions"):
        late = now - _planned(row)
        skipped = late > timedelta(days=2).total_seconds()
        assert row.published_at is not None or late < promises.LATE_SECONDS or skipped, f"{row.day} did not come out"


@WORLD.finally_
def suspensions_end_in_time(world: World) -> None:
    now = world.clock.now()
    for user in world.decoded("Users"):
        late = user.banned_until is not None and now - user.banned_until.timestamp() > promises.LATE_SECONDS
        assert not late, f"{user.display_name} should have been let in at {user.banned_until}"


@WORLD.finally_
def the_numbers_say_who_is_there_and_what_waits(world: World) -> None:
    now = next((one for one in world.decoded("Numbers") if isinstance(one, Totals)), None)
    there = sum(not one.is_banned and one.deleting_at is None for one in world.decoded("Users"))
    assert now is not None, "nothing was counted"
    assert now.members == there, f"{now.members} members, there are {there}"
    tables = ("Answers", "Reports", "ProfileReviews", "Decisions")
    waiting = sum(waits_since(one) is not None for table in tables for one in world.decoded(table))
    assert now.waiting == waiting, f"{now.waiting} wait, there are {waiting}"


@WORLD.finally_
def whoever_is_acted_on_hears_of_it(world: World) -> None:
    """A decision that is in force was told: in the inbox, with its reason."""
    told = Counter(one.user_id for one in world.decoded("Notices") if one.said.startswith("notice.decision."))
    for one in world.decoded("Decisions"):
        assert told[one.user_id], f"{one.user_id} was not told of a {one.kind.value}"


@WORLD.finally_
def no_phone_is_told_twice(world: World) -> None:
    """A phone shows a message once, unless Expo's answer to it was lost, or whoever had sent it died."""
    found = world.given["told_again"]
    assert found == [], found[0]


@WORLD.finally_
def nobody_is_told_of_whom_they_have_parted_from(world: World) -> None:
    found = world.given["told_of_who_is_apart"]
    assert found == [], f"{found[0]}, and one of them blocks the other, or they have muted them"


@WORLD.finally_
def phones_without_the_app_are_forgotten(world: World) -> None:
    """Once Expo has refused one to its face, or told of it by the receipt of a question."""
    gone = {one.token for one in expo_of(world).phones.values() if one.known_gone}
    left = sorted(one.token for one in world.decoded("PushTokens") if one.token in gone)
    assert left == [], f"{left} have the app no longer and would be told of the next question"


@WORLD.finally_
def nothing_remains_of_those_who_left(world: World) -> None:
    there = {one.user_id for one in world.decoded("Users")}
    gone = {one.name: one.memory["id"] for one in world.people if one.memory["id"] not in there}
    for table in (*design.tables, "sekkei-runtime"):
        stored = [json.dumps(item, ensure_ascii=False) for item in world.items(table)]
        # The job that did it may, and the one that looks again a day later.
        stored = [one for one in stored if '"withdraw"' not in one and f'"{TRACES}"' not in one]
        for name, user_id in gone.items():
            left = [one for one in stored if user_id in one]
            assert left == [], f"{table} still knows {name}: {left[0][:200]}"


@WORLD.finally_
def whoever_left_is_gone(world: World) -> None:
    now = world.clock.now()
    for user in world.decoded("Users"):
        late = user.deleting_at is not None and now - user.deleting_at.timestamp() > 7 * DAY + promises.LATE_SECONDS
        assert not late, f"{user.display_name} left more than a week ago"
