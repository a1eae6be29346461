"""Asking an implementation, and answers in a form in which two of them can be compared."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Protocol

from bench.peers import HEADERS
from sekkei.engine.engine import Engine
from sekkei.errors import DynamoDBError
from tests.peers.programme import Step

PAGES_MAX = 200
LEFT = "(left behind)"
EXACT = Context(prec=60)
DESCRIBED = frozenset(
    {
        *("AttributeDefinitions", "KeySchema", "TableName"),
        *("GlobalSecondaryIndexes", "LocalSecondaryIndexes", "IndexName", "Projection", "StreamSpecification"),
    }
)
"""Of a table's description: what does not depend on the account, the clock, or how long a creation takes."""


@dataclass(frozen=True)
class Answer:
    """A response, or an error's code with its body."""

    code: str | None
    body: dict[str, Any]

    @property
    def message(self) -> str:
        return str(self.body.get("message", self.body.get("Message", "")))


class Asked(Protocol):
    def ask(self, operation: str, request: Mapping[str, Any]) -> Answer: ...


class OverHttp:
    """Any endpoint on this machine, over one connection."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def ask(self, operation: str, request: Mapping[str, Any]) -> Answer:
        headers = {**HEADERS, "X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        self.connection.request("POST", "/", json.dumps(request), headers)
        response = self.connection.getresponse()
        body = json.loads(response.read() or b"{}")
        if response.status == 200:
            return Answer(None, body)
        return Answer(str(body.pop("__type", f"HTTP {response.status}")).rpartition("#")[2], body)

    def close(self) -> None:
        self.connection.close()


class InProcess:
    """Our engine without HTTP in front of it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.runner = asyncio.Runner()

    def ask(self, operation: str, request: Mapping[str, Any]) -> Answer:
        try:
            return Answer(None, self.runner.run(self.engine.call(operation, request)))
        except DynamoDBError as error:
            return Answer(error.code, {"message": error.message, **error.details()})

    def close(self) -> None:
        self.runner.close()
        self.engine.close()


def answer(asked: Asked, step: Step) -> Answer:
    """The comparable answer to a step; after a write, with what it left behind."""
    first = asked.ask(step.operation, step.request)
    if first.code is None:
        whole = _followed(asked, step, first) if step.follow else first
        first = Answer(None, comparable(whole.body, step.operation))
    else:
        first = Answer(first.code, _without_message(first))
    left = [asked.ask("GetItem", get).body.get("Item") for get in _written(step)]
    return Answer(first.code, {**first.body, LEFT: comparable(left)}) if left else first


def _without_message(answer: Answer) -> dict[str, Any]:
    """The message under one name: some errors write it with a capital letter."""
    rest = {name: each for name, each in answer.body.items() if name.lower() != "message"}
    return {**comparable(rest), "message": answer.message}


def _written(step: Step) -> Iterator[dict[str, Any]]:
    """GetItem for each item that the step writes, as far as it says."""
    if step.table is None:
        return
    for whole in step.writes:
        key = {name: whole[name] for name in step.table.names if name in whole}
        if len(key) == len(step.table.names):
            yield {"TableName": step.table.name, "Key": key, "ConsistentRead": True}


def _followed(asked: Asked, step: Step, first: Answer) -> Answer:
    """All pages as one, in an order of their own; what was consumed depends on where pages end."""
    items = list(first.body.get("Items", ()))
    scanned, count, body = first.body["ScannedCount"], first.body["Count"], first.body
    for _ in range(PAGES_MAX):
        if "LastEvaluatedKey" not in body:
            break
        again = asked.ask(step.operation, {**step.request, "ExclusiveStartKey": body["LastEvaluatedKey"]})
        if again.code is not None:
            return again
        body = again.body
        items += body.get("Items", ())
        scanned, count = scanned + body["ScannedCount"], count + body["Count"]
    whole: dict[str, Any] = {"Count": count, "ScannedCount": scanned}
    if "Items" in first.body:
        whole["Items"] = sorted((comparable(item) for item in items), key=_text)
    if "ConsumedCapacity" in first.body and "Limit" not in step.request:
        whole["ConsumedCapacity"] = first.body["ConsumedCapacity"]
    return Answer(None, whole)


def comparable(body: Any, operation: str = "") -> Any:
    """Sets in order, numbers in one form, nothing volatile."""
    if isinstance(body, dict):
        if operation == "DeleteTable":
            return {}
        if "TableDescription" in body:
            return {"TableDescription": _described(body["TableDescription"])}
        if operation == "BatchGetItem" and "Responses" in body:
            body = {**body, "Responses": {name: sorted(rows, key=_text) for name, rows in body["Responses"].items()}}
        return {
            name: _ordered(name, each) if name in ("SS", "NS", "BS") else _scalar(name, each)
            for name, each in sorted(body.items())
            if each is not None
        }
    if isinstance(body, list):
        return [comparable(each) for each in body]
    return body


def _described(description: dict[str, Any]) -> dict[str, Any]:
    found = {name: each for name, each in description.items() if name in DESCRIBED}
    for indexes in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if indexes in found:
            found[indexes] = sorted((_described(index) for index in found[indexes]), key=_text)
    found["AttributeDefinitions"] = sorted(found.get("AttributeDefinitions", ()), key=_text)
    return dict(sorted(found.items()))


def _scalar(name: str, value: Any) -> Any:
    return _number(value) if name == "N" and isinstance(value, str) else comparable(value)


def _ordered(name: str, members: Any) -> Any:
    if not isinstance(members, list):
        return members
    return sorted(_number(each) if name == "NS" else each for each in members)


def _number(text: str) -> str:
    """Numbers are compared by value here; how they are written is compared by other tests."""
    try:
        return str(Decimal(text).normalize(EXACT))
    except InvalidOperation:
        return text


def _text(value: Any) -> str:
    return json.dumps(comparable(value), sort_keys=True)
