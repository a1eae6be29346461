"""What a member of a team does in a day (`sekkei measure tasks --journeys`)."""

from __future__ import annotations

from sekkei.web.journeys import Journeys, Traveller
from sekkei_systems.tasks.system import SYSTEM

JOURNEYS = Journeys(SYSTEM)


@JOURNEYS.begin
async def arrive(me: Traveller) -> None:
    await me.sign_in("demo-aoi")
    teams = (await me.json("GET", "/tasks/api/teams")).json()["items"]
    team = next(one for one in teams if "開発" in one["name"])
    me.memory["team"] = f"/tasks/teams/{team['id']}"
    me.memory["api"] = f"/tasks/api/teams/{team['id']}"
    me.memory["task"] = (await me.json("GET", f"{me.memory['api']}/tasks")).json()["items"][0]["id"]


@JOURNEYS.journey
async def opens_my_work(me: Traveller) -> None:
    """Look at one's own work and teams."""
    await me.get("/tasks/")


@JOURNEYS.journey
async def opens_the_board(me: Traveller) -> None:
    """Open the team's board."""
    await me.get(me.memory["team"])


@JOURNEYS.journey
async def opens_a_task(me: Traveller) -> None:
    """Open one task with its comments."""
    await me.get(f"{me.memory['team']}/tasks/{me.memory['task']}")


@JOURNEYS.journey
async def sees_a_card_change(me: Traveller) -> None:
    """Be shown a card that somebody else changed, on a board that is open."""
    await me.get(f"{me.memory['team']}/cards/{me.memory['task']}")


@JOURNEYS.journey
async def searches(me: Traveller) -> None:
    """Search the team's tasks."""
    await me.get(f"{me.memory['team']}/tasks?q=%E9%9B%86%E8%A8%88")


@JOURNEYS.journey
async def adds_a_task(me: Traveller) -> None:
    """Add a task."""
    body = {"title": "議事録を共有する", "description": "会議のメモをまとめて、全員が読めるところに置く。"}
    me.memory["added"] = (await me.json("POST", f"{me.memory['api']}/tasks", body)).json()["id"]


@JOURNEYS.journey
async def moves_a_task(me: Traveller) -> None:
    """Move a task to another column."""
    await me.json("PATCH", f"{me.memory['api']}/tasks/{me.memory['added']}", {"status": "doing"})


@JOURNEYS.journey
async def comments(me: Traveller) -> None:
    """Write a comment."""
    path = f"{me.memory['api']}/tasks/{me.memory['added']}/comments"
    await me.json("POST", path, {"text": "確認しました。明日の朝に続きをやります。"})
