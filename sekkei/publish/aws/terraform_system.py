"""The functions of a system and what calls them, as Terraform in its JSON form; the tables stand beside it.

The same parts as the CloudFormation stack (`system.py`), in Terraform's words. The secret is a variable: Terraform
keeps what it makes in its state, so whoever deploys decides where that lies.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sekkei.design import Table
from sekkei.publish.aws import permissions
from sekkei.publish.aws.names import logical
from sekkei.publish.aws.system import (
    COST_TAG,
    HTTP_SECONDS,
    LOG_DAYS,
    MEMORY_MB,
    RUNTIME,
    STREAM_RETRIES,
    WORK_SECONDS,
    Published,
)
from sekkei.publish.aws.terraform import configuration as tables
from sekkei.publish.aws.terraform import resource_name

Block = dict[str, Any]


def configuration(system: Published, env: str) -> Block:
    made = tables(*system.designs, env=env)
    made["variable"] |= _variables(system)
    made["locals"] = {"system": system.name}
    made["data"] = {"aws_region": {"here": {}}}
    kinds = ["http", "work", *(["stream"] if system.streams else [])]
    resources: Block = made["resource"]
    resources |= {
        "aws_cloudwatch_log_group": {kind: _logs(kind) for kind in kinds},
        "aws_iam_role": {kind: _role("lambda.amazonaws.com") for kind in kinds}
        | {"clock": _role("scheduler.amazonaws.com")},
        "aws_iam_role_policy": {kind: _policy(kind, system) for kind in kinds} | {"clock": _clock_policy()},
        "aws_lambda_function": {kind: _function(kind, system) for kind in kinds},
        **_http_api(),
        "aws_scheduler_schedule": {"clock": _clock()},
    }
    if system.streams:
        resources |= _streams(system.streams)
    resources["aws_cloudwatch_metric_alarm"] = _alarms(system, kinds)
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
        "alarm_topics": {"type": "list(string)", "default": [], "description": "ARNs of SNS topics for alarms"},
    }
    for name in system.settings.plain:
        found[name] = {"type": "string", "default": "", "description": f"SEKKEI_{name.upper()}"}
    for name in system.settings.secret:
        found[name] = {"type": "string", "default": "", "sensitive": True, "description": f"SEKKEI_{name.upper()}"}
    return found


def _logs(kind: str) -> Block:
    return {"name": f"/aws/lambda/${{local.system}}-{kind}", "retention_in_days": LOG_DAYS}


def _role(service: str) -> Block:
    trust = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return {"assume_role_policy": _document([trust])}


def _document(statements: list[Block]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def _policy(kind: str, system: Published) -> Block:
    statements = permissions.statements(*system.designs, scan=kind == "work", noted=system.calls)
    if kind == "stream":
        statements += [permissions.stream_statement(table) for table in system.streams]
        statements.append(_allow("DeadLetters", ["sqs:SendMessage"], "${aws_sqs_queue.stream_dead_letters.arn}"))
    if system.sends_mail and kind != "http":
        statements.append(_allow("Mail", ["ses:SendEmail"], "*"))
    logs = f"${{aws_cloudwatch_log_group.{kind}.arn}}:*"
    statements.append(_allow("Logs", ["logs:CreateLogStream", "logs:PutLogEvents"], logs))
    known = _tables(system)
    return {
        "role": f"${{aws_iam_role.{kind}.id}}",
        "policy": _document([_translated(one, known) for one in statements]),
    }


def _tables(system: Published) -> dict[str, str]:
    """Logical names of the stack's tables, and what Terraform calls them."""
    found = [table for design in system.designs for table in design.tables.values()]
    return {logical(table.name, "table"): f"aws_dynamodb_table.{resource_name(table)}" for table in found}


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
        return f"${{{known[name]}.{'arn' if attribute == 'Arn' else 'stream_arn'}}}"
    name, _, rest = resource["Fn::Sub"].removeprefix("${").partition(".Arn}")
    return f"${{{known[name]}.arn}}{rest}"


def _allow(sid: str, actions: list[str], resource: str) -> Block:
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": [resource]}


