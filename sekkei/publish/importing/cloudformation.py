"""Tables of a CloudFormation template: written by hand, by SAM or by the CDK.

Its functions are worked out with the defaults of the parameters, as far as that goes: what is known only when a stack
is deployed is left out, and a note in the design says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from sekkei.publish.importing.described import described, tags_in
from sekkei.publish.importing.found import Found
from sekkei.publish.importing.given import Given

TABLES = ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable", "AWS::Serverless::SimpleTable")
ENVIRONMENTS = ("env", "environment", "stage")
"""What a parameter for the environment is usually called; it stays open in the tables' names."""
CARRIED = frozenset(
    {
        *("TableName", "KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes", "LocalSecondaryIndexes"),
        *("StreamSpecification", "TimeToLiveSpecification", "DeletionProtectionEnabled", "Tags", "BillingMode"),
        *("PointInTimeRecoverySpecification", "ProvisionedThroughput", "WarmThroughput", "PrimaryKey", "Replicas"),
        "ContributorInsightsSpecification",
    }
)
"""What a design says of a table."""
_SIMPLE = {"String": "S", "Number": "N", "Binary": "B"}
_OF_A_REPLICA = ("PointInTimeRecoverySpecification", "DeletionProtectionEnabled", "Tags")
UNKNOWN = object()
"""What only a deployment tells."""
_PLACE = re.compile(r"\$\{([^!}][^}]*)\}")


def from_cloudformation(content: Given) -> list[Found]:
    if not content.has("Resources"):
        return []
    found = []
    for logical, resource in content.at("Resources").entries():
        if resource.has("Type") and resource.at("Type").content in TABLES:
            found.append(_table(logical, resource, content))
    return found


def _table(logical: str, resource: Given, content: Given) -> Found:
    worked = _Worked(content)
    place = resource.at("Properties")
    name = worked.out(place.at("TableName").content, "TableName", open_env=True)
    properties = worked.out({key: one.content for key, one in place.entries() if key != "TableName"}, "")
    named = {**properties, "TableName": name if isinstance(name, str) and name else logical}
    found = described(Given(_plain(resource.at("Type").text(), named), place.place))
    for key in sorted(set(properties) - CARRIED):
        worked.notes.append(f"{key} is no part of a design; keep it in the template.")
    if resource.at("Type").content == "AWS::DynamoDB::GlobalTable":
        found.tags = tags_in(Given(named.get("Tags"), place.place)) or found.tags
    found.notes += worked.notes
    return found


def _plain(kind: str, properties: dict[str, Any]) -> dict[str, Any]:
    """In the words of AWS::DynamoDB::Table."""
    if kind == "AWS::Serverless::SimpleTable":
        key = Given(properties).at("PrimaryKey")
        name, said = key.at("Name").text("id"), _SIMPLE.get(key.at("Type").text("String"), "S")
        schema = [{"AttributeName": name, "KeyType": "HASH"}]
        return {
            **properties,
            "KeySchema": schema,
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": said}],
        }
    replicas = Given(properties).at("Replicas").each() if kind == "AWS::DynamoDB::GlobalTable" else []
    if not replicas:
        return properties
    return {**{name: replicas[0].at(name).content for name in _OF_A_REPLICA}, **properties}


