"""What is promised to those who wait for a place."""

from __future__ import annotations

from sekkei.worlds import World
from sekkei_systems.eventbot.design import Reply
from tests.worlds.eventbot import WORLD
from tests.worlds.eventbot.promises import members_in, waiting_in


@WORLD.always_in("EventMembers", "EventReplies")
def whoever_has_waited_longest_is_first(world: World) -> None:
    """Of those who wait for the same. An organiser may put anybody in."""
    now = {(one.event_id, one.user_id): one for one in waiting_in(world)}
    before: dict[tuple[str, str], Reply] = world.given.get("queue", {})
    world.given["queue"] = now
    gone = [one for key, one in before.items() if key not in now]
    members = {(one.event_id, one.user_id) for one in members_in(world)} if gone else set()
    by_hand: set[str] = world.given.get("by hand", set())
    for one in gone:
        if (one.event_id, one.user_id) in members and one.event_id not in by_hand:
            passed = [other for key, other in now.items() if key in before and _was_before(other, one)]
            assert not passed, f"{one.username} moves up before {passed[0].username}, who has waited for longer"


def _was_before(other: Reply, one: Reply) -> bool:
    same = (other.event_id, other.option_id) == (one.event_id, one.option_id)
    return same and other.asked_at < one.asked_at
