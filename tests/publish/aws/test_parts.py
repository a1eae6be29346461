"""CloudFormation and Terraform say the same of a system: settings, alarms, dashboard, cost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sekkei.commands.described import described
from sekkei.publish.aws import calls, parts, permissions, terraform_system
from sekkei.publish.aws.parts import Published
from sekkei.publish.aws.system import template

OF_MANY = {"BatchGetItem", "BatchWriteItem", "ConditionCheckItem"}
SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")


@pytest.fixture(scope="module", params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> Published:
    found = described(request.param)
    assert found is not None
    return found


def of_type(made: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [each["Properties"] for each in made["Resources"].values() if each["Type"] == kind]


def test_the_same_alarms(system: Published) -> None:
    stack = of_type(template(system, "prod"), "AWS::CloudWatch::Alarm")
    made = terraform_system.configuration(system, "prod")["resource"]["aws_cloudwatch_metric_alarm"].values()
    there = {(one["AlarmDescription"], one["MetricName"], one["Threshold"], one["Statistic"]) for one in stack}
    here = {(one["alarm_description"], one["metric_name"], one["threshold"], one["statistic"]) for one in made}
    assert here == there
    assert len(stack) == len(made) == len(parts.alarms(system))
    assert {"AWS/SQS", "AWS/Lambda", "AWS/DynamoDB"} >= {one["Namespace"] for one in stack}
    assert any(one["MetricName"] == "IteratorAge" for one in stack) == bool(system.streams)


def test_the_same_settings(system: Published) -> None:
    stack = template(system, "prod")
    made = terraform_system.configuration(system, "prod")["resource"]["aws_lambda_function"]
    for kind in system.functions:
        there = stack["Resources"][f"{kind.capitalize()}Function"]["Properties"]
        assert made[kind]["environment"]["variables"].keys() == there["Environment"]["Variables"].keys()
        assert made[kind]["timeout"] == there["Timeout"]
        assert made[kind]["handler"] == there["Handler"]


def test_the_same_dashboard(system: Published) -> None:
    (stack,) = of_type(template(system, "prod"), "AWS::CloudWatch::Dashboard")
    made = terraform_system.configuration(system, "prod")["resource"]["aws_cloudwatch_dashboard"]["dashboard"]
    there, here = (json.loads(text)["widgets"] for text in (stack["DashboardBody"]["Fn::Sub"], made["dashboard_body"]))
    shown = [[len(widget["properties"]["metrics"]) for widget in widgets] for widgets in (there, here)]
    assert shown[0] == shown[1]
    assert shown[0][1] == 3 * len(system.functions)


def test_unusual_cost_is_watched_only_where_somebody_is_told(system: Published) -> None:
    made = terraform_system.configuration(system, "prod")["resource"]
    for kind in ("aws_ce_anomaly_monitor", "aws_ce_anomaly_subscription"):
        assert made[kind]["cost"]["count"] == '${var.cost_mail == "" ? 0 : 1}'
    (monitor,) = of_type(template(system, "prod"), "AWS::CE::AnomalyMonitor")
    assert made["aws_ce_anomaly_monitor"]["cost"]["monitor_specification"] == monitor["MonitorSpecification"]


def test_mail_is_sent_by_the_clock_alone(system: Published) -> None:
    """Pages and streams put it into the outbox."""
    sending = [name for name in system.functions if "ses:SendEmail" in str(parts.statements(name, system))]
    assert sending == (["work"] if system.sends_mail else [])


def test_what_lambda_asks_for_itself(system: Published) -> None:
    """Streams that a mapping reads, the queue that it names, one's own log: no local cloud asks IAM for these."""
    made = template(system, "prod")
    mappings = of_type(made, "AWS::Lambda::EventSourceMapping")
    queues = [each["DestinationConfig"]["OnFailure"]["Destination"] for each in mappings]
    streams = {f"dynamodb:{action}": [each["EventSourceArn"] for each in mappings] for action in permissions.STREAM}
    of_streams = {**streams, "sqs:SendMessage": queues[:1]} if mappings else {}
    assert all(each == queues[0] for each in queues)
    for function in system.functions:
        log = [{"Fn::GetAtt": [f"{function.capitalize()}Logs", "Arn"]}]
        logs: dict[str, list[Any]] = {"logs:CreateLogStream": log, "logs:PutLogEvents": log}
        mail = {"ses:SendEmail": ["*"]} if function == "work" and system.sends_mail else {}
        assert _beside_tables(made, function) == {**logs, **mail, **(of_streams if function == "stream" else {})}


def _beside_tables(made: dict[str, Any], function: str) -> dict[str, list[Any]]:
    """Resources by action of a function's role, without those of tables and indexes."""
    (policy,) = made["Resources"][f"{function.capitalize()}Role"]["Properties"]["Policies"]
    found: dict[str, list[Any]] = {}
    for statement in policy["PolicyDocument"]["Statement"]:
        given = statement["Resource"]
        for action in statement["Action"]:
            if action.partition(":")[2] not in calls.SINGLE | OF_MANY:
                found.setdefault(action, []).extend(given if isinstance(given, list) else [given])
    return found


def test_of_tables_a_role_allows_what_was_noted(system: Published) -> None:
    for function in system.functions:
        allowed = {
            (str(resource), action.removeprefix("dynamodb:"))
            for statement in permissions.statements(*system.designs, function=function, noted=system.calls)
            for action in statement["Action"]
            for resource in statement["Resource"]
        }
        noted = {
            (str(permissions.index_arn(table, index) if index else permissions.arn_of(table)), action)
            for design in system.designs
            for name, actions in system.calls[design.name].get(function, {}).items()
            for table, index in [(design.tables[name.partition("/index/")[0]], name.partition("/index/")[2])]
            for action in actions
        }
        assert allowed == noted
