"""A whole system as a stack: tables, functions, an HTTP API, streams, the clock, roles, logs, alarms, a dashboard."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sekkei.design import Design, Table
from sekkei.publish.aws import permissions
from sekkei.publish.aws.calls import Calls
from sekkei.publish.aws.names import logical
from sekkei.publish.aws.tables import Resource, env_parameter, tables

RUNTIME = "python3.12"
LOG_DAYS = 30
MEMORY_MB = 512
HTTP_SECONDS = 29
WORK_SECONDS = 60
STREAM_RETRIES = 5
COST_TAG = "sekkei:system"
UNUSUAL_COST_USD = "10"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a system that whoever deploys it must give, and how."""

    plain: Sequence[str] = ()
    secret: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Published:
    """What is known of a system above this floor."""

    name: str
    designs: Sequence[Design]
    """The system's own first, then those it shares: the runtime's and the web shell's."""
    streams: Sequence[Table]
    settings: Settings = field(default_factory=Settings)
    webhooks: Sequence[str] = ()
    """Paths that other programs call."""
    sends_mail: bool = False
    calls: Mapping[str, Calls] = field(default_factory=dict)
    """What its tests have seen it ask, by name of the design."""


def template(system: Published, env: str) -> dict[str, Any]:
    """The stack. What is secret is made by AWS or given when it is deployed; nothing of it stands in here."""
    resources: dict[str, Resource] = {
        **tables(*system.designs),
        **_secret(system),
        **_function("Http", "sekkei.web.on_lambda.http", system, HTTP_SECONDS),
        **_http_api(),
        **_function("Work", "sekkei.web.on_lambda.work", system, WORK_SECONDS),
        **_clock(),
    }
    if system.streams:
        resources |= _function("Stream", "sekkei.web.on_lambda.stream", system, WORK_SECONDS) | _streams(system.streams)
    resources |= _alarms(system) | _unusual_cost(system) | _dashboard(system)
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"The system {system.name}, published by Sekkei",
        "Parameters": _parameters(system, env),
        "Conditions": {"HasAlarmTopic": _given("AlarmTopic"), "HasCostMail": _given("CostMail")},
        "Resources": resources,
        "Outputs": _outputs(system),
    }


def _parameters(system: Published, env: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "Env": env_parameter(env),
        "CodeBucket": {"Type": "String", "Description": "The bucket that the package was uploaded to"},
        "CodeKey": {"Type": "String", "Description": "The package's key there; `sekkei publish` builds package.zip"},
        "Architecture": {
            "Type": "String",
            "Default": "arm64",
            "AllowedValues": ["arm64", "x86_64"],
            "Description": "What the package was built for",
        },
        "Operators": {"Type": "String", "Default": "", "Description": "Mail addresses of those who may use /console"},
        "AlarmTopic": {"Type": "String", "Default": "", "Description": "ARN of an SNS topic for alarms; may be empty"},
        "CostMail": {
            "Type": "String",
            "Default": "",
            "Description": "Mail address that hears of unusual cost; may be empty",
        },
    }
    for name in system.settings.plain:
        found[logical(name)] = {"Type": "String", "Default": "", "Description": f"SEKKEI_{name.upper()}"}
    for name in system.settings.secret:
        found[logical(name)] = {
            "Type": "String",
            "Default": "",
            "NoEcho": True,
            "Description": f"SEKKEI_{name.upper()}, kept secret",
        }
    return found


def _secret(system: Published) -> dict[str, Resource]:
    generated = {"PasswordLength": 48, "ExcludePunctuation": True}
    return {
        "Secret": {
            "Type": "AWS::SecretsManager::Secret",
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
            "Properties": {
                "Description": f"Signs sessions, links and cursors of {system.name}; the same for ever",
                "GenerateSecretString": generated,
            },
        }
    }


