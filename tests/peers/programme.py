"""A programme: tables, then random requests about them. The same seed gives the same programme."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from tests.peers import legacy, values
from tests.peers.breakage import broken
from tests.peers.expressions import Expressions
from tests.peers.tables import Index, Request, Table, tables

BROKEN = 0.06
"""How often a whole request is damaged."""


@dataclass(frozen=True)
class Step:
    operation: str
    request: Request
    follow: bool = False
    """Ask for every further page and compare all items together, because where a page ends may differ."""


def programme(seed: int, length: int = 30) -> Iterator[Step]:
    random = Random(seed)
    found = tables(f"t{seed}")
    for table in found:
        yield Step("CreateTable", table.definition())
    for _ in range(length):
        yield _step(random, random.choices(found, (2, 4, 1))[0])
    for table in found:
        yield Step("Scan", {"TableName": table.name}, follow=True)
    for table in found:
        yield Step("DeleteTable", {"TableName": table.name})


def _step(random: Random, table: Table) -> Step:
    make = random.choices(list(OPERATIONS.values()), WEIGHTS)[0]
    step = make(random, table)
    if random.random() < BROKEN:
        return Step(step.operation, broken(random, step.request), step.follow)
    return step


# --- one item ---------------------------------------------------------------------------------------------------------


def _put(random: Random, table: Table) -> Step:
    request: Request = {"TableName": table.name, "Item": _item(random, table)}
    _conditional(random, table, request)
    _returns(random, request, ("NONE", "ALL_OLD"), writes=True)
    return Step("PutItem", request)


def _delete(random: Random, table: Table) -> Step:
    request: Request = {"TableName": table.name, "Key": _key(random, table)}
    _conditional(random, table, request)
    _returns(random, request, ("NONE", "ALL_OLD"), writes=True)
    return Step("DeleteItem", request)


def _update(random: Random, table: Table) -> Step:
    request: Request = {"TableName": table.name, "Key": _key(random, table)}
    choice = random.random()
    if choice < 0.1:
        legacy.attribute_updates(random, table, request)
    elif choice < 0.97:
        expressions = Expressions(random, table)
        request["UpdateExpression"] = expressions.update()
        if random.random() < 0.3:
            request["ConditionExpression"] = expressions.condition()
            _on_failure(random, request)
        request |= expressions.members()
    _returns(random, request, ("NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"), writes=True)
    return Step("UpdateItem", request)


def _get(random: Random, table: Table) -> Step:
    request: Request = {"TableName": table.name, "Key": _key(random, table)}
    _projected(random, table, request)
    if random.random() < 0.3:
        request["ConsistentRead"] = random.random() < 0.5
    _capacity(random, request)
    return Step("GetItem", request)


def _key(random: Random, table: Table) -> values.Item:
    key = table.key(random)
    if random.random() < 0.02:
        key[random.choice((*table.names, "extra"))] = values.value(random)
    if random.random() < 0.02:
        key.pop(random.choice(table.names), None)
    return key


def _item(random: Random, table: Table) -> values.Item:
    item = table.item(random)
    choice = random.random()
    if choice < 0.02:
        item[random.choice((*values.ATTRIBUTES, *table.names))] = values.bad_value(random)
    elif choice < 0.04:
        item.pop(random.choice(table.names))
    elif choice < 0.06:
        item[random.choice(table.names)] = values.value(random)
    return item


def _conditional(random: Random, table: Table, request: Request) -> None:
    choice = random.random()
    if choice < 0.35:
        expressions = Expressions(random, table)
        request["ConditionExpression"] = expressions.condition()
        request |= expressions.members()
        _on_failure(random, request)
    elif choice < 0.42:
        legacy.expected(random, table, request)


def _on_failure(random: Random, request: Request) -> None:
    if random.random() < 0.5:
        request["ReturnValuesOnConditionCheckFailure"] = random.choice(("ALL_OLD", "NONE"))


def _returns(random: Random, request: Request, choices: tuple[str, ...], *, writes: bool) -> None:
    if random.random() < 0.5:
        request["ReturnValues"] = random.choice(choices)
    if random.random() < 0.02:
        request["ReturnValues"] = random.choice(("ALL_NEW", "UPDATED_OLD", "SOME"))
    if writes and random.random() < 0.1:
        request["ReturnItemCollectionMetrics"] = random.choice(("SIZE", "NONE"))
    _capacity(random, request)


def _capacity(random: Random, request: Request) -> None:
    if random.random() < 0.25:
        request["ReturnConsumedCapacity"] = random.choice(("TOTAL", "INDEXES", "NONE"))


def _projected(random: Random, table: Table, request: Request) -> None:
    choice = random.random()
    if choice < 0.3:
        expressions = Expressions(random, table)
        request["ProjectionExpression"] = expressions.projection()
        request |= {name: each for name, each in expressions.members().items() if name != "ExpressionAttributeValues"}
    elif choice < 0.37:
        request["AttributesToGet"] = random.sample((*values.ATTRIBUTES, *table.names), random.randint(1, 3))


# --- many items -------------------------------------------------------------------------------------------------------


def _query(random: Random, table: Table) -> Step:
    index = _index(random, table)
    request: Request = {"TableName": table.name}
    if random.random() < 0.1:
        legacy.key_conditions(random, table, index, request)
    else:
        expressions = Expressions(random, table)
        request["KeyConditionExpression"] = expressions.key_condition(index)
        if random.random() < 0.3:
            request["FilterExpression"] = expressions.condition()
        if random.random() < 0.2:
            request["ProjectionExpression"] = expressions.projection()
        request |= expressions.members()
    if random.random() < 0.3:
        request["ScanIndexForward"] = random.random() < 0.5
    return _reading(random, "Query", table, index, request)


def _scan(random: Random, table: Table) -> Step:
    index = _index(random, table)
    request: Request = {"TableName": table.name}
    choice = random.random()
    if choice < 0.1:
        legacy.scan_filter(random, table, request)
    elif choice < 0.7:
        expressions = Expressions(random, table)
        request["FilterExpression"] = expressions.condition()
        if random.random() < 0.2:
            request["ProjectionExpression"] = expressions.projection()
        request |= expressions.members()
    if random.random() < 0.05:
        request |= {"Segment": random.randint(0, 2), "TotalSegments": random.randint(1, 2)}
        if request["TotalSegments"] > request["Segment"]:
            request |= {"Segment": 0, "TotalSegments": 1}
    return _reading(random, "Scan", table, index, request)


def _index(random: Random, table: Table) -> Index | None:
    return random.choice(table.indexes) if table.indexes and random.random() < 0.6 else None


def _reading(random: Random, operation: str, table: Table, index: Index | None, request: Request) -> Step:
    if index is not None:
        request["IndexName"] = index.name
    if random.random() < 0.02:
        request["IndexName"] = "absent"
    if random.random() < 0.3:
        request["Limit"] = random.randint(1, 4)
    if random.random() < 0.15:
        request["Select"] = random.choice(
            ("COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES")
        )
    if random.random() < 0.1:
        request["ConsistentRead"] = True
    if random.random() < 0.04:
        request["ExclusiveStartKey"] = table.key(random)
    _capacity(random, request)
    ordered = operation == "Query" and index is None
    return Step(operation, request, follow=not ordered)


# --- several at once --------------------------------------------------------------------------------------------------


def _batch_get(random: Random, table: Table) -> Step:
    keys = _distinct(random, table, random.randint(1, 5))
    request: Request = {"Keys": keys}
    _projected(random, table, request)
    whole: Request = {"RequestItems": {table.name: request}}
    _capacity(random, whole)
    return Step("BatchGetItem", whole)


def _batch_write(random: Random, table: Table) -> Step:
    writes: list[Request] = []
    for key in _distinct(random, table, random.randint(1, 5)):
        if random.random() < 0.7:
            writes.append({"PutRequest": {"Item": {**_item(random, table), **key}}})
        else:
            writes.append({"DeleteRequest": {"Key": key}})
    if random.random() < 0.03:
        writes = random.choice(([], writes * 2, writes * 26, [{}]))
    whole: Request = {"RequestItems": {table.name: writes}}
    _capacity(random, whole)
    return Step("BatchWriteItem", whole)


def _transact_get(random: Random, table: Table) -> Step:
    gets = []
    for key in _distinct(random, table, random.randint(1, 4)):
        get: Request = {"TableName": table.name, "Key": key}
        if random.random() < 0.3:
            expressions = Expressions(random, table)
            get["ProjectionExpression"] = expressions.projection()
            get |= {name: each for name, each in expressions.members().items() if name.endswith("Names")}
        gets.append({"Get": get})
    whole: Request = {"TransactItems": gets}
    _capacity(random, whole)
    return Step("TransactGetItems", whole)


def _transact_write(random: Random, table: Table) -> Step:
    actions = []
    for key in _distinct(random, table, random.randint(1, 4)):
        actions.append(_action(random, table, key))
    if random.random() < 0.03:
        actions = random.choice(([], actions * 2, [{}]))
    whole: Request = {"TransactItems": actions}
    _capacity(random, whole)
    return Step("TransactWriteItems", whole)


def _action(random: Random, table: Table, key: values.Item) -> Request:
    expressions = Expressions(random, table)
    kind = random.choice(("Put", "Update", "Delete", "ConditionCheck"))
    action: Request = {"TableName": table.name}
    if kind == "Put":
        action["Item"] = {**_item(random, table), **key}
    else:
        action["Key"] = key
    if kind == "Update":
        action["UpdateExpression"] = expressions.update()
    if kind == "ConditionCheck" or random.random() < 0.3:
        lenient = random.random() < 0.6
        action["ConditionExpression"] = "attribute_not_exists(zz)" if lenient else expressions.condition()
        _on_failure(random, action)
    return {kind: action | expressions.members()}


def _distinct(random: Random, table: Table, count: int) -> list[values.Item]:
    keys = [_key(random, table) for _ in range(count)]
    if random.random() < 0.04:
        return keys
    return [key for place, key in enumerate(keys) if key not in keys[:place]]


Make = Callable[[Random, Table], Step]
OPERATIONS: dict[str, Make] = {
    "PutItem": _put,
    "GetItem": _get,
    "UpdateItem": _update,
    "DeleteItem": _delete,
    "Query": _query,
    "Scan": _scan,
    "BatchGetItem": _batch_get,
    "BatchWriteItem": _batch_write,
    "TransactGetItems": _transact_get,
    "TransactWriteItems": _transact_write,
}
WEIGHTS = (6, 2, 8, 2, 6, 4, 1, 3, 1, 4)