def _function(kind: str, system: Published) -> Block:
    variables = {
        "SEKKEI_STORE": "dynamodb://${data.aws_region.here.region}",
        "SEKKEI_ENV": "${var.env}",
        "SEKKEI_SYSTEMS": system.name,
        "SEKKEI_SECRET": "${var.secret}",
        "SEKKEI_PUBLIC_URL": "${aws_apigatewayv2_api.api.api_endpoint}",
        "SEKKEI_OPERATORS": "${var.operators}",
    }
    for name in (*system.settings.plain, *system.settings.secret):
        variables[f"SEKKEI_{name.upper()}"] = f"${{var.{name}}}"
    return {
        "function_name": f"${{local.system}}-{kind}",
        "runtime": RUNTIME,
        "architectures": ["${var.architecture}"],
        "handler": f"sekkei.web.on_lambda.{kind}",
        "role": f"${{aws_iam_role.{kind}.arn}}",
        "filename": "${var.package}",
        "source_code_hash": "${filebase64sha256(var.package)}",
        "memory_size": MEMORY_MB,
        "timeout": HTTP_SECONDS if kind == "http" else WORK_SECONDS,
        "environment": {"variables": variables},
        "tags": {COST_TAG: system.name},
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


def _clock() -> Block:
    """Every minute: recurring jobs, schedules, the outbox, steps of long jobs."""
    return {
        "schedule_expression": "rate(1 minute)",
        "flexible_time_window": {"mode": "OFF"},
        "target": {
            "arn": "${aws_lambda_function.work.arn}",
            "role_arn": "${aws_iam_role.clock.arn}",
            "input": "{}",
            "retry_policy": {"maximum_retry_attempts": 0},
        },
    }


def _clock_policy() -> Block:
    call = _allow("Work", ["lambda:InvokeFunction"], "${aws_lambda_function.work.arn}")
    return {"role": "${aws_iam_role.clock.id}", "policy": _document([call])}


def _streams(streams: Sequence[Table]) -> Block:
    mappings = {
        resource_name(table): {
            "event_source_arn": f"${{aws_dynamodb_table.{resource_name(table)}.stream_arn}}",
            "function_name": "${aws_lambda_function.stream.arn}",
            "starting_position": "TRIM_HORIZON",
            "batch_size": 100,
            "bisect_batch_on_function_error": True,
            "maximum_retry_attempts": STREAM_RETRIES,
            "function_response_types": ["ReportBatchItemFailures"],
            "destination_config": {"on_failure": {"destination_arn": "${aws_sqs_queue.stream_dead_letters.arn}"}},
        }
        for table in streams
    }
    queue = {
        "message_retention_seconds": 1_209_600,
        "sqs_managed_sse_enabled": True,
        "lifecycle": {"prevent_destroy": True},
    }
    return {"aws_lambda_event_source_mapping": mappings, "aws_sqs_queue": {"stream_dead_letters": queue}}


def _alarms(system: Published, kinds: list[str]) -> Block:
    found: Block = {}
    for kind in kinds:
        name = {"FunctionName": f"${{aws_lambda_function.{kind}.function_name}}"}
        found[f"{kind}_errors"] = _alarm("AWS/Lambda", "Errors", name, 1, f"The {kind} function fails")
    for table in system.designs[0].tables.values():
        name = {"TableName": f"${{aws_dynamodb_table.{resource_name(table)}.name}}"}
        text = f"{table.name} refuses requests: see sekkei simulate"
        found[f"{resource_name(table)}_throttles"] = _alarm("AWS/DynamoDB", "ThrottledRequests", name, 10, text)
    if system.streams:
        queue = {"QueueName": "${aws_sqs_queue.stream_dead_letters.name}"}
        metric = "ApproximateNumberOfMessagesVisible"
        found["stream_dead"] = _alarm("AWS/SQS", metric, queue, 1, "Records of a stream were given up")
        age = {"FunctionName": "${aws_lambda_function.stream.function_name}"}
        found["stream_age"] = _alarm("AWS/Lambda", "IteratorAge", age, 300_000, "Streams are read five minutes late")
    return found


def _alarm(namespace: str, metric: str, dimensions: dict[str, str], threshold: int, text: str) -> Block:
    return {
        "alarm_name": f"${{local.system}} {text}",
        "alarm_description": text,
        "namespace": namespace,
        "metric_name": metric,
        "dimensions": dimensions,
        "statistic": "Maximum" if metric in ("IteratorAge", "ApproximateNumberOfMessagesVisible") else "Sum",
        "period": 300,
        "evaluation_periods": 1,
        "threshold": threshold,
        "comparison_operator": "GreaterThanOrEqualToThreshold",
        "treat_missing_data": "notBreaching",
        "alarm_actions": "${var.alarm_topics}",
    }


def _outputs(system: Published) -> Block:
    endpoint = "${aws_apigatewayv2_api.api.api_endpoint}"
    found: Block = {"url": {"value": f"{endpoint}/{system.name}/"}, "console": {"value": f"{endpoint}/console"}}
    if system.webhooks:
        found["webhooks"] = {"value": [f"{endpoint}/{system.name}{path}" for path in system.webhooks]}
    return found