def _function(kind: str, handler: str, system: Published, seconds: int) -> dict[str, Resource]:
    return {
        f"{kind}Logs": {
            "Type": "AWS::Logs::LogGroup",
            "DeletionPolicy": "Delete",
            "UpdateReplacePolicy": "Delete",
            "Properties": {
                "LogGroupName": {"Fn::Sub": f"/aws/lambda/${{AWS::StackName}}-{kind.lower()}"},
                "RetentionInDays": LOG_DAYS,
            },
        },
        f"{kind}Role": _role(kind, system),
        f"{kind}Function": {
            "Type": "AWS::Lambda::Function",
            "DependsOn": [f"{kind}Logs"],
            "Properties": {
                "FunctionName": {"Fn::Sub": f"${{AWS::StackName}}-{kind.lower()}"},
                "Runtime": RUNTIME,
                "Architectures": [{"Ref": "Architecture"}],
                "Handler": handler,
                "Role": {"Fn::GetAtt": [f"{kind}Role", "Arn"]},
                "Code": {"S3Bucket": {"Ref": "CodeBucket"}, "S3Key": {"Ref": "CodeKey"}},
                "MemorySize": MEMORY_MB,
                "Timeout": seconds,
                "Environment": {"Variables": _environment(system)},
                "Tags": [{"Key": COST_TAG, "Value": system.name}],
            },
        },
    }


def _environment(system: Published) -> dict[str, Any]:
    found: dict[str, Any] = {
        "SEKKEI_STORE": {"Fn::Sub": "dynamodb://${AWS::Region}"},
        "SEKKEI_ENV": {"Ref": "Env"},
        "SEKKEI_SYSTEMS": system.name,
        "SEKKEI_SECRET": {"Fn::Sub": "{{resolve:secretsmanager:${Secret}}}"},
        "SEKKEI_PUBLIC_URL": {"Fn::GetAtt": ["Api", "ApiEndpoint"]},
        "SEKKEI_OPERATORS": {"Ref": "Operators"},
    }
    for name in (*system.settings.plain, *system.settings.secret):
        found[f"SEKKEI_{name.upper()}"] = {"Ref": logical(name)}
    return found


def _role(kind: str, system: Published) -> Resource:
    statements = permissions.statements(*system.designs, scan=kind == "Work", noted=system.calls)
    if kind == "Stream":
        statements += [permissions.stream_statement(table) for table in system.streams]
        statements.append(_allow("DeadLetters", ["sqs:SendMessage"], {"Fn::GetAtt": ["StreamDeadLetters", "Arn"]}))
    if system.sends_mail and kind != "Http":
        statements.append(_allow("Mail", ["ses:SendEmail"], "*"))
    logs = {"Fn::GetAtt": [f"{kind}Logs", "Arn"]}
    statements.append(_allow("Logs", ["logs:CreateLogStream", "logs:PutLogEvents"], logs))
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": _trust("lambda.amazonaws.com"),
            "Policies": [{"PolicyName": "sekkei", "PolicyDocument": _policy(statements)}],
        },
    }


