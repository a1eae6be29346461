"""CloudFormation and Terraform say the same of a system: settings, alarms, dashboard, cost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sekkei.commands.described import described
from sekkei.publish.aws import parts, terraform_system
from sekkei.publish.aws.parts import Published
from sekkei.publish.aws.system import template

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
