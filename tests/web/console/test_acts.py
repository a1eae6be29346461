"""Skipping what holds others back: by operators, after a page that names it, written down with who and why."""

from __future__ import annotations

from urllib.parse import quote

from sekkei.runtime import days
from sekkei.runtime.dead_letters import DeadLetterKind
from sekkei.runtime.design import Checkpoint, JobRun, UnreadShard, checkpoints, job_runs, newest_acts, unread_shards
from sekkei.web.testing import Client, opened, test_settings
from tests.web.example import SYSTEM

SHARD = "example/notes/shardId-1"


async def dead_shard(client: Client) -> None:
    row = UnreadShard(
        consumer="example/notes",
        shard="shardId-1",
        error="InternalServerError: broken",
        attempts=7,
        listed_at=days.now(client.shell.clock),
    )
    await client.shell.deployment.runtime.write(unread_shards.put(row))


async def test_a_dead_shard_is_named_skipped_and_kept() -> None:
    settings = test_settings(demo=False, values={"operators": "aoi@demo.example"})
    async with opened(SYSTEM, settings=settings) as client:
        await client.sign_in("demo-aoi")
        await dead_shard(client)
        listed = (await client.get("/console/aside?kind=shard")).text
        assert f'href="/console/skip?kind=shard&amp;id={quote(SHARD)}"' in listed
        assert "/console/aside/drop" not in listed
        asked = (await client.get(f"/console/skip?kind=shard&id={SHARD}")).text
        assert f"shard:{SHARD}" in asked
        assert "InternalServerError: broken" in asked
        assert (await client.post("/console/skip", {"kind": "shard", "id": SHARD}, token="")).status == 403
        runtime = client.shell.deployment.runtime
        assert await runtime.all(newest_acts()) == []
        skipped = await client.post("/console/skip", {"kind": "shard", "id": SHARD})
        assert (skipped.status, skipped.location) == (303, "/console/aside?kind=shard")
        row = await runtime.need(checkpoints("example/notes", "shardId-1").consistent())
        assert row.finished
        kept = (await client.get("/console/aside?kind=shard")).text
        assert "/console/aside/retry" in kept
        acts = (await client.get("/console/acts")).text
        assert all(word in acts for word in ("aoi@demo.example", "飛ばした", f"shard:{SHARD}", "broken"))
        assert (await client.post("/console/aside/retry", {"kind": "shard", "id": SHARD})).status == 303
        row = await runtime.need(checkpoints("example/notes", "shardId-1").consistent())
        assert isinstance(row, Checkpoint)
        assert not row.finished


async def test_a_job_that_always_fails_is_set_aside() -> None:
    async with opened(SYSTEM) as client:
        runtime, now = client.shell.deployment.runtime, days.now(client.shell.clock)
        run = JobRun(id="example/x", system="example", job="x", due_at=now, listed_at=now, attempts=3, last_error="no")
        await runtime.write(job_runs.put(run))
        assert "/console/skip?kind=job&amp;id=example/x" in (await client.get("/console/jobs")).text
        assert "job:example/x" in (await client.get("/console/skip?kind=job&id=example/x")).text
        assert (await client.post("/console/skip", {"kind": "job", "id": "example/x"})).status == 303
        (given_up,), _ = await client.shell.deployment.dead_letters.page(DeadLetterKind.JOB, size=5)
        assert given_up.id == "example/x"
        (act,) = await runtime.all(newest_acts())
        assert (act.by, act.what, act.subject) == ("local", "skip", "job:example/x")


async def test_what_steps_aside_by_itself_is_not_skipped() -> None:
    async with opened(SYSTEM) as client:
        for kind in ("record", "message", "nonsense"):
            assert (await client.get(f"/console/skip?kind={kind}&id=x")).status == 404
        assert (await client.post("/console/skip", {"kind": "message", "id": "x"})).status == 404
