"""Deployed for real, as far as one machine can: page → function → table → stream → function → outbox → mail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench import peers
from sekkei.design import tables
from sekkei.design.loading import load
from sekkei.publish.aws.package import CannotBuild
from sekkei.store import Credentials, Remote
from tests.publish.aws.deployed import KEYS, REGION, Cloud, Stack, Visitor, cloud, deploy, package, until

pytestmark = [pytest.mark.torture, pytest.mark.timeout(600)]
"""Packages are built with pip and functions started cold: half a minute for each system."""

SETTINGS = {"Operators": "hana@example.com", "MailFrom": "studio@example.com", "SesRegion": REGION}
ENDS = {
    "chiipochi": {
        "LineChannelSecret": "s" * 32,
        "LineChannelToken": "t" * 40,
        "StripeSecretKey": "sk_test_" + "k" * 20,
        "StripeWebhookSecret": "whsec_" + "w" * 20,
    },
    "eventbot": {"DiscordPublicKey": "a" * 64, "DiscordBotToken": "t" * 40, "DiscordApplicationId": "1" * 18},
}


@pytest.fixture(scope="module")
def ministack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    try:
        with cloud(tmp_path_factory.mktemp("ministack")) as made:
            yield made
    except peers.Unavailable as reason:
        pytest.skip(str(reason))


def deployed(ministack: Cloud, system: str, folder: Path, change: Any = None) -> Stack:
    try:
        zipped = package(system, folder)
    except CannotBuild as reason:
        pytest.skip(str(reason))
    return deploy(ministack, system, zipped, change, **SETTINGS, **ENDS.get(system, {}))


def invite(hana: Visitor, email: str) -> int:
    """Make a team and invite somebody to it; how that was answered."""
    hana.get("/account")
    team = hana.post("/tasks/teams", name="Team", description="")
    path = team.headers.get("Location", "")
    return hana.post(f"{path}/invitations", email=email, role="member").status_code if path else team.status_code


def differences(ministack: Cloud, system: str) -> list[str]:
    """Where live tables differ, but for times to live and recovery, which Ministack's CloudFormation leaves out."""
    found = asyncio.run(_differences(ministack, system))
    return [each for each in found if "time to live" not in each and "recovery" not in each]


async def _differences(ministack: Cloud, system: str) -> list[str]:
    credentials = Credentials(KEYS["aws_access_key_id"], KEYS["aws_secret_access_key"])
    store = Remote(REGION, endpoint_url=ministack.url, credentials=credentials)
    try:
        return [str(step) for step in await tables.differences(store, load(system), "prod")]
    finally:
        await store.close()


def test_a_page_becomes_a_mail(ministack: Cloud, tmp_path: Path) -> None:
    stack = deployed(ministack, "tasks", tmp_path)
    hana = Visitor(stack)
    hana.sign_up("hana@example.com")
    assert invite(hana, "ren@example.com") == 303
    mailed = until(lambda: stack.invoke("work") or [m for m in ministack.mails() if m["To"] == ["ren@example.com"]])
    assert len(mailed) == 1
    assert f"http://{stack.host}/tasks/invitations/" in mailed[0]["BodyText"]
    assert differences(ministack, "tasks") == []
    # Without one permission the same page fails, and says so.
    deployed(ministack, "tasks", tmp_path, change=_without("HttpRole", "dynamodb:PutItem"))
    assert invite(hana, "yui@example.com") >= 500


def _without(role: str, action: str) -> Callable[[dict[str, Any]], None]:
    def change(template: dict[str, Any]) -> None:
        (policy,) = template["Resources"][role]["Properties"]["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]:
            statement["Action"] = [each for each in statement["Action"] if each != action]

    return change


@pytest.mark.parametrize("system", ["chiipochi", "eventbot", "lessons", "q", "tasks"])
def test_every_system_answers_and_works(ministack: Cloud, tmp_path: Path, system: str) -> None:
    stack = deployed(ministack, system, tmp_path)
    hana = Visitor(stack)
    hana.sign_up(f"{system}@example.com")
    assert hana.get("/account").status_code == 200
    stack.invoke("work")
    assert differences(ministack, system) == []
