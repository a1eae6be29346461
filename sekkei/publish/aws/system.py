"""A whole system as a stack: tables, functions, an HTTP API, streams, the clock, roles, logs, alarms, a dashboard."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sekkei.design import Table
from sekkei.publish.aws import parts
from sekkei.publish.aws.names import logical
from sekkei.publish.aws.parts import Given, Published, allow
from sekkei.publish.aws.tables import Resource, kept, naming_parameters, tables


def template(system: Published, env: str) -> dict[str, Any]:
    """The stack. What is secret is made by AWS or given when it is deployed; nothing of it stands in here."""
    resources: dict[str, Resource] = {
        **tables(*system.designs),
        **_secret(system),
        **_function("Http", system),
        **_http_api(),
        **_domain(),
        **_function("Work", system),
        **_clock(),
    }
    if system.streams:
        resources |= _function("Stream", system) | _streams(system.streams)
    resources |= _alarms(system) | _unusual_cost(system) | _dashboard(system)
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"The system {system.name}, published by Sekkei",
        "Parameters": _parameters(system, env),
        "Rules": _rules(),
        "Conditions": {f"Has{name}": _is_given(name) for name in ("AlarmTopic", "CostMail", "Domain")},
        "Resources": resources,
        "Outputs": _outputs(system),
    }


def _parameters(system: Published, env: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        **naming_parameters(system.designs, env),
        "CodeBucket": {"Type": "String", "Description": "The bucket that the package was uploaded to"},
        "CodeKey": {"Type": "String", "Description": "The package's key there; `sekkei publish` builds package.zip"},
        "Architecture": {
            "Type": "String",
            "Default": "arm64",
            "AllowedValues": ["arm64", "x86_64"],
            "Description": "What the package was built for",
        },
        "Operators": {"Type": "String", "Default": "", "Description": "Mail addresses of those who may use /console"},
        "Domain": {
            "Type": "String",
            "Default": "",
            "Description": "A name of yours, as tasks.example.com; may be empty",
        },
        "Certificate": {
            "Type": "String",
            "Default": "",
            "Description": "With Domain: ARN of its certificate in ACM, in the stack's region",
        },
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
            **kept(),
            "Properties": {
                "Description": f"Signs sessions, links and cursors of {system.name}; the same for ever",
                "GenerateSecretString": generated,
            },
        }
    }


def _function(kind: str, system: Published) -> dict[str, Resource]:
    return {
        f"{kind}Logs": {
            "Type": "AWS::Logs::LogGroup",
            "DeletionPolicy": "Delete",
            "UpdateReplacePolicy": "Delete",
            "Properties": {
                "LogGroupName": {"Fn::Sub": f"/aws/lambda/${{AWS::StackName}}-{kind.lower()}"},
                "RetentionInDays": parts.LOG_DAYS,
            },
        },
        f"{kind}Role": _role(kind, system),
        f"{kind}Function": {
            "Type": "AWS::Lambda::Function",
            "DependsOn": [f"{kind}Logs"],
            "Properties": {
                "FunctionName": {"Fn::Sub": f"${{AWS::StackName}}-{kind.lower()}"},
                "Runtime": parts.RUNTIME,
                "Architectures": [{"Ref": "Architecture"}],
                "Handler": f"sekkei.web.on_lambda.{kind.lower()}",
                "Role": {"Fn::GetAtt": [f"{kind}Role", "Arn"]},
                "Code": {"S3Bucket": {"Ref": "CodeBucket"}, "S3Key": {"Ref": "CodeKey"}},
                "MemorySize": parts.MEMORY_MB,
                "Timeout": parts.SECONDS[kind.lower()],
                "Environment": {"Variables": _environment(system)},
                "Tags": [{"Key": parts.COST_TAG, "Value": system.name}],
            },
        },
    }


def _environment(system: Published) -> dict[str, Any]:
    return {name: _given(value) for name, value in parts.environment(system).items()}


def _given(value: Given) -> Any:
    if value.kind == "parameter":
        return {"Ref": logical(value.name)}
    others = {
        "text": value.name,
        "store": {"Fn::Sub": "dynamodb://${AWS::Region}"},
        "secret": {"Fn::Sub": "{{resolve:secretsmanager:${Secret}}}"},
        "url": _base(),
    }
    return others[value.kind]


def _base() -> dict[str, Any]:
    """Where people and providers come: by a name of one's own, or by the one that the API was given."""
    return {"Fn::If": ["HasDomain", {"Fn::Sub": "https://${Domain}"}, {"Fn::GetAtt": ["Api", "ApiEndpoint"]}]}


def _role(kind: str, system: Published) -> Resource:
    policy = _policy(parts.statements(kind.lower(), system))
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": _trust("lambda.amazonaws.com"),
            "Policies": [{"PolicyName": "sekkei", "PolicyDocument": policy}],
        },
    }


