"""Faults for the world of tasks, one for each of its promises."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.plants.planting import Planted, jobs_are_never_done, nothing, on_unconditional


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
        await self._db.write(users.update(user_id).set(User.name, name))
        try:
            await self._db.write(
                self._jobs.start_action("rename-user", {"user_id": user_id}, id=f"rename-user/{user_id}")
            )
        except ConditionFailed:
            pass
        return await self._db.need(users(user_id).consistent())

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
        await self._db.write(team_users.update(admin.team_id, user_id).set(TeamUser.role, role))

    patch.setattr(Teams, "set_role", set_role)


def comments_are_not_counted_again(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.tasks.service.herald import Herald

    patch.setattr(Herald, "counted", nothing())


def comments_of_a_task_that_is_gone_stay(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime.jobs import Progress
    from sekkei_systems.tasks.jobs import TaskJobs

    patch.setattr(TaskJobs, "_delete_comments", nothing(Progress(0)))


def a_former_parent_keeps_its_subtask(patch: pytest.MonkeyPatch) -> None:
    """Whoever is given another parent stays on the list of the one before."""
    from sekkei_systems.tasks.service import subtasks

    def others(self: subtasks.Tie, task_id: str) -> list[Any]:
        return subtasks.adopted(self.team_id, self.parent, [task_id], self.above)

    patch.setattr(subtasks.Tie, "others", others)


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

PLANTS = [
    Planted("tasks", the_nightly_repair_breaks_a_counter, "counters_equal_a_recount", 38, BOARD),
    Planted("tasks", a_rename_never_arrives, "names_have_arrived_in_the_team", 5, TEAM),
    Planted("tasks", a_removal_fails_while_somebody_is_promoted, "no_errors_of_ours", 8, MEMBERSHIPS),
    Planted("tasks", the_last_admin_can_go, "a_team_has_an_admin", 6, TEAM),
    Planted("tasks", a_promotion_is_seen_from_one_side, "both_sides_of_a_membership_agree", 0, TEAM),
    Planted("tasks", comments_are_not_counted_again, "comments_are_counted", 0, TEAM),
    Planted("tasks", comments_of_a_task_that_is_gone_stay, "nothing_is_left_of_tasks_that_are_gone", 10, TEAM),
    Planted("tasks", a_former_parent_keeps_its_subtask, "parents_and_subtasks_agree", 2, FAMILY),
    Planted("tasks", jobs_are_never_done, "everything_ends", 0, TEAM),
]
