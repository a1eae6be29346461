"""Tables in a store: make what is missing, report what differs, change what DynamoDB can change.

`differences` turns design and live tables into steps, each a sentence with the calls that would carry it out. A step
that loses something (an index, a stream, a table) is carried out only when its name was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sekkei.clock import SYSTEM, Clock
from sekkei.errors import ResourceInUseException, ResourceNotFoundException, ValidationException
from sekkei.store.protocol import Store

from .errors import TablesDiffer
from .retries import pause
from .table import Capacity, Index, Table


def create_request(table: Table, name: str) -> dict[str, Any]:
    """The request that makes the table; TTL and PITR are separate operations."""
    types = table.attribute_types()
    request: dict[str, Any] = {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": one, "AttributeType": kind} for one, kind in types.items()],
        "KeySchema": _key_schema((table.pk,), () if table.sk is None else (table.sk,)),
        **_billing(table.capacity),
    }
    for member, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
        indexes = [_index_request(index, table) for index in table.indexes.values() if index.local is local]
        if indexes:
            request[member] = indexes
    if table.stream is not None:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": table.stream}
    if table.deletion_protection:
        request["DeletionProtectionEnabled"] = True
    if table.warm is not None:
        request["WarmThroughput"] = _warmth(table.warm)
    if table.tags:
        request["Tags"] = tag_list(table.tags)
    return request


def _key_schema(hashes: tuple[str, ...], ranges: tuple[str, ...]) -> list[dict[str, str]]:
    parts = [{"AttributeName": name, "KeyType": "HASH"} for name in hashes]
    return parts + [{"AttributeName": name, "KeyType": "RANGE"} for name in ranges]


def _billing(capacity: Capacity | None) -> dict[str, Any]:
    if capacity is None:
        return {"BillingMode": "PAY_PER_REQUEST"}
    return {"BillingMode": "PROVISIONED", "ProvisionedThroughput": _throughput(capacity)}


def _throughput(capacity: Capacity) -> dict[str, int]:
    return {"ReadCapacityUnits": capacity.read, "WriteCapacityUnits": capacity.write}


def _warmth(capacity: Capacity) -> dict[str, int]:
    return {"ReadUnitsPerSecond": capacity.read, "WriteUnitsPerSecond": capacity.write}


def tag_list(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def projection(index: Index) -> dict[str, Any]:
    if not isinstance(index.projection, str):
        return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.projection)}
    return {"ProjectionType": index.projection}


def _index_request(index: Index, table: Table) -> dict[str, Any]:
    request: dict[str, Any] = {
        "IndexName": index.name,
        "KeySchema": _key_schema(index.pk, index.sk),
        "Projection": projection(index),
    }
    capacity = index.capacity or table.capacity
    if capacity is not None and not index.local:
        request["ProvisionedThroughput"] = _throughput(capacity)
    if index.warm is not None and not index.local:
        request["WarmThroughput"] = _warmth(index.warm)
    return request


if TYPE_CHECKING:
    from .design import Design

_WAIT_TRIES_MAX = 600
Call = tuple[str, dict[str, Any]]


class Step(NamedTuple):
    """One difference, in words, and what would remove it."""

    table: str
    words: str
    kind: Literal["create", "change", "named", "never"]  # "named" needs its name, "never" cannot be done in place
    name: str  # what to name on the command line
    calls: tuple[Call, ...]

    def __str__(self) -> str:
        note = {"named": f" (only with --replace {self.name})", "never": " (cannot be changed in place)"}
        return f"{self.table}: {self.words}{note.get(self.kind, '')}"


async def create(store: Store, design: Design, env: str, clock: Clock = SYSTEM) -> list[str]:
    """Make every table that is missing; returns their names. Tables that are there are left as they are."""
    design.check()
    made = []
    for table in design.tables.values():
        name = design.table_name(table, env)
        if await _describe(store, name) is None:
            await _run(store, _creation(table, name), clock)
            made.append(name)
    return made


async def differences(store: Store, design: Design, env: str) -> list[Step]:
    """Every way in which the live tables are not what the design says."""
    design.check()
    found: list[Step] = []
    for table in design.tables.values():
        name = design.table_name(table, env)
        live = await _describe(store, name)
        if live is None:
            found.append(_creation(table, name))
        else:
            found += await _compare(store, table, name, live)
    found += await _strangers(store, design, env)
    return found


async def apply(
    store: Store, design: Design, env: str, *, named: Iterable[str] = (), clock: Clock = SYSTEM
) -> tuple[list[Step], list[Step]]:
    """Carry out what may be carried out; returns the steps done and the steps left."""
    allowed = set(named)
    done: list[Step] = []
    left: list[Step] = []
    for step in await differences(store, design, env):
        if step.kind in ("create", "change") or (step.kind == "named" and step.name in allowed):
            await _run(store, step, clock)
            done.append(step)
        else:
            left.append(step)
    unknown = allowed - {step.name for step in (*done, *left)}
    if unknown:
        raise TablesDiffer(
            "SK601", f"nothing differs under the name {', '.join(sorted(unknown))}. Run `sekkei tables diff` for names."
        )
    return done, left


async def _run(store: Store, step: Step, clock: Clock) -> None:
    for operation, request in step.calls:
        try:
            await store.call(operation, request)
        except ResourceInUseException:
            if operation != "CreateTable":
                raise  # made by somebody else at the same moment: all the better
        except ValidationException as error:
            if operation == "UpdateTimeToLive" and "multiple times" in error.message:
                raise _too_soon(request["TableName"]) from error
            raise
        if operation in ("CreateTable", "UpdateTable"):
            await _wait_until_active(store, request["TableName"], clock)


async def _wait_until_active(store: Store, name: str, clock: Clock) -> None:
    for attempt in range(_WAIT_TRIES_MAX):
        live = await _describe(store, name)
        if live is not None and live["TableStatus"] == "ACTIVE":
            indexes = live.get("GlobalSecondaryIndexes", ())
            if all(index.get("IndexStatus", "ACTIVE") == "ACTIVE" for index in indexes):
                return
        await pause(attempt, clock)
    raise TablesDiffer("SK602", f"table {name} did not become active in time. Look at it, then run this again.")


def _too_soon(name: str) -> TablesDiffer:
    return TablesDiffer(
        "SK603",
        f"the time to live of {name} was changed within the last hour, and DynamoDB takes one change an hour. Run this "
        "again later.",
    )


async def _describe(store: Store, name: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = (await store.call("DescribeTable", {"TableName": name}))["Table"]
    except ResourceNotFoundException:
        return None
    return found


def _creation(table: Table, name: str) -> Step:
    calls: list[Call] = [("CreateTable", create_request(table, name))]
    if table.ttl is not None:
        calls.append(_ttl_call(name, table.ttl, True))
    if table.pitr:
        calls.append(_pitr_call(name, True))
    calls += [_insights_call(name, index) for index in _watched(table)]
    return Step(name, "is missing", "create", name, tuple(calls))


def _ttl_call(name: str, attribute: str, enabled: bool) -> Call:
    specification = {"AttributeName": attribute, "Enabled": enabled}
    return "UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": specification}


def _pitr_call(name: str, enabled: bool) -> Call:
    specification = {"PointInTimeRecoveryEnabled": enabled}
    return "UpdateContinuousBackups", {"TableName": name, "PointInTimeRecoverySpecification": specification}


async def _compare(store: Store, table: Table, name: str, live: Mapping[str, Any]) -> list[Step]:
    return [
        *_compare_keys(table, name, live),
        *_compare_billing(table, name, live),
        *_compare_global(table, name, live),
        *_compare_local(table, name, live),
        *_compare_stream(table, name, live),
        *_compare_protection(table, name, live),
        *await _compare_ttl(store, table, name),
        *await _compare_pitr(store, table, name),
        *_compare_warmth(table, name, live),
        *await _compare_tags(store, table, name, live),
        *await _compare_insights(store, table, name, live),
    ]


def _key_words(schema: Iterable[Mapping[str, str]]) -> str:
    halves: dict[str, list[str]] = {"HASH": [], "RANGE": []}
    for part in schema:
        halves[part["KeyType"]].append(part["AttributeName"])
    return " / ".join(" + ".join(half) for half in halves.values() if half)


def _compare_keys(table: Table, name: str, live: Mapping[str, Any]) -> list[Step]:
    found = []
    wanted = _key_schema((table.pk,), () if table.sk is None else (table.sk,))
    if _key_words(live["KeySchema"]) != _key_words(wanted):
        words = f"the key is {_key_words(live['KeySchema'])}, the design says {_key_words(wanted)}; copy to a new table"
        found.append(Step(name, words, "never", name, ()))
    types = table.attribute_types()
    for part in live["AttributeDefinitions"]:
        want = types.get(part["AttributeName"])
        if want is not None and want != part["AttributeType"]:
            words = f"{part['AttributeName']} is of type {part['AttributeType']}, the design says {want}"
            found.append(Step(name, words, "never", name, ()))
    return found


def _live_capacity(live: Mapping[str, Any]) -> dict[str, int] | None:
    if live.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED") == "PAY_PER_REQUEST":
        return None
    return _units(live.get("ProvisionedThroughput", {}))


def _units(throughput_of: Mapping[str, Any]) -> dict[str, int]:
    return {unit: throughput_of.get(unit, 0) for unit in ("ReadCapacityUnits", "WriteCapacityUnits")}


def _capacity_words(capacity: Mapping[str, int] | None) -> str:
    if capacity is None:
        return "on demand"
    return f"{capacity['ReadCapacityUnits']} read / {capacity['WriteCapacityUnits']} write units"


def _compare_billing(table: Table, name: str, live: Mapping[str, Any]) -> list[Step]:
    is_now = _live_capacity(live)
    wanted = None if table.capacity is None else _throughput(table.capacity)
    if is_now == wanted:
        return []
    request: dict[str, Any] = {"TableName": name, **_billing(table.capacity)}
    if table.capacity is not None:
        updates = [
            {"Update": {"IndexName": index["IndexName"], "ProvisionedThroughput": _index_units(table, index)}}
            for index in live.get("GlobalSecondaryIndexes", ())
        ]
        if updates and is_now is None:  # from on demand, every index needs units in the same call
            request["GlobalSecondaryIndexUpdates"] = updates
    words = f"billing is {_capacity_words(is_now)}, the design says {_capacity_words(wanted)}"
    return [Step(name, words, "change", name, (("UpdateTable", request),))]


def _index_units(table: Table, index: Mapping[str, Any]) -> dict[str, int]:
    declared = table.indexes.get(index["IndexName"])
    capacity = (declared.capacity if declared is not None else None) or table.capacity
    assert capacity is not None
    return _throughput(capacity)


def _projection_words(found: Mapping[str, Any]) -> str:
    names = ", ".join(sorted(found.get("NonKeyAttributes", ())))
    return f"{found['ProjectionType']} {names}".strip()


def _index_words(index: Mapping[str, Any]) -> str:
    return f"{_key_words(index['KeySchema'])}, {_projection_words(index['Projection'])}"


def _compare_global(table: Table, name: str, live: Mapping[str, Any]) -> list[Step]:
    found = []
    there = {index["IndexName"]: index for index in live.get("GlobalSecondaryIndexes", ())}
    wanted = {index.name: index for index in table.indexes.values() if not index.local}
    for index in wanted.values():
        if index.name not in there:
            words = f"index {index.name} is missing"
            found.append(Step(name, words, "change", _full(name, index), (_index_creation(table, name, index),)))
        else:
            found += _compare_index(table, name, index, there[index.name])
    for extra in there.keys() - wanted.keys():
        words = f"index {extra} is not in the design"
        found.append(Step(name, words, "named", f"{name}.{extra}", (_index_deletion(name, extra),)))
    return found


def _full(name: str, index: Index) -> str:
    return f"{name}.{index.name}"


def _compare_index(table: Table, name: str, index: Index, live: Mapping[str, Any]) -> list[Step]:
    wanted = {"KeySchema": _key_schema(index.pk, index.sk), "Projection": projection(index)}
    if _index_words(live) != _index_words(wanted):
        words = f"index {index.name} is {_index_words(live)}, the design says {_index_words(wanted)}"
        calls = (_index_deletion(name, index.name), _index_creation(table, name, index))
        return [Step(name, words, "named", _full(name, index), calls)]
    capacity = index.capacity or table.capacity
    is_now = _units(live.get("ProvisionedThroughput", {}))
    if capacity is None or is_now == _throughput(capacity) or not any(is_now.values()):
        return []
    words = (
        f"index {index.name} has {_capacity_words(is_now)}, the design says {_capacity_words(_throughput(capacity))}"
    )
    update = {"Update": {"IndexName": index.name, "ProvisionedThroughput": _throughput(capacity)}}
    call = ("UpdateTable", {"TableName": name, "GlobalSecondaryIndexUpdates": [update]})
    return [Step(name, words, "change", _full(name, index), (call,))]


def _index_creation(table: Table, name: str, index: Index) -> Call:
    types = table.attribute_types()
    names = dict.fromkeys((*table.key_attributes, *index.attributes))
    return "UpdateTable", {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": one, "AttributeType": types[one]} for one in names],
        "GlobalSecondaryIndexUpdates": [{"Create": _index_request(index, table)}],
    }


def _index_deletion(name: str, index: str) -> Call:
    return "UpdateTable", {"TableName": name, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": index}}]}


def _compare_local(table: Table, name: str, live: Mapping[str, Any]) -> list[Step]:
    there = {index["IndexName"]: _index_words(index) for index in live.get("LocalSecondaryIndexes", ())}
    wanted = {
        index.name: _index_words({"KeySchema": _key_schema(index.pk, index.sk), "Projection": projection(index)})
        for index in table.indexes.values()
        if index.local
    }
    if there == wanted:
        return []
    words = (
        f"local indexes are {there or 'none'}, the design says {wanted or 'none'}; they are made with the table only"
    )
    return [Step(name, words, "never", name, ())]


def _compare_stream(table: Table, name: str, live: Mapping[str, Any]) -> list[Step]:
    specification = live.get("StreamSpecification", {})
    is_now = specification.get("StreamViewType") if specification.get("StreamEnabled") else None
    if is_now == table.stream:
        return []
    off: Call = ("UpdateTable", {"TableName": name, "StreamSpecification": {"StreamEnabled": False}})
    wanted = {"StreamEnabled": True, "StreamViewType": table.stream}
    on: Call = ("UpdateTable", {"TableName": name, "StreamSpecification": wanted})
    words = f"the stream is {is_now or 'off'}, the design says {table.stream or 'off'}"
    if is_now is None:
        return [Step(name, words, "change", f"{name}.stream", (on,))]
    calls = (off,) if table.stream is None else (off, on)
    return [Step(name, f"{words}; unread records are lost", "named", f"{name}.stream", calls)]


def _compare_protection(table: Table, name: str, live: Mapping[str, Any]) -> list[Step]:
    is_now = bool(live.get("DeletionProtectionEnabled"))
    if is_now == table.deletion_protection:
        return []
    call: Call = ("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": table.deletion_protection})
    words = f"deletion protection is {_on(is_now)}, the design says {_on(table.deletion_protection)}"
    return [Step(name, words, "named" if is_now else "change", f"{name}.protection", (call,))]


def _on(flag: bool) -> str:
    return "on" if flag else "off"


async def _compare_ttl(store: Store, table: Table, name: str) -> list[Step]:
    described = (await store.call("DescribeTimeToLive", {"TableName": name}))["TimeToLiveDescription"]
    is_now = described.get("AttributeName") if described["TimeToLiveStatus"] in ("ENABLED", "ENABLING") else None
    if is_now == table.ttl:
        return []
    words = f"the time to live is {is_now or 'off'}, the design says {table.ttl or 'off'}"
    if is_now is None:
        assert table.ttl is not None
        return [Step(name, words, "change", f"{name}.ttl", (_ttl_call(name, table.ttl, True),))]
    if table.ttl is not None:
        words += "; this turns it off, and an hour later another run can turn the new one on"
    return [Step(name, words, "named", f"{name}.ttl", (_ttl_call(name, is_now, False),))]


async def _compare_pitr(store: Store, table: Table, name: str) -> list[Step]:
    described = (await store.call("DescribeContinuousBackups", {"TableName": name}))["ContinuousBackupsDescription"]
    is_now = described.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") == "ENABLED"
    if is_now == table.pitr:
        return []
    words = f"point-in-time recovery is {_on(is_now)}, the design says {_on(table.pitr)}"
    kind: Literal["named", "change"] = "named" if is_now else "change"
    return [Step(name, words, kind, f"{name}.pitr", (_pitr_call(name, table.pitr),))]


def _compare_warmth(table: Table, name: str, live: Mapping[str, Any]) -> list[Step]:
    """Tables grow warmer by themselves, so only less than the design says is a difference."""
    found = []
    there = {index["IndexName"]: index for index in live.get("GlobalSecondaryIndexes", ())}
    for index in (None, *table.indexes.values()):
        wanted, held = (table.warm, live) if index is None else (index.warm, there.get(index.name))
        if wanted is None or held is None:
            continue
        is_now, needed = held.get("WarmThroughput", {}), _warmth(wanted)
        if all(is_now.get(unit, 0) >= amount for unit, amount in needed.items()):
            continue
        update: dict[str, Any] = {"WarmThroughput": needed}
        if index is not None:
            update = {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": index.name, **update}}]}
        what = "the table" if index is None else f"index {index.name}"
        units = " / ".join(str(is_now.get(unit, 0)) for unit in needed)
        words = (
            f"{what} is warm for {units} read / write units a second, the design says {wanted.read} / {wanted.write}"
        )
        found.append(Step(name, words, "change", f"{name}.warm", (("UpdateTable", {"TableName": name, **update}),)))
    return found


async def _compare_tags(store: Store, table: Table, name: str, live: Mapping[str, Any]) -> list[Step]:
    """Tags that the design has; others may carry theirs."""
    if not table.tags:
        return []
    answer = await store.call("ListTagsOfResource", {"ResourceArn": live["TableArn"]})
    there = {tag["Key"]: tag["Value"] for tag in answer.get("Tags", ())}
    wanted = {key: value for key, value in table.tags.items() if there.get(key) != value}
    if not wanted:
        return []
    call: Call = ("TagResource", {"ResourceArn": live["TableArn"], "Tags": tag_list(wanted)})
    shown = ", ".join(f"{key}={value} (is {there.get(key, 'missing')})" for key, value in wanted.items())
    return [Step(name, f"the design says the tags {shown}", "change", f"{name}.tags", (call,))]


def _watched(table: Table) -> list[str | None]:
    """Where contributor insights are wanted: None is the table itself."""
    return [*([None] if table.insights else []), *(each.name for each in table.indexes.values() if each.insights)]


def _insights_call(name: str, index: str | None) -> Call:
    of_index = {} if index is None else {"IndexName": index}
    return "UpdateContributorInsights", {"TableName": name, **of_index, "ContributorInsightsAction": "ENABLE"}


async def _compare_insights(store: Store, table: Table, name: str, live: Mapping[str, Any]) -> list[Step]:
    there = {None, *(index["IndexName"] for index in live.get("GlobalSecondaryIndexes", ()))}
    found = []
    for index in _watched(table):
        if index not in there:
            continue  # that the index is missing is said already
        of_index = {} if index is None else {"IndexName": index}
        answer = await store.call("DescribeContributorInsights", {"TableName": name, **of_index})
        if answer.get("ContributorInsightsStatus") not in ("ENABLED", "ENABLING"):
            words = f"contributor insights are off{'' if index is None else f' for index {index}'}, the design says on"
            found.append(Step(name, words, "change", f"{name}.insights", (_insights_call(name, index),)))
    return found


async def _strangers(store: Store, design: Design, env: str) -> list[Step]:
    """Tables that carry the design's own naming but are not in it."""
    before, after = design.naming.replace("{env}", env).split("{table}")
    if not before and not after:
        return []  # without a naming of its own, every table in the store could be somebody else's
    ours = {design.table_name(table, env) for table in design.tables.values()}
    found = []
    start: dict[str, Any] = {}
    while True:
        answer = await store.call("ListTables", start)
        for name in answer["TableNames"]:
            if name.startswith(before) and name.endswith(after) and name not in ours:
                calls = (("DeleteTable", {"TableName": name}),)
                found.append(Step(name, "is not in the design", "named", name, calls))
        if "LastEvaluatedTableName" not in answer:
            return found
        start = {"ExclusiveStartTableName": answer["LastEvaluatedTableName"]}
