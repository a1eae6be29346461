"""Tables in the words of DynamoDB itself: the answer of DescribeTable, and what CloudFormation says alike."""

from __future__ import annotations

from sekkei.publish.importing.found import Found, attribute_types, ours, projection
from sekkei.publish.importing.given import Given, NotUnderstood


def from_description(content: Given) -> list[Found]:
    table = content.at("Table") if content.has("Table") else content
    return [described(table)] if table.has("KeySchema") and table.has("TableName") else []


def described(table: Given) -> Found:
    definitions = table.at("AttributeDefinitions").each()
    types = attribute_types((one.at("AttributeName"), one.at("AttributeType")) for one in definitions)
    hashes, ranges = _halves(table)
    if len(hashes) != 1 or len(ranges) > 1:
        raise NotUnderstood(f"{table.at('KeySchema').place} should have one HASH attribute and at most one RANGE.")
    found = Found(table.at("TableName").text(), (*hashes, *ranges), types)
    for kind, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
        found.indexes += [_index(one, local) for one in table.at(kind).each()]
    found.stream = table.at("StreamSpecification", "StreamViewType").text("") or None
    ttl = table.at("TimeToLiveSpecification")
    found.ttl = ttl.at("AttributeName").text("") or None if ttl.at("Enabled").flag(default=True) else None
    found.protected = table.at("DeletionProtectionEnabled").flag()
    found.pitr = table.at("PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled").flag()
    found.capacity, found.warm, found.insights = _capacity(table), _warm(table), _watched(table)
    found.tags = tags_in(table.at("Tags"))
    return found


def tags_in(tags: Given) -> dict[str, str]:
    """A list of pairs; SAM has an object. A value that is known only after the deployment is left out."""
    if isinstance(tags.content, dict):
        pairs = tags.entries()
    else:
        pairs = [(tag.at("Key").text(""), tag.at("Value")) for tag in tags.each()]
    return {key: value.content for key, value in pairs if key and ours(key) and isinstance(value.content, str)}


def _halves(place: Given) -> tuple[list[str], list[str]]:
    hashes, ranges = list[str](), list[str]()
    for part in place.at("KeySchema").each():
        kind = part.at("KeyType")
        if kind.text() not in ("HASH", "RANGE"):
            raise kind.wrong("HASH or RANGE")
        (hashes if kind.text() == "HASH" else ranges).append(part.at("AttributeName").text())
    return hashes, ranges


def _index(one: Given, local: bool) -> dict[str, object]:
    hashes, ranges = _halves(one)
    if not hashes or (local and not ranges):
        raise NotUnderstood(f"{one.at('KeySchema').place} should have a HASH attribute{', and a RANGE' * local}.")
    kept = projection(one.at("Projection", "ProjectionType"), one.at("Projection", "NonKeyAttributes"))
    index = {"name": one.at("IndexName").text(), "pk": hashes, "sk": ranges, "projection": kept, "local": local}
    return {**index, "capacity": _capacity(one), "warm": _warm(one), "insights": _watched(one)}


def _capacity(place: Given) -> tuple[int, int] | None:
    """None on demand, which a live table describes as units of 0."""
    units = place.at("ProvisionedThroughput")
    read, write = units.at("ReadCapacityUnits"), units.at("WriteCapacityUnits")
    return (read.number(), write.number()) if read.content and write.content else None


def _warm(place: Given) -> tuple[int, int] | None:
    """What somebody asked for; a live table (with a status) says what it has grown to."""
    units = place.at("WarmThroughput")
    read, write = units.at("ReadUnitsPerSecond"), units.at("WriteUnitsPerSecond")
    return (read.number(), write.number()) if read.known and write.known and not units.has("Status") else None


def _watched(place: Given) -> bool:
    return place.at("ContributorInsightsSpecification", "Enabled").flag()
