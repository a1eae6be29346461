"""Deployed for real, as far as one machine can: page → function → table → stream → function → outbox → mail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import requests

from bench import peers
from sekkei.design import Attr, Design, Index, Key, attr, model, tables
from sekkei.design.loading import load
from sekkei.publish.aws.package import CannotBuild
from sekkei.publish.aws.steps import steps
from sekkei.publish.aws.tables import template
from sekkei.store import Credentials, Remote
from tests.publish.aws import walks
from tests.publish.aws.deployed import (
    KEYS,
    REGION,
    Cloud,
    Stack,
    Visitor,
    cloud,
    deploy,
    ended,
    package,
    until,
)

pytestmark = [pytest.mark.torture, pytest.mark.timeout(1800)]
"""Packages are built with pip and functions started cold: half a minute for each system."""

NOWHERE: Mapping[str, int] = MappingProxyType({})
DOMAIN = "tasks.example.com"
SETTINGS = {"MailFrom": "studio@example.com", "SesRegion": REGION}


@model
class Order:
    id: Attr[str]
    day: Attr[str] = attr(default="mon")
    who: Attr[str] = attr(default="aoi")
    total: Attr[str] = attr(default="12")


@pytest.fixture(scope="module")
def ministack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    try:
        with cloud(tmp_path_factory.mktemp("ministack")) as made:
            yield made
    except peers.Unavailable as reason:
        pytest.skip(str(reason))


def deployed(
    ministack: Cloud,
    system: str,
    folder: Path,
    change: Any = None,
    ports: Mapping[str, int] = NOWHERE,
    **more: str,
) -> Stack:
    """The system on Ministack, with services outside at these ports."""
    try:
        zipped = package(system, folder)
    except CannotBuild as reason:
        pytest.skip(str(reason))

    def changed(template: dict[str, Any]) -> None:
        walks.outside(template, ports)
        if change is not None:
            change(template)

    given = {**SETTINGS, "Operators": walks.operators(system), **walks.parameters(system, ports), **more}
    return deploy(ministack, system, zipped, changed, Shared=f"{system}-", **given)


def differences(ministack: Cloud, system: str) -> list[str]:
    """Where live tables differ, but for times to live and recovery, which Ministack's CloudFormation leaves out."""
    found = asyncio.run(_differences(ministack, system))
    return [each for each in found if "time to live" not in each and "recovery" not in each]


def remote(ministack: Cloud) -> Remote:
    credentials = Credentials(KEYS["aws_access_key_id"], KEYS["aws_secret_access_key"])
    return Remote(REGION, endpoint_url=ministack.url, credentials=credentials)


async def _differences(ministack: Cloud, system: str) -> list[str]:
    store = remote(ministack)
    try:
        return [str(step) for step in await tables.differences(store, load(system), "prod")]
    finally:
        await store.close()


@pytest.mark.parametrize("system", ["chiipochi", "eventbot", "lessons", "q", "tasks"])
def test_every_system_is_used(ministack: Cloud, tmp_path: Path, system: str) -> None:
    """Page → function → table → stream → function → outbox, and one schedule, all beside each other in one account."""
    stack = deployed(ministack, system, tmp_path)
    walks.use(stack)
    walks.leave(stack, 1)
    assert differences(ministack, system) == []


def test_a_stack_under_a_name_of_ones_own(ministack: Cloud, tmp_path: Path) -> None:
    """Its pages are found there and speak of it; the API's own address is refused."""
    asked = ministack.client("acm").request_certificate(DomainName=DOMAIN)
    given = {"Domain": DOMAIN, "Certificate": asked["CertificateArn"]}
    stack = deployed(ministack, "tasks", tmp_path, **given)
    assert stack.outputs["Console"] == f"https://{DOMAIN}/console"
    assert stack.outputs["DomainTarget"]
    (api,) = ministack.client("apigatewayv2").get_apis()["Items"]
    own = api["ApiEndpoint"].split("/")[2]
    answers = {host: requests.get(f"{ministack.url}/sign-in", headers={"Host": host}) for host in (DOMAIN, own)}
    assert answers[DOMAIN].status_code == 200
    assert "Secure" in answers[DOMAIN].headers["Set-Cookie"]
    assert answers[own].status_code == 421, answers[own].text


def test_a_page_becomes_a_mail(ministack: Cloud, tmp_path: Path) -> None:
    stack = deployed(ministack, "tasks", tmp_path)
    hana = Visitor(stack)
    hana.sign_up("hana@example.com")
    assert walks.invite(hana, "mio@example.com") == 303
    mailed = until(lambda: stack.invoke("work") or [m for m in ministack.mails() if m["To"] == ["mio@example.com"]])
    assert len(mailed) == 1
    assert f"http://{stack.host}/tasks/invitations/" in mailed[0]["BodyText"]
    # Without one permission the same page fails, and says so.
    deployed(ministack, "tasks", tmp_path, change=_without("HttpRole", "dynamodb:PutItem"))
    assert walks.invite(hana, "yui@example.com") >= 500