def _trust(service: str) -> dict[str, Any]:
    return _policy([{"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}])


def _policy(statements: list[dict[str, Any]]) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": statements}


def _allow(sid: str, actions: list[str], resource: Any) -> dict[str, Any]:
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resource}


def _http_api() -> dict[str, Resource]:
    source = {"Fn::Sub": "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*"}
    return {
        "Api": {
            "Type": "AWS::ApiGatewayV2::Api",
            "Properties": {"Name": {"Ref": "AWS::StackName"}, "ProtocolType": "HTTP"},
        },
        "ApiIntegration": {
            "Type": "AWS::ApiGatewayV2::Integration",
            "Properties": {
                "ApiId": {"Ref": "Api"},
                "IntegrationType": "AWS_PROXY",
                "IntegrationUri": {"Fn::GetAtt": ["HttpFunction", "Arn"]},
                "PayloadFormatVersion": "2.0",
            },
        },
        "ApiRoute": {
            "Type": "AWS::ApiGatewayV2::Route",
            "Properties": {
                "ApiId": {"Ref": "Api"},
                "RouteKey": "$default",
                "Target": {"Fn::Sub": "integrations/${ApiIntegration}"},
            },
        },
        "ApiStage": {
            "Type": "AWS::ApiGatewayV2::Stage",
            "Properties": {"ApiId": {"Ref": "Api"}, "StageName": "$default", "AutoDeploy": True},
        },
        "ApiPermission": {
            "Type": "AWS::Lambda::Permission",
            "Properties": {
                "Action": "lambda:InvokeFunction",
                "FunctionName": {"Ref": "HttpFunction"},
                "Principal": "apigateway.amazonaws.com",
                "SourceArn": source,
            },
        },
    }


def _clock() -> dict[str, Resource]:
    """Every minute: recurring jobs, schedules, the outbox, steps of long jobs."""
    target = {"Fn::GetAtt": ["WorkFunction", "Arn"]}
    call = _policy([_allow("Work", ["lambda:InvokeFunction"], target)])
    return {
        "ClockRole": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "AssumeRolePolicyDocument": _trust("scheduler.amazonaws.com"),
                "Policies": [{"PolicyName": "work", "PolicyDocument": call}],
            },
        },
        "Clock": {
            "Type": "AWS::Scheduler::Schedule",
            "Properties": {
                "ScheduleExpression": "rate(1 minute)",
                "FlexibleTimeWindow": {"Mode": "OFF"},
                "Target": {
                    "Arn": target,
                    "RoleArn": {"Fn::GetAtt": ["ClockRole", "Arn"]},
                    "Input": "{}",
                    "RetryPolicy": {"MaximumRetryAttempts": 0},
                },
            },
        },
    }


def _streams(streams: Sequence[Table]) -> dict[str, Resource]:
    found: dict[str, Resource] = {
        "StreamDeadLetters": {
            "Type": "AWS::SQS::Queue",
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
            "Properties": {"MessageRetentionPeriod": 1_209_600, "SqsManagedSseEnabled": True},
        }
    }
    for table in streams:
        found[logical(table.name, "stream")] = {
            "Type": "AWS::Lambda::EventSourceMapping",
            "Properties": {
                "EventSourceArn": {"Fn::GetAtt": [logical(table.name, "table"), "StreamArn"]},
                "FunctionName": {"Ref": "StreamFunction"},
                "StartingPosition": "TRIM_HORIZON",
                "BatchSize": 100,
                "BisectBatchOnFunctionError": True,
                "MaximumRetryAttempts": STREAM_RETRIES,
                "FunctionResponseTypes": ["ReportBatchItemFailures"],
                "DestinationConfig": {"OnFailure": {"Destination": {"Fn::GetAtt": ["StreamDeadLetters", "Arn"]}}},
            },
        }
    return found


def _alarms(system: Published) -> dict[str, Resource]:
    found: dict[str, Resource] = {}
    kinds = ["Http", "Work", *(["Stream"] if system.streams else [])]
    for kind in kinds:
        dimension = {"Name": "FunctionName", "Value": {"Ref": f"{kind}Function"}}
        found[f"{kind}Errors"] = _alarm("AWS/Lambda", "Errors", [dimension], 1, f"The {kind.lower()} function fails")
    for table in system.designs[0].tables.values():
        dimension = {"Name": "TableName", "Value": {"Ref": logical(table.name, "table")}}
        text = f"{table.name} refuses requests: see sekkei simulate"
        found[logical(table.name, "throttles")] = _alarm("AWS/DynamoDB", "ThrottledRequests", [dimension], 10, text)
    if system.streams:
        queue = {"Name": "QueueName", "Value": {"Fn::GetAtt": ["StreamDeadLetters", "QueueName"]}}
        metric = "ApproximateNumberOfMessagesVisible"
        found["StreamDead"] = _alarm("AWS/SQS", metric, [queue], 1, "Records of a stream were given up")
        age = {"Name": "FunctionName", "Value": {"Ref": "StreamFunction"}}
        found["StreamAge"] = _alarm("AWS/Lambda", "IteratorAge", [age], 300_000, "Streams are read five minutes late")
    return found


