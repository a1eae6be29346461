"""Statements run on an engine of their own."""

from __future__ import annotations

from typing import Any

from sekkei.engine import Engine
from sekkei.errors import DynamoDBError


def s(text: str) -> dict[str, str]:
    return {"S": text}


def n(number: int) -> dict[str, str]:
    return {"N": str(number)}


def sort_keys(items: list[dict[str, Any]]) -> list[str]:
    return [item["sk"]["S"] for item in items]


def key_schema(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"), strict=False)]


def index(name: str, *names: str, projection: str = "ALL", include: tuple[str, ...] = ()) -> dict[str, Any]:
    described: dict[str, Any] = {"ProjectionType": projection}
    if include:
        described["NonKeyAttributes"] = list(include)
    return {"IndexName": name, "KeySchema": key_schema(*names), "Projection": described}


class Running:
    """Short ways to say what a test says often."""

    def __init__(self) -> None:
        self.engine = Engine(None)

    async def create(self, name: str, *key: str, types: str = "", **indexes: list[dict[str, Any]]) -> None:
        """A table by its key; `types` are those of key attributes that are no strings, such as "n:N"."""
        kinds = dict(pair.split(":") for pair in types.split())
        names = [*key]
        for described in indexes.values():
            for one in described:
                names += [part["AttributeName"] for part in one["KeySchema"]]
        await self.engine.call(
            "CreateTable",
            {
                "TableName": name,
                "KeySchema": key_schema(*key),
                "AttributeDefinitions": [
                    {"AttributeName": each, "AttributeType": kinds.get(each, "S")} for each in dict.fromkeys(names)
                ],
                "BillingMode": "PAY_PER_REQUEST",
                **indexes,
            },
        )

    async def put(self, table: str, **item: dict[str, Any]) -> None:
        await self.engine.call("PutItem", {"TableName": table, "Item": item})

    async def get(self, table: str, **key: dict[str, Any]) -> dict[str, Any] | None:
        answer = await self.engine.call("GetItem", {"TableName": table, "Key": key})
        return answer.get("Item")

    async def run(self, statement: str, *parameters: dict[str, Any], **members: Any) -> dict[str, Any]:
        request = {"Statement": statement, **members}
        if parameters:
            request["Parameters"] = list(parameters)
        return await self.engine.call("ExecuteStatement", request)

    async def items(self, statement: str, *parameters: dict[str, Any], **members: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self.run(statement, *parameters, **members))["Items"]
        return found

    async def refused(self, statement: str, *parameters: dict[str, Any], **members: Any) -> tuple[str, str]:
        """The code and the message of the error that a statement gets."""
        try:
            answer = await self.run(statement, *parameters, **members)
        except DynamoDBError as error:
            return error.code, error.message
        raise AssertionError(f"accepted: {statement} -> {answer}")

    async def batch(self, *statements: str | dict[str, Any], **members: Any) -> dict[str, Any]:
        return await self.engine.call("BatchExecuteStatement", {"Statements": _requests(statements), **members})

    async def transact(self, *statements: str | dict[str, Any], **members: Any) -> dict[str, Any]:
        return await self.engine.call("ExecuteTransaction", {"TransactStatements": _requests(statements), **members})

    async def cancelled(self, *statements: str | dict[str, Any], **members: Any) -> DynamoDBError:
        """The error that a transaction gets."""
        try:
            answer = await self.transact(*statements, **members)
        except DynamoDBError as error:
            return error
        raise AssertionError(f"accepted: {statements} -> {answer}")


def _requests(statements: tuple[str | dict[str, Any], ...]) -> list[dict[str, Any]]:
    return [{"Statement": each} if isinstance(each, str) else each for each in statements]
