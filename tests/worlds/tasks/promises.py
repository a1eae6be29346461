"""What holds in the world of tasks: after every commit, or when everything has come to rest."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from sekkei.runtime.design import JobRun, Message, State
from sekkei.worlds import World, promises
from sekkei_systems.days import JST
from sekkei_systems.tasks.design import (
    Activity,
    Comment,
    Delivered,
    Flow,
    Hook,
    HookDelivery,
    HookEvent,
    Imported,
    Invitation,
    InviteLock,
    Note,
    NoteKind,
    Plan,
    SavedView,
    Tag,
    Talk,
    Task,
    Team,
    TeamUser,
    Totals,
    User,
    UserTeam,
)
from sekkei_systems.tasks.design.statuses import Status
from tests.worlds.tasks.people import HOUR, TABLE, WORLD
from tests.worlds.tasks.programs import receiver_of
from tests.worlds.tasks.teams import INVITATIONS
from tests.worlds.tasks.work import EVERY

SOME_TIME_SECONDS = 10.0
OF_THE_RECEIVER = (204, 410)
KEPT_SECONDS = HOUR * 24 * 33
"""A month, and as long as DynamoDB may take to delete what has lapsed."""
ON_ITS_WAY_SECONDS = 30.0
"""So long after an address was stopped or deleted something may arrive that was on its way."""


def _of_kind(world: World, kind: Any) -> list[Any]:
    return [each for each in world.decoded(TABLE) if isinstance(each, kind)]


def _closing(world: World) -> set[str]:
    """Teams that are taken apart, row by row."""
    return {each.team_id for each in _of_kind(world, Team) if each.closing}


@WORLD.always_in(TABLE)
def counters_equal_a_recount(world: World) -> None:
    there = [each for each in _of_kind(world, Task) if each.deleted_at is None]
    counted = Counter((each.team_id, each.status) for each in there)
    for totals in _of_kind(world, Totals):
        said = {Status.TODO: totals.todo, Status.DOING: totals.doing, Status.DONE: totals.done}
        found = {status: counted[totals.team_id, status] for status in Status}
        assert said == found, f"totals say {said}, there are {found}"


@WORLD.always_in(TABLE)
def parents_and_subtasks_agree(world: World) -> None:
    closing = _closing(world)
    plans = [each for each in _of_kind(world, Plan) if each.team_id not in closing]
    up = {(each.team_id, each.parent, each.task_id) for each in plans if each.parent}
    down = {(each.team_id, each.task_id, child) for each in plans for child in each.children}
    assert up == down, f"subtasks say {sorted(up - down)}, parents say {sorted(down - up)}"
    both = {parent for _, parent, _ in up} & {child for _, _, child in up}
    assert not both, f"{sorted(both)} are parents and subtasks"


@WORLD.always_in(TABLE)
def a_team_has_an_admin(world: World) -> None:
    stored = world.decoded(TABLE)
    for team in (each for each in stored if isinstance(each, Team) and not each.closing):
        roles = [each.role.value for each in stored if isinstance(each, TeamUser) and each.team_id == team.team_id]
        assert not roles or "admin" in roles, f"{team.name} has only {roles}"


@WORLD.always_in(TABLE)
def both_sides_of_a_membership_agree(world: World) -> None:
    stored, closing = world.decoded(TABLE), _closing(world)
    sides = [each for each in stored if isinstance(each, TeamUser | UserTeam) and each.team_id not in closing]
    of_teams = {(each.team_id, each.user_id): each.role for each in sides if isinstance(each, TeamUser)}
    of_people = {(each.team_id, each.user_id): each.role for each in sides if isinstance(each, UserTeam)}
    assert of_teams == of_people, f"{len(of_teams)} in teams, {len(of_people)} with people, or other roles"
    admins = Counter(team for (team, _), role in of_teams.items() if role.value == "admin")
    for team in (each for each in stored if isinstance(each, Team) and not each.closing):
        assert team.admins == admins[team.team_id], f"{team.admins} admins are said, {admins[team.team_id]} are there"


WORLD.finally_(promises.everything_ends)
WORLD.finally_(promises.nothing_is_given_up)
WORLD.finally_(promises.nobody_is_told_twice)
WORLD.finally_(promises.what_is_sent_was_received)


@WORLD.finally_
def comments_are_counted(world: World) -> None:
    stored = world.decoded(TABLE)
    counted = Counter((each.team_id, each.task_id) for each in stored if isinstance(each, Comment))
    for talk in (each for each in stored if isinstance(each, Talk)):
        there = counted[talk.team_id, talk.task_id]
        assert talk.comments == there, f"{talk.comments} comments are said, {there} are there"


@WORLD.finally_
def nothing_is_left_of_tasks_that_are_gone(world: World) -> None:
    stored = world.decoded(TABLE)
    there = {(each.team_id, each.task_id) for each in stored if isinstance(each, Task)}
    for kind in (Comment, Plan):
        left = [each for each in stored if isinstance(each, kind) and (each.team_id, each.task_id) not in there]
        assert left == [], f"{len(left)} of {kind.__name__} of tasks that are gone"


@WORLD.finally_
def names_have_arrived_in_the_team(world: World) -> None:
    stored = world.decoded(TABLE)
    names = {each.user_id: each.name for each in stored if isinstance(each, User)}
    for membership in (each for each in stored if isinstance(each, TeamUser)):
        known = names.get(membership.user_id)
        assert known is None or membership.user_name == known, f"{known} is called {membership.user_name} in the team"


# Teams and people who are gone


def _has_settled(world: World) -> bool:
    """Everything that was under way is done: at the end, and before the rest, when what lapses is still there."""
    since, settling = world.quiet.since, WORLD.settle_seconds - SOME_TIME_SECONDS
    passed = 0.0 if since is None else world.loop.time() - since
    if not (settling <= passed < WORLD.settle_seconds * 2 or passed >= WORLD.rests[0] + settling * 2):
        return False
    jobs = (row for row in promises.runtime_rows(world) if isinstance(row, JobRun) and not row.finished)
    return not any(row.due_at and row.due_at.timestamp() < world.clock.now() + HOUR for row in jobs)


@WORLD.always
def nothing_is_left_of_teams_that_are_gone(world: World) -> None:
    if not _has_settled(world):
        return
    there = {f"TEAM#{each.team_id}" for each in _of_kind(world, Team)}
    for table in (TABLE, INVITATIONS):
        keys = [(item["PK"]["S"], item["SK"]["S"]) for item in world.items(table)]
        left = [sk for pk, sk in keys if pk.startswith("TEAM#") and pk not in there]
        assert left == [], f"{len(left)} rows of teams that are gone, such as {left[0]}"
    views = [each for each in _of_kind(world, SavedView) if f"TEAM#{each.team_id}" not in there]
    assert views == [], f"{len(views)} views of teams that are gone"


@WORLD.always
def whoever_left_is_named_nowhere(world: World) -> None:
    """In the log of webhooks for a day: that they left is told, too, and a stream may be late."""
    for left in sorted(world.given.get("left", ())) if _has_settled(world) else ():
        for table in (TABLE, INVITATIONS):
            found = [item["SK"]["S"] for item in world.items(table) if left in json.dumps(item)]
            found = [key for key in found if not key.startswith("HOOKLOG#")]
            assert found == [], f"{len(found)} rows name somebody who left, such as {found[0]}"


@WORLD.always
def notes_are_of_teams_that_one_is_in(world: World) -> None:
    if not _has_settled(world):
        return
    members = {(each.team_id, each.user_id) for each in _of_kind(world, TeamUser)}
    left = [each for each in _of_kind(world, Note) if (each.team_id, each.user_id) not in members]
    assert left == [], f"{len(left)} notes of teams that people are in no more"


@WORLD.finally_
def nobody_has_two_notes_of_one_thing(world: World) -> None:
    """However often the stream tells of it."""
    said = Counter((each.task_id, each.author, each.created_at) for each in _of_kind(world, Comment))
    given = Counter(each.task_id for each in _of_kind(world, Activity) if "assignee" in each.changes)
    notes = [each for each in _of_kind(world, Note) if each.kind is not NoteKind.HOOK]
    counted = Counter((each.user_id, each.kind, each.task_id, each.by_id or "", each.at, each.text) for each in notes)
    for (_, kind, task_id, by, at, _), count in counted.items():
        causes = given[task_id] if kind is NoteKind.ASSIGNED else said[task_id, by, at]  # two in the same second
        assert count <= max(1, causes), f"{count} notes of one {kind.value}"


@WORLD.always_in(INVITATIONS)
def an_address_has_one_open_invitation(world: World) -> None:
    now, there = world.clock.now(), {each.team_id for each in _of_kind(world, Team) if not each.closing}
    rows = [each for each in world.decoded(INVITATIONS) if getattr(each, "team_id", "") in there]
    opened = [each for each in rows if isinstance(each, Invitation) and each.expires.timestamp() > now]
    counted = Counter((each.team_id, each.email) for each in opened)
    assert all(count == 1 for count in counted.values()), f"{max(counted.values())} invitations of one address"
    locks = {each.invite_id for each in rows if isinstance(each, InviteLock)}
    free = [each for each in opened if each.invite_id not in locks]
    assert free == [], f"{len(free)} invitations without a lock"


@WORLD.finally_
def names_of_teams_have_arrived(world: World) -> None:
    names = {each.team_id: each.name for each in _of_kind(world, Team)}
    for membership in _of_kind(world, UserTeam):
        known = names.get(membership.team_id)
        assert known is None or membership.team_name == known, f"{known} is called {membership.team_name} by a member"


# Tasks


@WORLD.finally_
def the_history_is_what_happened(world: World) -> None:
    """Each line begins where the one before ended, and the last ends with what is there."""
    lines: dict[tuple[str, str], list[Activity]] = defaultdict(list)
    for line in _of_kind(world, Activity):
        lines[line.team_id, line.task_id].append(line)
    for task in _of_kind(world, Task):
        found = sorted(lines[task.team_id, task.task_id], key=lambda line: line.version)
        for name in ("status", "priority", "title"):
            told = [line.changes[name] for line in found if name in line.changes]
            for before, after in pairwise(told):
                assert before[1] == after[0], f"the {name} of a task became {before[1]}, and was {after[0]} then"
            now = getattr(task, name)
            said = told[-1][1] if told else None
            assert said in (None, getattr(now, "value", now) or ""), f"its {name} is {now}, the history says {said}"


@WORLD.finally_
def tasks_name_only_tags_and_people_that_are_there(world: World) -> None:
    tags = {(each.team_id, each.ref) for each in _of_kind(world, Tag)}
    members = {(each.team_id, each.user_id) for each in _of_kind(world, TeamUser)}
    for task in _of_kind(world, Task):
        gone = [ref for ref in task.tags if (task.team_id, ref) not in tags]
        assert gone == [], f"a task has {len(gone)} tags that are gone"
        assert not task.assignee or (task.team_id, task.assignee) in members, "a task is given to who is not there"


@WORLD.finally_
def every_task_has_a_number_of_its_own(world: World) -> None:
    counted = Counter((each.team_id, each.number) for each in _of_kind(world, Task))
    assert all(count == 1 for count in counted.values()), "two tasks have one number"


@WORLD.finally_
def what_was_done_is_written_down(world: World) -> None:
    done = [each for each in _of_kind(world, Task) if each.status is Status.DONE and each.deleted_at is None]
    there = {(each.team_id, each.task_id, each.done_at.astimezone(JST).date()) for each in done}
    told = {(each.team_id, each.task_id, each.day) for each in _of_kind(world, Flow)}
    assert told == there, (
        f"{len(told - there)} are said to be done and are not, {len(there - told)} are and nobody says"
    )


@WORLD.finally_
def what_comes_again_comes_once(world: World) -> None:
    """Of all that came of one such task, one is still to come again, and it is not done."""
    chains: dict[str, list[tuple[Task, Plan | None]]] = defaultdict(list)
    plans = {(each.team_id, each.task_id): each for each in _of_kind(world, Plan)}
    for task in _of_kind(world, Task):
        if task.title.startswith(EVERY):
            chains[task.title].append((task, plans.get((task.team_id, task.task_id))))
    for title, chain in chains.items():
        ruled = [task for task, plan in chain if plan and plan.rule]
        assert len(ruled) <= 1, f"{title}: {len(ruled)} of {len(chain)} come again"
        followed = [plan.next_id for _, plan in chain if plan and plan.next_id]
        assert len(set(followed)) == len(followed), f"{title}: one follows two"
        alive = [task for task in ruled if task.deleted_at is None and title in world.given.get("recurring", ())]
        assert all(task.status is not Status.DONE for task in alive), f"{title} is done, and nothing follows"


@WORLD.always_in(TABLE)
def nobody_waits_in_a_circle(world: World) -> None:
    waits = {(each.team_id, each.task_id): each.blocked_by for each in _of_kind(world, Plan) if each.blocked_by}
    while waits:
        free = [place for place, others in waits.items() if not any((place[0], other) in waits for other in others)]
        assert free, f"{len(waits)} tasks wait for each other"
        for place in free:
            del waits[place]


@WORLD.finally_
def each_row_of_a_file_comes_in_once(world: World) -> None:
    came = {each.task_id for each in _of_kind(world, Imported)}
    rows = [each for each in _of_kind(world, Task) if each.title.startswith("row ")]
    counted = Counter((each.team_id, each.title) for each in rows)
    assert all(count == 1 for count in counted.values()), f"a row came in {max(counted.values(), default=0)} times"
    assert all(each.task_id in came for each in rows), "a row came in, and nobody knows from where"


# Other programs


def _path(hook: Hook) -> str:
    return urlsplit(hook.url).path


@WORLD.always_in(TABLE)
def nothing_is_sent_to_who_is_not_to_be_told(world: World) -> None:
    """An address that is stopped or deleted hears nothing more, but what was on its way."""
    if not receiver_of(world).is_known:
        return
    silent, now, hooks = world.given.setdefault("silent", {}), world.loop.time(), _of_kind(world, Hook)
    going = {_path(each) for each in hooks if each.stopped_at is None}
    world.given.setdefault("stopped", set()).update({_path(each) for each in hooks} - going)
    for path in world.given.setdefault("paths", set()) - going:
        silent.setdefault(path, now)
    for path in going:
        silent.pop(path, None)
    world.given["paths"] |= going
    told = receiver_of(world).received
    seen, world.given["told"] = world.given.get("told", 0), len(told)
    for one in told[seen:]:
        since = one.at - silent.get(one.path, one.at)
        assert since <= ON_ITS_WAY_SECONDS, f"{one.path} was told something {since:.0f} seconds after its end"


@WORLD.finally_
def what_is_told_is_signed(world: World) -> None:
    receiver = receiver_of(world)
    for one in receiver.received:
        secret = receiver.secrets.get(one.path)
        assert secret is None or one.is_signed_with(secret), f"{one.path} was told something that is not signed"


@WORLD.always_in(TABLE)
def what_is_said_to_have_been_sent_arrived(world: World) -> None:
    """Notes what was to be sent, for the end: the log is kept for a month."""
    noted = world.given.setdefault("deliveries", {})
    if not receiver_of(world).is_known:
        return
    arrived = {one.headers["webhook-id"] for one in receiver_of(world).received}
    for one in _of_kind(world, HookDelivery):
        noted[one.hook_id, one.event_id] = one
        assert one.state is not Delivered.SENT or one.event_id in arrived, f"{one.event} was not sent"


# The log of what was sent


@WORLD.always_in(TABLE)
def the_log_says_what_was_answered(world: World) -> None:
    """What was taken or refused for good by the receiver itself; other answers are of those in between."""
    if not receiver_of(world).is_known:
        return
    answers = receiver_of(world).answers
    for one in _of_kind(world, HookDelivery):
        assert one.code not in OF_THE_RECEIVER or one.code in answers[one.event_id], f"nobody answered {one.code}"
        taken = one.code is not None and 200 <= one.code < 300
        assert taken == (one.state is Delivered.SENT) or one.state is Delivered.WAITING, (
            f"{one.event} is said to be {one.state.value}, the answer was {one.code}"
        )


@WORLD.always_in(TABLE)
def an_address_is_told_of_an_event_once(world: World) -> None:
    if receiver_of(world).is_known:
        counted = Counter((each.hook_id, each.event_id) for each in _of_kind(world, HookDelivery))
        assert all(count == 1 for count in counted.values()), f"one event was logged {max(counted.values())} times"


@WORLD.always
def the_log_goes_with_its_address(world: World) -> None:
    if not receiver_of(world).is_known or not _has_settled(world):
        return
    there = {(each.team_id, each.hook_id) for each in _of_kind(world, Hook)}
    left = [each for each in _of_kind(world, HookDelivery) if (each.team_id, each.hook_id) not in there]
    assert left == [], f"{len(left)} lines in logs of addresses that are gone"


@WORLD.always
def nothing_waits_for_nobody(world: World) -> None:
    """What the log says to be on its way is in the outbox."""
    if not receiver_of(world).is_known or not _has_settled(world):
        return
    messages = (row for row in promises.runtime_rows(world) if isinstance(row, Message))
    queued = {row.id for row in messages if row.state is State.QUEUED}
    for one in (each for each in _of_kind(world, HookDelivery) if each.state is Delivered.WAITING):
        reason = f"{one.delivery_id}/{one.again}" if one.again else one.event_id
        assert f"hook/{one.hook_id}/{reason}" in queued, f"{one.event} waits, and nobody sends it"


@WORLD.finally_
def the_log_is_kept_for_a_month(world: World) -> None:
    since = world.clock.now() - KEPT_SECONDS
    old = [each for each in _of_kind(world, HookDelivery) if each.at.timestamp() < since]
    assert old == [], f"{len(old)} lines in the log that should have gone by now"


@WORLD.finally_
def every_program_is_told_of_every_new_task(world: World) -> None:
    """That was made since its address was added, as long as nobody has changed that since."""
    noted = world.given.get("deliveries", {})
    for hook in _of_kind(world, Hook):
        changed = urlsplit(hook.url).query or _path(hook) in world.given.get("stopped", ())
        if changed or HookEvent.TASK_CREATED not in hook.events:
            continue
        for task in (each for each in _of_kind(world, Task) if each.team_id == hook.team_id):
            if (task.created_at - hook.created_at).total_seconds() > SOME_TIME_SECONDS:
                assert (hook.hook_id, f"msg_{task.task_id}_1") in noted, f"nobody was told of {task.title}"
