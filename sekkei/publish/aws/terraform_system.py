"""The functions of a system and what calls them, as Terraform in its JSON form; the tables stand beside it.

The same parts as the CloudFormation stack (`system.py`), in Terraform's words. The secret is a variable: Terraform
keeps what it makes in its state, so whoever deploys decides where that lies.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sekkei.design import Table
from sekkei.publish.aws import parts
from sekkei.publish.aws.names import logical
from sekkei.publish.aws.parts import Given, Published, allow
from sekkei.publish.aws.terraform import configuration as tables
from sekkei.publish.aws.terraform import plain, resource_name

Block = dict[str, Any]
BASE = '${var.domain == "" ? aws_apigatewayv2_api.api.api_endpoint : "https://${var.domain}"}'
"""Where people and providers come: by a name of one's own, or by the one that the API was given."""


def configuration(system: Published, env: str) -> Block:
    made = tables(*system.designs, env=env)
    made["variable"] |= _variables(system)
    made["locals"] = {"system": system.name, "base": BASE}
    made["data"] = {"aws_region": {"here": {}}}
    kinds = system.functions
    resources: Block = made["resource"]
    resources |= {
        "aws_cloudwatch_log_group": {kind: _logs(kind) for kind in kinds},
        "aws_iam_role": {kind: _role("lambda.amazonaws.com") for kind in kinds}
        | {"clock": _role("scheduler.amazonaws.com")},
        "aws_iam_role_policy": {kind: _policy(kind, system) for kind in kinds} | {"clock": _clock_policy()},
        "aws_lambda_function": {kind: _function(kind, system) for kind in kinds},
        **_http_api(),
        **_domain(),
        "aws_scheduler_schedule": {"clock": _clock()},
    }
    if system.streams:
        resources |= _streams(system.streams)
    resources |= _alarms(system) | _dashboard(system) | _unusual_cost(system)
    made["output"] |= _outputs(system)
    return made


def _variables(system: Published) -> Block:
    found: Block = {
        "package": {"type": "string", "default": "package.zip", "description": "From `sekkei publish --to package`"},
        "architecture": {"type": "string", "default": "arm64", "description": "What the package was built for"},
        "secret": {
            "type": "string",
            "sensitive": True,
            "description": "Signs sessions, links and cursors; the same for ever",
            "validation": {
                "condition": "${length(var.secret) >= 16}",
                "error_message": "The secret needs at least 16 characters.",
            },
        },
        "operators": {"type": "string", "default": "", "description": "Mail addresses of those who may use /console"},
        "domain": {"type": "string", "default": "", "description": "A name of yours, as tasks.example.com"},
        "certificate": {
            "type": "string",
            "default": "",
            "description": "With domain: ARN of its certificate in ACM, in the same region",
        },
        "alarm_topics": {"type": "list(string)", "default": [], "description": "ARNs of SNS topics for alarms"},
        "cost_mail": {"type": "string", "default": "", "description": "Mail address that hears of unusual cost"},
    }
    for name in system.settings.plain:
        found[name] = {"type": "string", "default": "", "description": f"SEKKEI_{name.upper()}"}
    for name in system.settings.secret:
        found[name] = {"type": "string", "default": "", "sensitive": True, "description": f"SEKKEI_{name.upper()}"}
    return found


def _logs(kind: str) -> Block:
    return {"name": f"/aws/lambda/${{local.system}}-{kind}", "retention_in_days": parts.LOG_DAYS}


def _role(service: str) -> Block:
    trust = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return {"assume_role_policy": _document([trust])}