def _alarm(namespace: str, metric: str, dimensions: list[Any], threshold: int, text: str) -> Resource:
    return {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": {
            "AlarmDescription": text,
            "Namespace": namespace,
            "MetricName": metric,
            "Dimensions": dimensions,
            "Statistic": "Maximum" if metric in ("IteratorAge", "ApproximateNumberOfMessagesVisible") else "Sum",
            "Period": 300,
            "EvaluationPeriods": 1,
            "Threshold": threshold,
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
            "TreatMissingData": "notBreaching",
            "AlarmActions": {"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopic"}], {"Ref": "AWS::NoValue"}]},
        },
    }


def _given(parameter: str) -> dict[str, Any]:
    return {"Fn::Not": [{"Fn::Equals": [{"Ref": parameter}, ""]}]}


def _unusual_cost(system: Published) -> dict[str, Resource]:
    """Watched by a tag, which has to be activated once for the account under Billing, Cost allocation tags."""
    watched = {"Tags": {"Key": COST_TAG, "Values": [system.name], "MatchOptions": ["EQUALS"]}}
    above = {"Dimensions": {"Key": "ANOMALY_TOTAL_IMPACT_ABSOLUTE", "MatchOptions": ["GREATER_THAN_OR_EQUAL"]}}
    above["Dimensions"]["Values"] = [UNUSUAL_COST_USD]
    return {
        "CostMonitor": {
            "Type": "AWS::CE::AnomalyMonitor",
            "Condition": "HasCostMail",
            "Properties": {
                "MonitorName": {"Ref": "AWS::StackName"},
                "MonitorType": "CUSTOM",
                "MonitorSpecification": json.dumps(watched),
            },
        },
        "CostAlarm": {
            "Type": "AWS::CE::AnomalySubscription",
            "Condition": "HasCostMail",
            "Properties": {
                "SubscriptionName": {"Ref": "AWS::StackName"},
                "Frequency": "DAILY",
                "MonitorArnList": [{"Ref": "CostMonitor"}],
                "Subscribers": [{"Type": "EMAIL", "Address": {"Ref": "CostMail"}}],
                "ThresholdExpression": json.dumps(above),
            },
        },
    }


def _dashboard(system: Published) -> dict[str, Resource]:
    names = [logical(table.name, "table") for table in system.designs[0].tables.values()]
    metrics = ",".join(f'["AWS/DynamoDB","ConsumedWriteCapacityUnits","TableName","${{{name}}}"]' for name in names)
    calls = ",".join(
        f'["AWS/Lambda","{metric}","FunctionName","${{{kind}Function}}"]'
        for kind in ("Http", "Work", *(("Stream",) if system.streams else ()))
        for metric in ("Invocations", "Errors", "Duration")
    )
    body = (
        '{"widgets":['
        f'{{"type":"metric","width":24,"height":6,"properties":{{"title":"Writes","region":"${{AWS::Region}}",'
        f'"stat":"Sum","period":60,"metrics":[{metrics}]}}}},'
        f'{{"type":"metric","width":24,"height":6,"properties":{{"title":"Functions","region":"${{AWS::Region}}",'
        f'"stat":"Sum","period":60,"metrics":[{calls}]}}}}]}}'
    )
    return {"Dashboard": {"Type": "AWS::CloudWatch::Dashboard", "Properties": {"DashboardBody": {"Fn::Sub": body}}}}


def _outputs(system: Published) -> Mapping[str, Any]:
    endpoint = "${Api.ApiEndpoint}"
    found = {
        "Url": {"Description": "Where people go", "Value": {"Fn::Sub": f"{endpoint}/{system.name}/"}},
        "Console": {"Description": "For operators", "Value": {"Fn::Sub": f"{endpoint}/console"}},
    }
    for path in system.webhooks:
        found[logical("webhook", path.replace("webhook", ""))] = {
            "Description": "The address to give to the provider",
            "Value": {"Fn::Sub": f"{endpoint}/{system.name}{path}"},
        }
    return found
