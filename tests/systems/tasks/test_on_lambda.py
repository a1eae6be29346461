"""The same system behind Lambda's entry points."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import asyncio, json, sys
from sekkei.web import on_lambda
from sekkei_systems.tasks.design import Role, invitation_table
from sekkei_systems.tasks.service.people import Visitor

def http(path, **more):
    event = {"version": "2.0", "rawPath": path, "rawQueryString": "", "headers": {"host": "127.0.0.1", **more},
             "requestContext": {"http": {"method": "GET", "path": path, "sourceIp": "203.0.113.7"}}}
    return on_lambda.http(event, None)

from sekkei.runtime.aws.functions import _loop
run = _loop().run_until_complete
deployment = on_lambda.functions().deployment
from sekkei.web.identity.design import design as web
run(deployment.make_tables(web))
service = deployment.systems["tasks"].parts.service

async def invite():
    await service.people.arrive(Visitor("aoi", "aoi@example.com", "Aoi"))
    team = await service.teams.create("aoi", "Lambda")
    await service.invitations.invite(await service.access.admin("aoi", team.team_id), "ren@example.com", Role.MEMBER)
    call = deployment.store.call
    stream = (await call("DescribeTable", {"TableName": invitation_table.name}))["Table"]["LatestStreamArn"]
    (shard,) = (await call("DescribeStream", {"StreamArn": stream}))["StreamDescription"]["Shards"]
    start = {"StreamArn": stream, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    answer = await call("GetRecords", {"ShardIterator": (await call("GetShardIterator", start))["ShardIterator"]})
    return team.team_id, [{**record, "eventSourceARN": stream} for record in answer["Records"]]

team_id, records = run(invite())
handled = [on_lambda.stream({"Records": records}, None) for _ in range(2)]
on_lambda.work({}, None)
on_lambda.schedule({"system": "tasks", "job": "snapshot", "payload": {}}, None)
on_lambda.work({}, None)
admin = run(service.access.admin("aoi", team_id))
(listed,) = run(service.invitations.open(admin))
days = run(service.teams.days(admin, 3))
print(json.dumps({"docs": http("/tasks/openapi.json")["statusCode"], "api": http("/tasks/api/teams")["statusCode"],
                  "handled": handled, "mail": listed.mail, "days": len(days)}))
"""


def test_requests_streams_and_schedules_by_lambda(tmp_path: Path) -> None:
    environment = {
        "SEKKEI_SYSTEMS": "tasks",
        "SEKKEI_STORE": str(tmp_path / "x.db"),
        "SEKKEI_SECRET": "long enough to be one",
        "SEKKEI_DATA": str(tmp_path),
        "PATH": "/usr/bin:/bin",
    }
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, cwd=root, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    fine = '{"batchItemFailures": []}'
    said = f'{{"docs": 200, "api": 401, "handled": [{fine}, {fine}], "mail": "sent", "days": 2}}'
    assert done.stdout.strip().splitlines()[-1] == said
