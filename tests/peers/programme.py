"""A programme: tables, then random requests about them. The same seed gives the same programme."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.peers import legacy, values
from tests.peers.breakage import broken
from tests.peers.dice import Dice
from tests.peers.expressions import Expressions
from tests.peers.tables import Index, Request, Table, tables

SELECTS = ("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT")
BROKEN = 0.06
"""How often a whole request is damaged."""


@dataclass(frozen=True)
class Step:
    operation: str
    request: Request
    follow: bool = False
    """Ask for every further page and compare all items together, because where a page ends may differ."""
    faults: int = 0
    """Mistakes made on purpose."""
    table: Table | None = None
    writes: tuple[values.Item, ...] = ()
    """Items or keys that it writes in that table."""


def programme(seed: int, length: int = 40) -> Iterator[Step]:
    random = Dice(seed)
    yield from opening(seed)
    found = tables(f"t{seed}")
    for _ in range(length):
        yield _step(random, random.choices(found, (2, 4, 1))[0])
    for table in found:
        yield Step("Scan", {"TableName": table.name}, follow=True)
    for table in found:
        yield Step("DeleteTable", {"TableName": table.name})


def opening(seed: int) -> Iterator[Step]:
    """Tables with items in them, so that there is something to read, to find and to change."""
    random = Dice(-seed)
    for table, count in zip(tables(f"t{seed}"), (3, 10, 6), strict=True):
        yield Step("CreateTable", table.definition())
        for _ in range(count):
            yield Step("PutItem", {"TableName": table.name, "Item": table.item(random, whole=True)})


def _step(random: Dice, table: Table) -> Step:
    make = random.choices(list(OPERATIONS.values()), WEIGHTS)[0]
    before = random.faults
    step = make(random, table)
    request = broken(random, step.request) if random.wrong(BROKEN) else step.request
    return Step(step.operation, request, step.follow, random.faults - before, table, _writes(step))


def _writes(step: Step) -> tuple[values.Item, ...]:
    """The items and keys in the request, before any damage was done to it."""
    match step.operation:
        case "PutItem":
            return (step.request["Item"],)
        case "UpdateItem" | "DeleteItem":
            return (step.request["Key"],)
        case "BatchWriteItem":
            requests = [each for writes in step.request["RequestItems"].values() for each in writes]
            return tuple(whole for each in requests for action in each.values() for whole in action.values())[:25]
        case "TransactWriteItems":
            actions = [action for each in step.request["TransactItems"] for action in each.values()]
            return tuple(action.get("Item") or action["Key"] for action in actions)
    return ()


# --- one item ---------------------------------------------------------------------------------------------------------


def _put(random: Dice, table: Table) -> Step:
    request: Request = {"TableName": table.name, "Item": _item(random, table)}
    _conditional(random, table, request)
    _returns(random, request, ("NONE", "ALL_OLD"), writes=True)
    return Step("PutItem", request)


def _delete(random: Dice, table: Table) -> Step:
    request: Request = {"TableName": table.name, "Key": _key(random, table)}
    _conditional(random, table, request)
    _returns(random, request, ("NONE", "ALL_OLD"), writes=True)
    return Step("DeleteItem", request)


def _update(random: Dice, table: Table) -> Step:
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


def _get(random: Dice, table: Table) -> Step:
    request: Request = {"TableName": table.name, "Key": _key(random, table)}
    _projected(random, table, request)
    if random.random() < 0.3:
        request["ConsistentRead"] = random.random() < 0.5
    _capacity(random, request)
    return Step("GetItem", request)


def _key(random: Dice, table: Table) -> values.Item:
    key = table.key(random)
    if random.wrong(0.02):
        key[random.choice((*table.names, "extra"))] = values.random_value(random)
    if random.wrong(0.02):
        key.pop(random.choice(table.names), None)
    return key


def _item(random: Dice, table: Table) -> values.Item:
    item = table.item(random)
    if random.wrong(0.02):
        item[random.choice((*values.ATTRIBUTES, *table.names))] = values.bad_value(random)
    elif random.wrong(0.02):
        item.pop(random.choice(table.names))
    elif random.wrong(0.02):
        item[random.choice(table.names)] = values.random_value(random)
    return item


def _conditional(random: Dice, table: Table, request: Request) -> None:
    choice = random.random()
    if choice < 0.35:
        expressions = Expressions(random, table)
        request["ConditionExpression"] = expressions.condition()
        request |= expressions.members()
        _on_failure(random, request)
    elif choice < 0.42:
        legacy.expected(random, table, request)


def _on_failure(random: Dice, request: Request) -> None:
    if random.random() < 0.5:
        request["ReturnValuesOnConditionCheckFailure"] = random.choice(("ALL_OLD", "NONE"))


def _returns(random: Dice, request: Request, choices: tuple[str, ...], *, writes: bool) -> None:
    if random.random() < 0.5:
        request["ReturnValues"] = random.choice(choices)
    if random.wrong(0.02):
        request["ReturnValues"] = random.choice(("ALL_NEW", "UPDATED_OLD", "SOME"))
    if writes and random.random() < 0.1:
        request["ReturnItemCollectionMetrics"] = random.choice(("SIZE", "NONE"))
    _capacity(random, request)


def _capacity(random: Dice, request: Request) -> None:
    if random.random() < 0.25:
        request["ReturnConsumedCapacity"] = random.choice(("TOTAL", "INDEXES", "NONE"))


def _projected(random: Dice, table: Table, request: Request) -> None:
    choice = random.random()
    if choice < 0.3:
        expressions = Expressions(random, table)
        request["ProjectionExpression"] = expressions.projection()
        request |= {name: each for name, each in expressions.members().items() if name != "ExpressionAttributeValues"}
    elif choice < 0.37:
        request["AttributesToGet"] = random.sample((*values.ATTRIBUTES, *table.names), random.randint(1, 3))


# --- many items -------------------------------------------------------------------------------------------------------


def _query(random: Dice, table: Table) -> Step:
    index = _index(random, table)
    request: Request = {"TableName": table.name}
    if random.random() < 0.1:
        legacy.key_conditions(random, table, index, request)
    else:
        expressions = Expressions(random, table)
        request["KeyConditionExpression"] = expressions.key_condition(index)
        if random.random() < 0.3:
            keys = table.names if index is None else index.names
            request["FilterExpression"] = expressions.condition(without=keys)
        if random.random() < 0.2:
            request["ProjectionExpression"] = expressions.projection(_absent(table, index))
        request |= expressions.members()
    if random.random() < 0.3:
        request["ScanIndexForward"] = random.random() < 0.5
    return _reading(random, "Query", table, index, request)


def _scan(random: Dice, table: Table) -> Step:
    index = _index(random, table)
    request: Request = {"TableName": table.name}
    choice = random.random()
    if choice < 0.1:
        legacy.scan_filter(random, table, request)
    elif choice < 0.7:
        expressions = Expressions(random, table)
        request["FilterExpression"] = expressions.condition()
        if random.random() < 0.2:
            request["ProjectionExpression"] = expressions.projection(_absent(table, index))
        request |= expressions.members()
    if random.random() < 0.05:
        request |= {"Segment": 0, "TotalSegments": 1}
    elif random.wrong(0.02):
        request |= {"Segment": 2, "TotalSegments": random.randint(1, 2)}
    return _reading(random, "Scan", table, index, request)


def _index(random: Dice, table: Table) -> Index | None:
    return random.choice(table.indexes) if table.indexes and random.random() < 0.6 else None


def _absent(table: Table, index: Index | None) -> tuple[str, ...]:
    """The attributes that a global index does not hold."""
    if index is None or index.local or index.projection["ProjectionType"] == "ALL":
        return ()
    held = (*table.names, *index.names, *index.projection.get("NonKeyAttributes", ()))
    return tuple(name for name in values.ATTRIBUTES if name not in held)


def _reading(random: Dice, operation: str, table: Table, index: Index | None, request: Request) -> Step:
    if index is not None:
        request["IndexName"] = index.name
    if random.wrong(0.02):
        request["IndexName"] = "absent"
    if random.random() < 0.3:
        request["Limit"] = random.randint(1, 4)
    _select(random, index, request)
    if random.random() < 0.1 and (index is None or index.local or random.wrong(0.2)):
        request["ConsistentRead"] = True
    if operation == "Query" and random.wrong(0.04):
        request["ExclusiveStartKey"] = table.key(random)
    _capacity(random, request)
    ordered = operation == "Query" and index is None
    return Step(operation, request, follow=not ordered)


def _select(random: Dice, index: Index | None, request: Request) -> None:
    """Mostly one that goes with the index and the projection."""
    if random.wrong(0.02):
        request["Select"] = random.choice(
            ("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT")
        )
    elif random.random() < 0.15:
        if "ProjectionExpression" in request:
            request["Select"] = "SPECIFIC_ATTRIBUTES"
        else:
            request["Select"] = "COUNT" if index is None else random.choice(("COUNT", "ALL_PROJECTED_ATTRIBUTES"))


# --- several at once --------------------------------------------------------------------------------------------------


def _batch_get(random: Dice, table: Table) -> Step:
    keys = _distinct(random, table, random.randint(1, 5))
    request: Request = {"Keys": keys}
    _projected(random, table, request)
    whole: Request = {"RequestItems": {table.name: request}}
    _capacity(random, whole)
    return Step("BatchGetItem", whole)


def _batch_write(random: Dice, table: Table) -> Step:
    writes: list[Request] = []
    for key in _distinct(random, table, random.randint(1, 5)):
        if random.random() < 0.7:
            writes.append({"PutRequest": {"Item": {**_item(random, table), **key}}})
        else:
            writes.append({"DeleteRequest": {"Key": key}})
    if random.wrong(0.03):
        damaged: tuple[list[Request], ...] = ([], writes * 2, writes * 26, [{}])
        writes = random.choice(damaged)
    whole: Request = {"RequestItems": {table.name: writes}}
    _capacity(random, whole)
    return Step("BatchWriteItem", whole)


def _transact_get(random: Dice, table: Table) -> Step:
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


def _transact_write(random: Dice, table: Table) -> Step:
    actions = []
    for key in _distinct(random, table, random.randint(1, 4)):
        actions.append(_action(random, table, key))
    if random.wrong(0.03):
        damaged: tuple[list[Request], ...] = ([], actions * 2, [{}])
        actions = random.choice(damaged)
    whole: Request = {"TransactItems": actions}
    _capacity(random, whole)
    return Step("TransactWriteItems", whole)


def _action(random: Dice, table: Table, key: values.Item) -> Request:
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


def _distinct(random: Dice, table: Table, count: int) -> list[values.Item]:
    keys = [_key(random, table) for _ in range(count)]
    if random.wrong(0.04):
        return keys
    return [key for place, key in enumerate(keys) if key not in keys[:place]]


Make = Callable[[Dice, Table], Step]
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
WEIGHTS = (4, 2, 8, 2, 10, 5, 1, 3, 1, 4)
