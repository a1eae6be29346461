"""What a system on AWS consists of, said once: its functions, their settings, what is watched, and from when on.

`system.py` says it in CloudFormation's words, `terraform_system.py` in Terraform's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from sekkei.design import Design, Table
from sekkei.publish.aws import permissions
from sekkei.publish.aws.calls import Calls

RUNTIME = "python3.12"
LOG_DAYS = 30
MEMORY_MB = 512
SECONDS = {"http": 29, "work": 900, "stream": 60}
"""As long as anything may take. `work` begins nothing new after most of its minute, but a night's recount may go on: no
function can run for longer."""
STREAM_RETRIES = 5
STREAM_BATCH = 100
DEAD_LETTER_SECONDS = 1_209_600
EVERY_MINUTE = "rate(1 minute)"
COST_TAG = "sekkei:system"
_UNUSUAL_COST_USD = "10"
DEAD_LETTERS = "StreamDeadLetters"


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
    """What tests have seen its functions ask, by name of the design."""

    @property
    def functions(self) -> Sequence[str]:
        return ("http", "work", "stream") if self.streams else ("http", "work")


class Given(NamedTuple):
    """Where a function's setting comes from."""

    kind: Literal["text", "parameter", "store", "secret", "url"]
    name: str = ""
    """The text itself, or the parameter's name."""


def environment(system: Published) -> dict[str, Given]:
    found = {
        "SEKKEI_STORE": Given("store"),
        "SEKKEI_ENV": Given("parameter", "env"),
        "SEKKEI_SHARED": Given("parameter", "shared"),
        "SEKKEI_SYSTEMS": Given("text", system.name),
        "SEKKEI_SECRET": Given("secret"),
        "SEKKEI_PUBLIC_URL": Given("url"),
        "SEKKEI_OPERATORS": Given("parameter", "operators"),
    }
    for name in (*system.settings.plain, *system.settings.secret):
        found[f"SEKKEI_{name.upper()}"] = Given("parameter", name)
    return found


def statements(function: str, system: Published) -> list[dict[str, Any]]:
    """What a function may do, its resources named as in CloudFormation."""
    found = permissions.statements(*system.designs, function=function, noted=system.calls)
    if function == "stream":
        found += [permissions.streams_statement(system.streams)] if system.streams else []
        found.append(allow("DeadLetters", ["sqs:SendMessage"], {"Fn::GetAtt": [DEAD_LETTERS, "Arn"]}))
    if system.sends_mail and function == "work":  # the others put mail into the outbox
        found.append(allow("Mail", ["ses:SendEmail"], "*"))
    logs = {"Fn::GetAtt": [f"{function.capitalize()}Logs", "Arn"]}
    return [*found, allow("Logs", ["logs:CreateLogStream", "logs:PutLogEvents"], logs)]


def allow(sid: str, actions: list[str], resource: Any) -> dict[str, Any]:
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resource}


class _Metric(NamedTuple):
    namespace: str
    name: str
    statistic: str


_ERRORS = _Metric("AWS/Lambda", "Errors", "Sum")
_AGE = _Metric("AWS/Lambda", "IteratorAge", "Maximum")
_THROTTLES = _Metric("AWS/DynamoDB", "ThrottledRequests", "Sum")
_DEAD = _Metric("AWS/SQS", "ApproximateNumberOfMessagesVisible", "Maximum")
DIMENSIONS = {"AWS/Lambda": "FunctionName", "AWS/DynamoDB": "TableName", "AWS/SQS": "QueueName"}
"""What a metric of each service is of."""


class Alarm(NamedTuple):
    """Rings when the metric of something reaches the threshold within five minutes."""

    of: str
    """A function, a table's name in the design, or the queue."""
    what: str
    metric: _Metric
    threshold: int
    text: str


ALARM_SECONDS = 300


def alarms(system: Published) -> list[Alarm]:
    found = [Alarm(each, "errors", _ERRORS, 1, f"The {each} function fails") for each in system.functions]
    for table in system.designs[0].tables.values():
        text = f"{table.name} refuses requests: see sekkei simulate"
        found.append(Alarm(table.name, "throttles", _THROTTLES, 10, text))
    if system.streams:
        found.append(Alarm("stream", "dead", _DEAD, 1, "Records of a stream were given up"))
        found.append(Alarm("stream", "age", _AGE, ALARM_SECONDS * 1_000, "Streams are read five minutes late"))
    return found


def widgets(system: Published) -> dict[str, list[tuple[str, str, str]]]:
    """The dashboard: by title, the metrics shown, each as namespace, name and what it is of."""
    tables = system.designs[0].tables
    metrics = ("Invocations", "Errors", "Duration")
    return {
        "Writes": [("AWS/DynamoDB", "ConsumedWriteCapacityUnits", name) for name in tables],
        "Functions": [("AWS/Lambda", metric, each) for each in system.functions for metric in metrics],
    }


def dashboard(system: Published, region: str, name_of: Mapping[str, str]) -> dict[str, Any]:
    """As CloudWatch takes it; `name_of` says how tables and functions are referred to."""
    found = []
    for title, metrics in widgets(system).items():
        listed = [[space, metric, DIMENSIONS[space], name_of[of]] for space, metric, of in metrics]
        shown = {"title": title, "region": region, "stat": "Sum", "period": 60, "metrics": listed}
        found.append({"type": "metric", "width": 24, "height": 6, "properties": shown})
    return {"widgets": found}


COST_ABOVE = {
    "Key": "ANOMALY_TOTAL_IMPACT_ABSOLUTE",
    "MatchOptions": ["GREATER_THAN_OR_EQUAL"],
    "Values": [_UNUSUAL_COST_USD],
}


def cost_watched(system: Published) -> dict[str, Any]:
    """By a tag, which has to be activated once for the account under Billing, Cost allocation tags."""
    return {"Tags": {"Key": COST_TAG, "Values": [system.name], "MatchOptions": ["EQUALS"]}}