def _document(statements: list[Block]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def _policy(kind: str, system: Published) -> Block:
    known = _names(system)
    return {
        "role": f"${{aws_iam_role.{kind}.id}}",
        "policy": _document([_translated(one, known) for one in parts.statements(kind, system)]),
    }


def _names(system: Published) -> dict[str, str]:
    """Logical names of the stack that permissions speak of, and what Terraform calls them."""
    found = [table for design in system.designs for table in design.tables.values()]
    names = {logical(table.name, "table"): f"aws_dynamodb_table.{resource_name(table)}" for table in found}
    names |= {logical(kind, "logs"): f"aws_cloudwatch_log_group.{kind}" for kind in system.functions}
    return {**names, parts.DEAD_LETTERS: "aws_sqs_queue.stream_dead_letters"}


def _translated(statement: Block, known: dict[str, str]) -> Block:
    """A statement whose resources speak of this configuration instead of a stack."""
    resources = statement["Resource"]
    listed = resources if isinstance(resources, list) else [resources]
    return {**statement, "Resource": [_reference(each, known) for each in listed]}


def _reference(resource: Any, known: dict[str, str]) -> str:
    if isinstance(resource, str):
        return resource
    if "Fn::GetAtt" in resource:
        name, attribute = resource["Fn::GetAtt"]
        streams = ":*" if name.endswith("Logs") else ""  # of a group of logs; CloudFormation says so by itself
        return f"${{{known[name]}.{'arn' if attribute == 'Arn' else 'stream_arn'}}}{streams}"
    name, _, rest = resource["Fn::Sub"].removeprefix("${").partition(".Arn}")
    return f"${{{known[name]}.arn}}{rest}"


def _given(value: Given) -> str:
    others = {
        "text": value.name,
        "parameter": f"${{var.{value.name}}}",
        "store": "dynamodb://${data.aws_region.here.region}",
        "secret": "${var.secret}",
        "url": "${local.base}",
    }
    return others[value.kind]


def _function(kind: str, system: Published) -> Block:
    return {
        "function_name": f"${{local.system}}-{kind}",
        "runtime": parts.RUNTIME,
        "architectures": ["${var.architecture}"],
        "handler": f"sekkei.web.on_lambda.{kind}",
        "role": f"${{aws_iam_role.{kind}.arn}}",
        "filename": "${var.package}",
        "source_code_hash": "${filebase64sha256(var.package)}",
        "memory_size": parts.MEMORY_MB,
        "timeout": parts.SECONDS[kind],
        "environment": {"variables": {name: _given(value) for name, value in parts.environment(system).items()}},
        "tags": {parts.COST_TAG: system.name},
        "depends_on": [f"aws_cloudwatch_log_group.{kind}"],
    }


def _http_api() -> Block:
    return {
        "aws_apigatewayv2_api": {"api": {"name": "${local.system}", "protocol_type": "HTTP"}},
        "aws_apigatewayv2_integration": {
            "http": {
                "api_id": "${aws_apigatewayv2_api.api.id}",
                "integration_type": "AWS_PROXY",
                "integration_uri": "${aws_lambda_function.http.invoke_arn}",
                "payload_format_version": "2.0",
            }
        },
        "aws_apigatewayv2_route": {
            "all": {
                "api_id": "${aws_apigatewayv2_api.api.id}",
                "route_key": "$default",
                "target": "integrations/${aws_apigatewayv2_integration.http.id}",
            }
        },
        "aws_apigatewayv2_stage": {
            "all": {"api_id": "${aws_apigatewayv2_api.api.id}", "name": "$default", "auto_deploy": True}
        },
        "aws_lambda_permission": {
            "api": {
                "action": "lambda:InvokeFunction",
                "function_name": "${aws_lambda_function.http.function_name}",
                "principal": "apigateway.amazonaws.com",
                "source_arn": "${aws_apigatewayv2_api.api.execution_arn}/*",
            }
        },
    }


def _domain() -> Block:
    """Only with `domain`."""
    count = '${var.domain == "" ? 0 : 1}'
    precondition = {
        "condition": '${var.certificate != ""}',
        "error_message": "domain needs certificate, the ARN of its certificate in ACM.",
    }
    shown = {"certificate_arn": "${var.certificate}", "endpoint_type": "REGIONAL", "security_policy": "TLS_1_2"}
    name = {
        "count": count,
        "domain_name": "${var.domain}",
        "domain_name_configuration": shown,
        "lifecycle": {"precondition": precondition},
    }
    mapping = {
        "count": count,
        "api_id": "${aws_apigatewayv2_api.api.id}",
        "domain_name": "${aws_apigatewayv2_domain_name.api[0].id}",
        "stage": "${aws_apigatewayv2_stage.all.id}",
    }
    return {"aws_apigatewayv2_domain_name": {"api": name}, "aws_apigatewayv2_api_mapping": {"api": mapping}}


def _clock() -> Block:
    """Every minute: recurring jobs, schedules, the outbox, steps of long jobs."""
    return {
        "schedule_expression": parts.EVERY_MINUTE,
        "flexible_time_window": {"mode": "OFF"},
        "target": {
            "arn": "${aws_lambda_function.work.arn}",
            "role_arn": "${aws_iam_role.clock.arn}",
            "input": "{}",
            "retry_policy": {"maximum_retry_attempts": 0},
        },
    }


def _clock_policy() -> Block:
    call = allow("Work", ["lambda:InvokeFunction"], ["${aws_lambda_function.work.arn}"])
    return {"role": "${aws_iam_role.clock.id}", "policy": _document([call])}


def _streams(streams: Sequence[Table]) -> Block:
    mappings = {
        resource_name(table): {
            "event_source_arn": f"${{aws_dynamodb_table.{resource_name(table)}.stream_arn}}",
            "function_name": "${aws_lambda_function.stream.arn}",
            "starting_position": "TRIM_HORIZON",
            "batch_size": parts.STREAM_BATCH,
            "bisect_batch_on_function_error": True,
            "maximum_retry_attempts": parts.STREAM_RETRIES,
            "function_response_types": ["ReportBatchItemFailures"],
            "destination_config": {"on_failure": {"destination_arn": "${aws_sqs_queue.stream_dead_letters.arn}"}},
        }
        for table in streams
    }
    queue = {
        "message_retention_seconds": parts.DEAD_LETTER_SECONDS,
        "sqs_managed_sse_enabled": True,
        "lifecycle": {"prevent_destroy": True},
    }
    return {"aws_lambda_event_source_mapping": mappings, "aws_sqs_queue": {"stream_dead_letters": queue}}


def _alarms(system: Published) -> Block:
    return {"aws_cloudwatch_metric_alarm": {plain(f"{one.of}_{one.what}"): _alarm(one) for one in parts.alarms(system)}}


def _alarm(alarm: parts.Alarm) -> Block:
    of = {
        "AWS/Lambda": f"${{aws_lambda_function.{alarm.of}.function_name}}",
        "AWS/DynamoDB": f"${{aws_dynamodb_table.{plain(alarm.of)}.name}}",
        "AWS/SQS": "${aws_sqs_queue.stream_dead_letters.name}",
    }
    space = alarm.metric.namespace
    return {
        "alarm_name": f"${{local.system}} {alarm.text}",
        "alarm_description": alarm.text,
        "namespace": space,
        "metric_name": alarm.metric.name,
        "dimensions": {parts.DIMENSIONS[space]: of[space]},
        "statistic": alarm.metric.statistic,
        "period": parts.ALARM_SECONDS,
        "evaluation_periods": 1,
        "threshold": alarm.threshold,
        "comparison_operator": "GreaterThanOrEqualToThreshold",
        "treat_missing_data": "notBreaching",
        "alarm_actions": "${var.alarm_topics}",
    }


def _dashboard(system: Published) -> Block:
    names = {name: f"${{aws_dynamodb_table.{plain(name)}.name}}" for name in system.designs[0].tables}
    names |= {each: f"${{aws_lambda_function.{each}.function_name}}" for each in system.functions}
    body = json.dumps(parts.dashboard(system, "${data.aws_region.here.region}", names))
    return {
        "aws_cloudwatch_dashboard": {"dashboard": {"dashboard_name": "${local.system}", "dashboard_body": body}},
    }


def _unusual_cost(system: Published) -> Block:
    """Only with `cost_mail`."""
    count = '${var.cost_mail == "" ? 0 : 1}'
    above = parts.COST_ABOVE
    dimension = {"key": above["Key"], "match_options": above["MatchOptions"], "values": above["Values"]}
    monitor = {
        "count": count,
        "name": "${local.system}",
        "monitor_type": "CUSTOM",
        "monitor_specification": json.dumps(parts.cost_watched(system)),
    }
    subscription = {
        "count": count,
        "name": "${local.system}",
        "frequency": "DAILY",
        "monitor_arn_list": ["${aws_ce_anomaly_monitor.cost[0].arn}"],
        "subscriber": [{"type": "EMAIL", "address": "${var.cost_mail}"}],
        "threshold_expression": {"dimension": dimension},
    }
    return {"aws_ce_anomaly_monitor": {"cost": monitor}, "aws_ce_anomaly_subscription": {"cost": subscription}}


def _outputs(system: Published) -> Block:
    base, target = (
        "${local.base}",
        "aws_apigatewayv2_domain_name.api[*].domain_name_configuration[0].target_domain_name",
    )
    found: Block = {
        "url": {"value": f"{base}/{system.name}/"},
        "console": {"value": f"{base}/console"},
        "domain_target": {"value": f"${{one({target})}}", "description": "What your domain's record has to point to"},
    }
    if system.webhooks:
        found["webhooks"] = {"value": [f"{base}/{system.name}{path}" for path in system.webhooks]}
    return found