def _trust(service: str) -> dict[str, Any]:
    return _policy([{"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}])


def _policy(statements: list[dict[str, Any]]) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": statements}


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


def _domain() -> dict[str, Resource]:
    """The API under a name of one's own, which stays when the stack is made anew."""
    shown = {"CertificateArn": {"Ref": "Certificate"}, "EndpointType": "REGIONAL", "SecurityPolicy": "TLS_1_2"}
    return {
        "ApiDomain": {
            "Type": "AWS::ApiGatewayV2::DomainName",
            "Condition": "HasDomain",
            "Metadata": {"cfn-lint": {"config": {"ignore_checks": ["W1030"]}}},  # no ARN by default: there is no domain
            "Properties": {"DomainName": {"Ref": "Domain"}, "DomainNameConfigurations": [shown]},
        },
        "ApiMapping": {
            "Type": "AWS::ApiGatewayV2::ApiMapping",
            "Condition": "HasDomain",
            "Properties": {
                "ApiId": {"Ref": "Api"},
                "DomainName": {"Ref": "ApiDomain"},
                "Stage": {"Ref": "ApiStage"},
            },
        },
    }


def _rules() -> dict[str, Any]:
    """Said before anything is made."""
    words = "Domain needs Certificate, the ARN of its certificate in ACM."
    return {
        "DomainHasCertificate": {
            "RuleCondition": _is_given("Domain"),
            "Assertions": [{"Assert": _is_given("Certificate"), "AssertDescription": words}],
        }
    }


def _clock() -> dict[str, Resource]:
    """Every minute: recurring jobs, schedules, the outbox, steps of long jobs."""
    target = {"Fn::GetAtt": ["WorkFunction", "Arn"]}
    call = _policy([allow("Work", ["lambda:InvokeFunction"], target)])
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
                "ScheduleExpression": parts.EVERY_MINUTE,
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
        parts.DEAD_LETTERS: {
            "Type": "AWS::SQS::Queue",
            **kept(),
            "Properties": {"MessageRetentionPeriod": parts.DEAD_LETTER_SECONDS, "SqsManagedSseEnabled": True},
        }
    }
    for table in streams:
        found[logical(table.name, "stream")] = {
            "Type": "AWS::Lambda::EventSourceMapping",
            "Properties": {
                "EventSourceArn": {"Fn::GetAtt": [logical(table.name, "table"), "StreamArn"]},
                "FunctionName": {"Ref": "StreamFunction"},
                "StartingPosition": "TRIM_HORIZON",
                "BatchSize": parts.STREAM_BATCH,
                "BisectBatchOnFunctionError": True,
                "MaximumRetryAttempts": parts.STREAM_RETRIES,
                "FunctionResponseTypes": ["ReportBatchItemFailures"],
                "DestinationConfig": {"OnFailure": {"Destination": {"Fn::GetAtt": [parts.DEAD_LETTERS, "Arn"]}}},
            },
        }
    return found


def _alarms(system: Published) -> dict[str, Resource]:
    return {logical(one.of, one.what): _alarm(one) for one in parts.alarms(system)}


def _alarm(alarm: parts.Alarm) -> Resource:
    of = {
        "AWS/Lambda": {"Ref": logical(alarm.of, "function")},
        "AWS/DynamoDB": {"Ref": logical(alarm.of, "table")},
        "AWS/SQS": {"Fn::GetAtt": [parts.DEAD_LETTERS, "QueueName"]},
    }
    space = alarm.metric.namespace
    return {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": {
            "AlarmDescription": alarm.text,
            "Namespace": space,
            "MetricName": alarm.metric.name,
            "Dimensions": [{"Name": parts.DIMENSIONS[space], "Value": of[space]}],
            "Statistic": alarm.metric.statistic,
            "Period": parts.ALARM_SECONDS,
            "EvaluationPeriods": 1,
            "Threshold": alarm.threshold,
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
            "TreatMissingData": "notBreaching",
            "AlarmActions": {"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopic"}], {"Ref": "AWS::NoValue"}]},
        },
    }


def _is_given(parameter: str) -> dict[str, Any]:
    return {"Fn::Not": [{"Fn::Equals": [{"Ref": parameter}, ""]}]}


def _unusual_cost(system: Published) -> dict[str, Resource]:
    return {
        "CostMonitor": {
            "Type": "AWS::CE::AnomalyMonitor",
            "Condition": "HasCostMail",
            "Properties": {
                "MonitorName": {"Ref": "AWS::StackName"},
                "MonitorType": "CUSTOM",
                "MonitorSpecification": json.dumps(parts.cost_watched(system)),
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
                "ThresholdExpression": json.dumps({"Dimensions": parts.COST_ABOVE}),
            },
        },
    }


def _dashboard(system: Published) -> dict[str, Resource]:
    names = {name: f"${{{logical(name, 'table')}}}" for name in system.designs[0].tables}
    names |= {each: f"${{{logical(each, 'function')}}}" for each in system.functions}
    body = json.dumps(parts.dashboard(system, "${AWS::Region}", names), separators=(",", ":"))
    return {"Dashboard": {"Type": "AWS::CloudWatch::Dashboard", "Properties": {"DashboardBody": {"Fn::Sub": body}}}}


def _outputs(system: Published) -> Mapping[str, Any]:
    found: dict[str, Any] = {
        "Url": {"Description": "Where people go", "Value": _address(f"/{system.name}/")},
        "Console": {"Description": "For operators", "Value": _address("/console")},
        "DomainTarget": {
            "Description": "What the record of your domain (CNAME, or an alias) has to point to",
            "Condition": "HasDomain",
            "Value": {"Fn::GetAtt": ["ApiDomain", "RegionalDomainName"]},
        },
    }
    for path in system.webhooks:
        found[logical("webhook", path.replace("webhook", ""))] = {
            "Description": "The address to give to the provider",
            "Value": _address(f"/{system.name}{path}"),
        }
    return found


def _address(path: str) -> dict[str, Any]:
    return {"Fn::Sub": [f"${{Base}}{path}", {"Base": _base()}]}
