"""Faults for the world of tasks, one for each of its promises."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.worlds.plants.planting import (
    Planted,
    every_worker_that_finds_a_message_sends_it,
    jobs_are_never_done,
    nothing,
    on_unconditional,
)


def the_nightly_repair_breaks_a_counter(patch: pytest.MonkeyPatch) -> None:
    """It writes what it has counted, although tasks have moved meanwhile."""
    from sekkei_systems.tasks.jobs import TaskJobs

    on_unconditional(patch, TaskJobs, "_repair")


def a_rename_never_arrives(patch: pytest.MonkeyPatch) -> None:
    """One job a person and day: who takes two names in a row keeps the first in their teams."""
    from sekkei.design import ConditionFailed
    from sekkei_systems.tasks.design import User, users
    from sekkei_systems.tasks.service.people import People

    async def rename(self: People, user_id: str, name: str) -> User:
        await self.db.write(users.update(user_id).set(User.name, name))
        try:
            await self.db.write(
                self.jobs.start_action("rename-user", {"user_id": user_id}, id=f"rename-user/{user_id}")
            )
        except ConditionFailed:
            pass
        return await self.db.need(users(user_id).consistent())

    patch.setattr(People, "rename", rename)


def a_removal_fails_while_somebody_is_promoted(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service.teams import Teams

    sound = Teams._removed

    async def removed(self: Teams, member: Any) -> bool:
        if not await sound(self, member):
            raise RuntimeError("the transaction was refused")
        return True

    patch.setattr(Teams, "_removed", removed)


def the_last_admin_can_go(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service.teams import Teams

    on_unconditional(patch, Teams, "_count_admin")


def a_promotion_is_seen_from_one_side(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.design import Role, TeamUser, team_users
    from sekkei_systems.tasks.service.teams import Teams

    async def set_role(self: Teams, admin: Any, user_id: str, role: Role) -> None:
        await self._member(admin.team_id, user_id)
        await self.db.write(team_users.update(admin.team_id, user_id).set(TeamUser.role, role))

    patch.setattr(Teams, "set_role", set_role)


def comments_are_not_counted_again(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service.notes import Herald

    patch.setattr(Herald, "count_comments", nothing())


def comments_of_a_task_that_is_gone_stay(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime.jobs import Progress
    from sekkei_systems.tasks.jobs import TaskJobs

    patch.setattr(TaskJobs, "_delete_comments", nothing(Progress(0)))


def a_former_parent_keeps_its_subtask(patch: pytest.MonkeyPatch) -> None:
    """Whoever is given another parent stays on the list of the one before."""
    from sekkei_systems.tasks.service import subtasks

    def others(self: subtasks.ParentLink, task_id: str) -> list[Any]:
        return subtasks.adopted(self.team_id, self.parent, [task_id], self.above)

    patch.setattr(subtasks.ParentLink, "others", others)


def views_of_a_team_that_is_gone_stay(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.jobs import TaskJobs

    patch.setattr(TaskJobs, "_views_gone", nothing([]))


def who_left_stays_in_the_history(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service import personal

    patch.setattr(personal, "_activity_without", lambda line, user_id: None)


def an_invitation_leaves_its_lock_open(patch: pytest.MonkeyPatch) -> None:
    """An invitation is sent again, and its lock is let go."""
    from sekkei_systems.tasks.service.invitations import Invitations

    sound = Invitations.send_again

    async def send_again(self: Invitations, admin: Any, invite_id: str) -> Any:
        from sekkei_systems.tasks.design import invite_locks
        from sekkei_systems.tasks.service.mail import email_hash

        found = await sound(self, admin, invite_id)
        await self.db.write(invite_locks.delete(admin.team_id, email_hash(found.email)))
        return found

    patch.setattr(Invitations, "send_again", send_again)


def a_teams_new_name_stays_with_it(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime.jobs import Progress
    from sekkei_systems.tasks.jobs import TaskJobs

    patch.setattr(TaskJobs, "_rename_team", nothing(Progress(0)))


def an_undo_is_not_written_down(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service.tasks import Tasks

    sound = Tasks.undo

    async def undo(self: Tasks, member: Any, task_id: str, version: int) -> Any:
        from sekkei_systems.tasks.design import activities

        found = await sound(self, member, task_id, version)
        await self.db.write(activities.delete(member.team_id, task_id, found.version))
        return found

    patch.setattr(Tasks, "undo", undo)


def a_tag_goes_and_tasks_keep_it(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime.jobs import Progress
    from sekkei_systems.tasks.jobs import TaskJobs

    patch.setattr(TaskJobs, "_strip_tag", nothing(Progress(0)))


def numbers_are_given_twice(patch: pytest.MonkeyPatch) -> None:
    """Whoever looks and then takes may take what another has taken."""
    from sekkei.design import replace
    from sekkei_systems.tasks.service import tasks
    from sekkei_systems.tasks.service.numbers import Numbers

    sound = tasks.rows_of_new_task

    async def take(self: Numbers, team_id: str, count: int) -> range:
        from sekkei_systems.tasks.design import Totals, totals

        last = (await self.db.need(totals(team_id).consistent())).numbered
        await self.db.write(totals.update(team_id).set(Totals.numbered, last + count))
        return range(last + 1, last + count + 1)

    patch.setattr(Numbers, "take", take)
    patch.setattr(tasks, "rows_of_new_task", lambda task: sound(replace(task, number=None)))


def what_is_open_again_is_still_said_to_be_done(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.design.statuses import Status
    from sekkei_systems.tasks.service.flows import Flows

    async def changed(self: Flows, old: Any, new: Any) -> None:
        if new.status is Status.DONE and new.done_at and not new.deleted_at:
            await self.done(new)

    patch.setattr(Flows, "changed", changed)


def the_rule_stays_with_what_is_done(patch: pytest.MonkeyPatch) -> None:
    """What is finished twice comes twice."""
    from sekkei_systems.tasks.service.plans import Recurrence

    sound = Recurrence._moved

    def moved(self: Recurrence, *arguments: Any) -> Any:
        _, *others = sound(self, *arguments)
        return others

    patch.setattr(Recurrence, "_moved", moved)


def two_close_a_circle(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service.plans import Plans

    patch.setattr(Plans, "_check_circle", nothing())


def a_file_brings_what_is_there(patch: pytest.MonkeyPatch) -> None:
    """What came in is remembered under a name that no file has."""
    from sekkei_systems.tasks.service import imports

    def named(**given: Any) -> Any:
        return sound(**{**given, "source": f"{given['source']}/{given['task_id']}"})

    sound = imports.Imported
    patch.setattr(imports, "Imported", named)


def a_stopped_address_is_told_on(patch: pytest.MonkeyPatch) -> None:
    """It asks to be left alone, and nobody writes that down where the sender looks."""
    from sekkei_systems.tasks.service.hooks import HookLog

    sound = HookLog.due

    async def due(self: HookLog, team_id: str, hook_id: str, delivery_id: str) -> Any:
        from sekkei.design import replace
        from sekkei_systems.tasks.design import deliveries, hooks

        hook = await self.db.get(hooks(team_id, hook_id).consistent())
        found = await self.db.get(deliveries(team_id, hook_id, delivery_id).consistent())
        if hook is None or found is None:
            return await sound(self, team_id, hook_id, delivery_id)
        return replace(hook, stopped_at=None), found

    patch.setattr(HookLog, "due", due)


def a_webhook_is_signed_with_what_is_not_its_secret(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service.hooks import HookLog

    patch.setattr(HookLog, "secret", lambda self, hook: b"another")


def what_was_lost_is_said_to_be_sent(patch: pytest.MonkeyPatch) -> None:
    """No answer is a good answer."""
    from sekkei_systems.tasks.design import Delivered
    from sekkei_systems.tasks.service.hooks import HookSender

    async def later(self: HookSender, hook: Any, delivery: Any, message: Any, *more: Any) -> str:
        await self.log.write(delivery, Delivered.SENT, message.attempts, 200)
        return "200"

    patch.setattr(HookSender, "_later", later)


def every_other_task_is_told_to_nobody(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service.hooks import Hooks

    sound = Hooks.tell

    async def tell(self: Hooks, team_id: str, happened: Any) -> None:
        number = happened.data.get("task", {}).get("number") if happened else None
        if not number or number % 2:
            await sound(self, team_id, happened)

    patch.setattr(Hooks, "tell", tell)


def what_was_refused_is_said_to_be_taken(patch: pytest.MonkeyPatch) -> None:
    """An end is an end."""
    from sekkei_systems.tasks.design import Delivered
    from sekkei_systems.tasks.service.hooks import HookSender

    async def failed(self: HookSender, hook: Any, delivery: Any, message: Any, code: int | None, error: str) -> str:
        await self.log.write(delivery, Delivered.SENT, message.attempts, code)
        return "given up"

    patch.setattr(HookSender, "_failed", failed)


def a_failure_is_not_written_down(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service.hooks import HookSender

    async def failed(self: HookSender, hook: Any, *more: Any) -> str:
        await self.log.missed(hook, gone=True)
        return "given up"

    patch.setattr(HookSender, "_failed", failed)


def each_time_the_stream_tells_it_is_another_message(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service.hooks import Hooks

    sound = Hooks._sent
    patch.setattr(Hooks, "_sent", lambda self, made, reason: sound(self, made, made.delivery_id))


def the_log_of_an_address_that_is_gone_stays(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime.jobs import Progress
    from sekkei_systems.tasks.jobs import TaskJobs

    patch.setattr(TaskJobs, "_delete_hook_log", nothing(Progress(0)))


def the_log_is_kept_for_a_year(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service import hooks

    patch.setattr(hooks, "KEPT", timedelta(days=365))


def who_is_removed_keeps_their_notes(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime.jobs import Progress
    from sekkei_systems.tasks.jobs import TaskJobs

    patch.setattr(TaskJobs, "_forget_notes", nothing(Progress(0)))


def revoking_does_nothing(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service.invitations import Invitations

    async def revoke(self: Invitations, admin: Any, invite_id: str) -> None:
        await self._found(admin.team_id, invite_id)

    patch.setattr(Invitations, "revoke", revoke)


def whoever_is_outside_is_let_in(patch: pytest.MonkeyPatch) -> None:
    """Nobody asks for the membership."""
    from datetime import date

    from sekkei_systems.tasks.design import Role, TeamUser, one_team, team_users
    from sekkei_systems.tasks.refusals import NoSuchTeam
    from sekkei_systems.tasks.service.access import Access, proof

    async def proved(self: Access, who: str, team_id: str, *refs: Any) -> Any:
        wanted = [one_team(team_id).consistent(), team_users(team_id, who).consistent(), *refs]
        team, found, *others = await self.db.get_many(wanted)
        if team is None or team.closing:
            raise NoSuchTeam()
        stranger = TeamUser(team_id=team_id, user_id=who, role=Role.MEMBER, joined_on=date(2026, 1, 1), user_name="?")
        return proof(found or stranger, team), others

    patch.setattr(Access, "_proved", proved)


def anybody_deletes_a_comment(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.design import comments
    from sekkei_systems.tasks.service.comments import Comments

    async def delete(self: Comments, member: Any, task_id: str, comment_id: str) -> None:
        await self.db.write(comments.delete(member.team_id, task_id, comment_id))

    patch.setattr(Comments, "delete", delete)


def members_rule(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service import access

    patch.setattr(access, "Member", access.Admin)


def a_note_for_every_delivery(patch: pytest.MonkeyPatch) -> None:
    """Each has a name of its own; and the stream tells everything once more, as it may."""
    from sekkei_systems.tasks.service.notes import Herald

    told, changed, said = Herald._tell, Herald.tell_of_task, Herald.tell_of_comment

    async def tell(self: Herald, user_id: str, kind: Any, task: Any, by: Any, at: Any, id: str, text: str = "") -> None:
        await told(self, user_id, kind, task, by, at, self.clock.uuid(), text)

    async def changed_twice(self: Herald, old: Any, new: Any) -> None:
        await changed(self, old, new)
        await changed(self, old, new)

    async def said_twice(self: Herald, comment: Any) -> None:
        await said(self, comment)
        await said(self, comment)

    patch.setattr(Herald, "_tell", tell)
    patch.setattr(Herald, "tell_of_task", changed_twice)
    patch.setattr(Herald, "tell_of_comment", said_twice)


BOARD = "adds_a_task", "moves_a_task"
MEMBERSHIPS = "changes_somebodys_role", "removes_somebody", "invites_somebody", "follows_an_invitation"
TEAM = (
    *BOARD,
    *MEMBERSHIPS,
    "comments",
    "throws_a_task_away",
    "takes_a_task_back",
    "takes_another_name",
)
FAMILY = "adds_a_task", "makes_a_task_part_of_another"
CLOSING = "founds_a_team", "deletes_the_team", "saves_a_view"
LEAVING = "adds_a_task", "moves_a_task", "leaves_with_the_account"
TAGS = "adds_a_task", "tags_a_task", "deletes_a_tag"
AGAIN = "has_a_task_come_again", "finishes_what_comes_again", "finishes_what_comes_again"
HOOKS = "adds_a_task", "adds_a_webhook", "tests_a_webhook"
STOPPED = "adds_a_task", "resumes_a_webhook", "has_it_sent_again"
RULING = "tries_what_is_not_theirs", "changes_somebodys_role"
REVOKED = "invites_and_thinks_better_of_it", "follows_what_was_revoked"
BACK = "adds_a_task", "moves_a_task", "undoes_a_change"

PLANTS = [
    Planted("tasks", the_nightly_repair_breaks_a_counter, "counters_equal_a_recount", 46, BOARD),
    Planted("tasks", a_rename_never_arrives, "names_have_arrived_in_the_team", 4, TEAM),
    Planted("tasks", a_removal_fails_while_somebody_is_promoted, "no_errors_of_ours", 8, MEMBERSHIPS),
    Planted("tasks", the_last_admin_can_go, "a_team_has_an_admin", 7, TEAM),
    Planted("tasks", a_promotion_is_seen_from_one_side, "both_sides_of_a_membership_agree", 1, TEAM),
    Planted("tasks", comments_are_not_counted_again, "comments_are_counted", 0, TEAM),
    Planted("tasks", comments_of_a_task_that_is_gone_stay, "nothing_is_left_of_tasks_that_are_gone", 0, TEAM),
    Planted("tasks", a_former_parent_keeps_its_subtask, "parents_and_subtasks_agree", 2, FAMILY),
    Planted("tasks", views_of_a_team_that_is_gone_stay, "nothing_is_left_of_teams_that_are_gone", 0, CLOSING),
    Planted("tasks", who_left_stays_in_the_history, "whoever_left_is_named_nowhere", 2, LEAVING),
    Planted(
        "tasks",
        an_invitation_leaves_its_lock_open,
        "an_address_has_one_open_invitation",
        0,
        ("sends_an_invitation_again", "invites_somebody"),
    ),
    Planted("tasks", a_teams_new_name_stays_with_it, "names_of_teams_have_arrived", 2, (*BOARD, "renames_the_team")),
    Planted("tasks", an_undo_is_not_written_down, "the_history_is_what_happened", 0, BACK),
    Planted("tasks", a_tag_goes_and_tasks_keep_it, "tasks_name_only_tags_and_people_that_are_there", 0, TAGS),
    Planted("tasks", numbers_are_given_twice, "every_task_has_a_number_of_its_own", 0, ("adds_a_task",)),
    Planted("tasks", what_is_open_again_is_still_said_to_be_done, "what_was_done_is_written_down", 1, BOARD),
    Planted("tasks", the_rule_stays_with_what_is_done, "what_comes_again_comes_once", 0, AGAIN),
    Planted("tasks", two_close_a_circle, "nobody_waits_in_a_circle", 0, ("adds_a_task", "puts_a_task_before_another")),
    Planted("tasks", a_file_brings_what_is_there, "each_row_of_a_file_comes_in_once", 0, ("takes_a_file_in",)),
    Planted("tasks", a_stopped_address_is_told_on, "nothing_is_sent_to_who_is_not_to_be_told", 39, HOOKS),
    Planted("tasks", a_webhook_is_signed_with_what_is_not_its_secret, "what_is_told_is_signed", 0, HOOKS),
    Planted("tasks", what_was_lost_is_said_to_be_sent, "what_is_said_to_have_been_sent_arrived", 3, HOOKS),
    Planted("tasks", every_other_task_is_told_to_nobody, "every_program_is_told_of_every_new_task", 0, HOOKS),
    Planted("tasks", what_was_refused_is_said_to_be_taken, "the_log_says_what_was_answered", 0, STOPPED),
    Planted("tasks", a_failure_is_not_written_down, "nothing_waits_for_nobody", 0, STOPPED),
    Planted(
        "tasks",
        each_time_the_stream_tells_it_is_another_message,
        "an_address_is_told_of_an_event_once",
        6,
        HOOKS,
    ),
    Planted(
        "tasks",
        the_log_of_an_address_that_is_gone_stays,
        "the_log_goes_with_its_address",
        2,
        (*HOOKS, "deletes_a_webhook"),
    ),
    Planted("tasks", the_log_is_kept_for_a_year, "the_log_is_kept_for_a_month", 0, HOOKS),
    Planted(
        "tasks",
        who_is_removed_keeps_their_notes,
        "notes_are_of_teams_that_one_is_in",
        2,
        ("gives_a_task_to_somebody", "gives_a_task_to_somebody", "removes_somebody"),
    ),
    Planted("tasks", whoever_is_outside_is_let_in, "tries_what_is_not_theirs", 0, ("tries_what_is_not_theirs",)),
    Planted(
        "tasks", anybody_deletes_a_comment, "tries_what_is_not_theirs", 2, ("comments", "tries_what_is_not_theirs")
    ),
    Planted("tasks", members_rule, "tries_what_is_not_theirs", 1, RULING),
    Planted("tasks", a_note_for_every_delivery, "nobody_has_two_notes_of_one_thing", 0),
    Planted("tasks", revoking_does_nothing, "follows_what_was_revoked", 0, REVOKED),
    Planted("tasks", every_worker_that_finds_a_message_sends_it, "nobody_is_told_twice", 0),
    Planted("tasks", jobs_are_never_done, "everything_ends", 0, TEAM),
]