def _without(role: str, action: str) -> Callable[[dict[str, Any]], None]:
    def change(template: dict[str, Any]) -> None:
        (policy,) = template["Resources"][role]["Properties"]["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]:
            statement["Action"] = [each for each in statement["Action"] if each != action]

    return change


def test_a_design_changed_by_its_indexes(ministack: Cloud, tmp_path: Path) -> None:
    """Published over the stack that is there: what is stored stays, and the tables are the design's."""
    designs = [_shop(*indexes) for indexes in (["day"], ["day", "who"], ["total"])]
    deployed_now: dict[str, Any] = {}
    for count, design in enumerate(designs):
        made = template(design, env="prod")
        for each in (*steps(deployed_now, made), made):
            _update(ministack, "shop", each)
        asyncio.run(_keep(ministack, design, count))
        deployed_now = made
    assert [len(steps(template(a, env="x"), template(b, env="x"))) for a, b in pairwise(designs)] == [0, 2]


def test_a_failed_deployment_and_a_stack_that_goes(ministack: Cloud) -> None:
    """What fails leaves nothing behind; what goes leaves its tables, and the next stack takes them in."""
    design = _shop("day", names="shop2-{table}")
    made, name = template(design, env="prod"), "shop2-orders"
    client, tables_of = ministack.client("cloudformation"), ministack.client("dynamodb")
    nobody = {"ServiceToken": f"arn:aws:lambda:{REGION}:000000000000:function:nobody"}
    broken = {"Type": "Custom::Broken", "DependsOn": ["OrdersTable"], "Properties": nobody}
    assert _ended(client, "create_stack", {**made, "Resources": {**made["Resources"], "Broken": broken}}) in FAILED
    assert name not in tables_of.list_tables()["TableNames"]
    client.delete_stack(StackName=STACK)
    assert _ended(client, "create_stack", made) == "CREATE_COMPLETE"
    tables_of.put_item(TableName=name, Item={"id": {"S": "order-1"}})
    client.delete_stack(StackName=STACK)
    assert tables_of.scan(TableName=name)["Count"] == 1
    change = {"StackName": STACK, "ChangeSetName": "back"}
    more = {"ChangeSetType": "CREATE", "ImportExistingResources": True}
    client.create_change_set(**change, **more, TemplateBody=json.dumps(made))
    until(lambda: client.describe_change_set(**change)["Status"] == "CREATE_COMPLETE")
    client.execute_change_set(**change)
    assert until(lambda: ended(client, STACK))["StackStatus"] in ("CREATE_COMPLETE", "IMPORT_COMPLETE")
    assert tables_of.scan(TableName=name)["Count"] == 1


STACK = "shop2"
FAILED = ("ROLLBACK_COMPLETE", "CREATE_FAILED")


def _ended(client: Any, operation: str, made: dict[str, Any]) -> str:
    getattr(client, operation)(StackName=STACK, TemplateBody=json.dumps(made))
    status: str = until(lambda: ended(client, STACK))["StackStatus"]
    return status


def _shop(*keys: str, names: str = "{env}-shop-{table}") -> Design:
    design = Design("shop", tables=names)
    table = design.table("orders", "id", indexes=[Index(f"by_{key}", key) for key in keys])

    @table.entity(Order)
    def orders(id: str) -> Key:
        return Key(id)

    return design


def _update(ministack: Cloud, name: str, made: dict[str, Any]) -> None:
    client = ministack.client("cloudformation")
    known = {stack["StackName"] for stack in client.describe_stacks()["Stacks"]}
    (client.update_stack if name in known else client.create_stack)(StackName=name, TemplateBody=json.dumps(made))
    stack = until(lambda: ended(client, name))
    assert stack["StackStatus"] in ("CREATE_COMPLETE", "UPDATE_COMPLETE"), stack


async def _keep(ministack: Cloud, design: Design, before: int) -> None:
    """An order more each time; all of them are there, by their keys and by every index."""
    store = remote(ministack)
    try:
        name = "prod-shop-orders"
        told = [f"{step.table}: {step.words}" for step in await tables.differences(store, design, "prod")]
        assert [each for each in told if "recovery" not in each] == []
        assert (await store.call("Scan", {"TableName": name}))["Count"] == before
        item = {"id": {"S": f"order-{before}"}, "day": {"S": "mon"}, "who": {"S": "aoi"}, "total": {"S": "12"}}
        await store.call("PutItem", {"TableName": name, "Item": item})
        for index in design.tables["orders"].indexes.values():
            held = (await store.call("Scan", {"TableName": name, "IndexName": index.name}))["Count"]
            assert held == before + 1, index.name
    finally:
        await store.close()