class _Worked:
    """Functions of one template, worked out."""

    def __init__(self, content: Given) -> None:
        self.notes: list[str] = []
        self._content = content
        self._doing: set[str] = set()
        self._functions: dict[str, Callable[[Any, str], Any]] = {
            "Ref": self._ref,
            "Fn::If": self._if,
            "Fn::Sub": self._sub,
            "Fn::Join": self._join,
            "Fn::Select": self._select,
            "Fn::FindInMap": self._find,
        }
        self._open_env = False

    def out(self, content: Any, place: str, open_env: bool = False) -> Any:
        """The content without functions; what is not known is left out, and None when that is all of it."""
        self._open_env = open_env
        found = self._value(content, place)
        return None if found is UNKNOWN else found

    def _value(self, content: Any, place: str) -> Any:
        if isinstance(content, list):
            listed = [self._value(one, f"{place}[{number}]") for number, one in enumerate(content)]
            return [one for one in listed if one is not UNKNOWN]
        if not isinstance(content, Mapping):
            return content
        if len(content) == 1:
            ((name, inside),) = content.items()
            if name in self._functions:
                return self._functions[name](inside, place)
            if str(name).startswith("Fn::"):
                return self._not_known(place, f"!{str(name)[4:]}")
        pairs = {str(name): self._value(one, f"{place}.{name}".lstrip(".")) for name, one in content.items()}
        return {name: one for name, one in pairs.items() if one is not UNKNOWN}

    def _not_known(self, place: str, said: str) -> Any:
        self.notes.append(f"{place} is {said}, known only to the stack; it is left out.")
        return UNKNOWN

    def _ref(self, name: Any, place: str) -> Any:
        if name == "AWS::NoValue":
            return UNKNOWN
        found = self._parameter(name)
        return self._not_known(place, f"!Ref {name}") if found is UNKNOWN else found

    def _parameter(self, name: Any) -> Any:
        if self._open_env and str(name).lower() in ENVIRONMENTS:
            return "{env}"
        declared = self._content.at("Parameters", str(name)) if self._content.has("Parameters") else Given(None)
        default = declared.content.get("Default") if isinstance(declared.content, Mapping) else None
        return UNKNOWN if default is None else default

    def _if(self, inside: Any, place: str) -> Any:
        if not isinstance(inside, list) or len(inside) != 3:
            return self._not_known(place, "!If")
        holds = self._holds({"Condition": inside[0]})
        if holds is None:
            self.notes.append(f"{place} depends on {inside[0]!r:.80}; it is as when that holds.")
        return self._value(inside[1 if holds in (True, None) else 2], place)

    def _holds(self, condition: Any) -> bool | None:
        """None where the defaults do not tell."""
        if not isinstance(condition, Mapping) or len(condition) != 1:
            return None
        ((name, inside),) = condition.items()
        if name == "Condition":
            return self._named(str(inside))
        if name == "Fn::Equals" and isinstance(inside, list) and len(inside) == 2:
            one, other = (self._quiet(each) for each in inside)
            return None if UNKNOWN in (one, other) else str(one) == str(other)
        parts = [self._holds(each) for each in inside] if isinstance(inside, list) else []
        if name == "Fn::Not" and len(parts) == 1:
            return None if parts[0] is None else not parts[0]
        if name not in ("Fn::And", "Fn::Or") or not parts:
            return None
        deciding = name == "Fn::Or"
        return deciding if deciding in parts else None if None in parts else not deciding

    def _named(self, name: str) -> bool | None:
        if name in self._doing or not self._content.has("Conditions"):
            return None
        self._doing.add(name)
        try:
            return self._holds(self._content.at("Conditions", name).content)
        finally:
            self._doing.discard(name)

    def _quiet(self, content: Any) -> Any:
        """Without notes: a condition that cannot be told says so itself."""
        told, self.notes = self.notes, []
        try:
            return self._value(content, "")
        finally:
            self.notes = told

    def _sub(self, inside: Any, place: str) -> Any:
        text, given = (inside, {}) if isinstance(inside, str) else _pair(inside)
        if not isinstance(text, str) or not isinstance(given, Mapping):
            return self._not_known(place, "!Sub")
        unknown = []

        def value(found: re.Match[str]) -> str:
            worked = self._value(given[found[1]], place) if found[1] in given else self._parameter(found[1])
            unknown.extend([found[1]] if not isinstance(worked, str | int) else [])
            return str(worked)

        made = _PLACE.sub(value, text)
        return self._not_known(place, f"!Sub with {unknown[0]}") if unknown else made.replace("${!", "${")

    def _join(self, inside: Any, place: str) -> Any:
        delimiter, parts = _pair(inside)
        if not isinstance(parts, list) or not isinstance(delimiter, str):
            return self._not_known(place, "!Join")
        worked = [self._value(one, place) for one in parts]
        return UNKNOWN if UNKNOWN in worked else delimiter.join(map(str, worked))

    def _select(self, inside: Any, place: str) -> Any:
        number, parts = _pair(inside)
        listed = self._value(parts, place) if isinstance(parts, list) else UNKNOWN
        if not isinstance(listed, list) or not str(number).isdigit() or int(number) >= len(listed):
            return self._not_known(place, "!Select")
        return listed[int(number)]

    def _find(self, inside: Any, place: str) -> Any:
        names = self._value(inside, place) if isinstance(inside, list) else []
        found = self._content.at("Mappings").content if self._content.has("Mappings") else None
        for name in names:
            found = found.get(name) if isinstance(found, Mapping) and isinstance(name, str) else None
        return found if found is not None and len(names) == 3 else self._not_known(place, "!FindInMap")


def _pair(inside: Any) -> tuple[Any, Any]:
    return (inside[0], inside[1]) if isinstance(inside, list) and len(inside) == 2 else (None, None)
