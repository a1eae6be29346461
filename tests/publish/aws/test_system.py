"""A whole system as a stack. cfn-lint reads it where it is at hand."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sekkei.commands.described import described
from sekkei.design.loading import load
from sekkei.publish.aws import parts
from sekkei.publish.aws.system import template

DOCS = Path(__file__).parents[3] / "docs"
NOT_ON_LAMBDA = {
    *("SEKKEI_FORWARDED", "SEKKEI_SMTP_URL", "SEKKEI_TASKS_CAPACITY"),
    *("SEKKEI_DISCORD_API_URL", "SEKKEI_LINE_API_URL", "SEKKEI_LINE_DATA_URL", "SEKKEI_STRIPE_API_URL"),
    *("SEKKEI_SCHEDULE_REGION", "SEKKEI_SCHEDULE_ROLE", "SEKKEI_SCHEDULE_TARGET"),
}
"""Of a process, of the design, of services that stand in for others; schedules of EventBridge are set up by hand."""
SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")


@pytest.fixture(scope="module", params=SYSTEMS)
def stack(request: pytest.FixtureRequest) -> dict[str, Any]:
    published = described(request.param)
    assert published is not None
    return template(published, "prod")


def test_every_reference_leads_somewhere(stack: dict[str, Any]) -> None:
    known = {*stack["Resources"], *stack["Parameters"], *stack["Conditions"]}
    for name in _references(stack["Resources"]):
        assert name in known or name.startswith("AWS::"), name


def _references(content: Any) -> set[str]:
    if isinstance(content, list):
        return {name for each in content for name in _references(each)}
    if not isinstance(content, dict):
        return set()
    found = {name for each in content.values() for name in _references(each)}
    if "Ref" in content:
        found.add(content["Ref"])
    if "Fn::GetAtt" in content:
        found.add(content["Fn::GetAtt"][0])
    return found


def test_streams_are_read_with_care(stack: dict[str, Any]) -> None:
    mappings = [each["Properties"] for each in stack["Resources"].values() if each["Type"].endswith("SourceMapping")]
    for mapping in mappings:
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        assert mapping["BisectBatchOnFunctionError"] is True
        assert mapping["MaximumRetryAttempts"] > 0
        assert mapping["DestinationConfig"]["OnFailure"]["Destination"]


def test_nothing_is_lost_with_the_stack(stack: dict[str, Any]) -> None:
    for resource in stack["Resources"].values():
        if resource["Type"] in ("AWS::DynamoDB::Table", "AWS::SecretsManager::Secret", "AWS::SQS::Queue"):
            assert resource["DeletionPolicy"] == "RetainExceptOnCreate"
            assert resource["UpdateReplacePolicy"] == "Retain"


def test_no_secret_stands_in_it(stack: dict[str, Any]) -> None:
    for resource in stack["Resources"].values():
        for name, value in resource["Properties"].get("Environment", {}).get("Variables", {}).items():
            if "SECRET" in name or "TOKEN" in name or "KEY" in name:
                assert isinstance(value, dict), f"{name} is written out"


def test_a_bot_is_given_its_settings_when_it_is_deployed() -> None:
    published = described("chiipochi")
    assert published is not None
    made = template(published, "prod")
    assert made["Parameters"]["StripeSecretKey"]["NoEcho"] is True
    assert "NoEcho" not in made["Parameters"]["MailFrom"]
    variables = made["Resources"]["HttpFunction"]["Properties"]["Environment"]["Variables"]
    assert variables["SEKKEI_LINE_CHANNEL_TOKEN"] == {"Ref": "LineChannelToken"}


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_its_page_says_can_be_set_is_a_parameter(system: str) -> None:
    published = described(system)
    assert published is not None
    given = parts.environment(published)
    written = set(re.findall(r"`(SEKKEI_[A-Z_]+[A-Z])", (DOCS / f"{system}.md").read_text("utf-8")))
    assert written - set(given) <= NOT_ON_LAMBDA


def test_two_systems_fit_into_one_account(stack: dict[str, Any]) -> None:
    """Whatever each of them brings along has a name that the one who deploys can set apart."""
    tables = {name: each for name, each in stack["Resources"].items() if each["Type"] == "AWS::DynamoDB::Table"}
    for table in ("runtime", "web"):
        assert tables[f"Sekkei{table.capitalize()}Table"]["Properties"]["TableName"] == {
            "Fn::Sub": f"${{Shared}}sekkei-{table}"
        }
    assert stack["Parameters"]["Shared"]["Default"] == "", "stacks that are there keep their tables"
    variables = stack["Resources"]["WorkFunction"]["Properties"]["Environment"]["Variables"]
    assert variables["SEKKEI_SHARED"] == {"Ref": "Shared"}


def test_no_two_systems_have_a_table_of_one_name() -> None:
    names = [load(system).table_name(table, "prod") for system in SYSTEMS for table in load(system).tables.values()]
    assert len(set(names)) == len(names)


def test_the_same_input_gives_the_same_bytes() -> None:
    first, second = (json.dumps(template(described("tasks"), "prod")) for _ in range(2))  # type: ignore[arg-type]
    assert first == second


@pytest.mark.timeout(600)
def test_cfn_lint_has_nothing_to_say(stack: dict[str, Any], tmp_path: Path) -> None:
    lint = shutil.which("cfn-lint")
    if lint is None:
        pytest.skip("cfn-lint is not at hand; install it with pip to lint the templates")
    path = tmp_path / "stack.template.json"
    path.write_text(json.dumps(stack))
    done = subprocess.run([lint, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
