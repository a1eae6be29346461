"""A system as a template of AWS SAM: the same stack, with functions that `sam deploy` packs and uploads by itself.

Made out of the CloudFormation template, so that the two cannot drift apart. The API stays in CloudFormation's words:
an API of SAM's knows its functions, they know its address, and the two would wait for each other.
"""

from __future__ import annotations

from typing import Any

from sekkei.publish.aws.parts import Published
from sekkei.publish.aws.system import template as stack
from sekkei.publish.aws.tables import Resource

PACKAGE = "package.zip"
_UPLOADED = ("CodeBucket", "CodeKey")
"""Parameters of the stack that SAM fills by itself."""


def template(system: Published, env: str) -> dict[str, Any]:
    made = stack(system, env)
    resources: dict[str, Resource] = made["Resources"]
    functions = {name: _function(each) for name, each in resources.items() if each["Type"] == "AWS::Lambda::Function"}
    for name, resource in list(resources.items()):
        event = _event(name, resource)
        if event is not None:
            function, event_name, described = event
            functions[function]["Properties"].setdefault("Events", {})[event_name] = described
            del resources[name]
    return {
        "AWSTemplateFormatVersion": made["AWSTemplateFormatVersion"],
        "Transform": "AWS::Serverless-2016-10-31",
        "Description": made["Description"],
        "Parameters": {name: each for name, each in made["Parameters"].items() if name not in _UPLOADED},
        "Rules": made["Rules"],
        "Conditions": made["Conditions"],
        "Resources": {**resources, **functions},
        "Outputs": made["Outputs"],
    }


def _function(resource: Resource) -> Resource:
    properties = {name: value for name, value in resource["Properties"].items() if name not in ("Code", "Tags")}
    properties["CodeUri"] = PACKAGE
    properties["Tags"] = {tag["Key"]: tag["Value"] for tag in resource["Properties"]["Tags"]}
    return {"Type": "AWS::Serverless::Function", "DependsOn": resource["DependsOn"], "Properties": properties}


def _event(name: str, resource: Resource) -> tuple[str, str, Resource] | None:
    """The function that a stream or the clock calls, and the event as SAM describes it."""
    properties = resource["Properties"]
    if resource["Type"] == "AWS::Lambda::EventSourceMapping":
        described = {key: value for key, value in properties.items() if key not in ("EventSourceArn", "FunctionName")}
        described["Stream"] = properties["EventSourceArn"]
        destination = properties["DestinationConfig"]["OnFailure"]["Destination"]
        described["DestinationConfig"] = {"OnFailure": {"Type": "SQS", "Destination": destination}}
        return properties["FunctionName"]["Ref"], name, {"Type": "DynamoDB", "Properties": described}
    if resource["Type"] == "AWS::Scheduler::Schedule":
        target = properties["Target"]
        described = {key: value for key, value in properties.items() if key != "Target"}
        described |= {key: target[key] for key in ("RoleArn", "Input", "RetryPolicy")}
        return target["Arn"]["Fn::GetAtt"][0], name, {"Type": "ScheduleV2", "Properties": described}
    return None
