"""Run by bench/design.py in the other libraries' own environment: `python design_peers.py PORT ITEM`; prints JSON.

Each library hydrates the same row from what it gets of a response, and gets it over HTTP from the same server.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

ROUNDS = 5
HYDRATIONS = 3_000
GETS = 300
TEXTS = ("title", "body", "author", "status", "created_at")
NUMBERS = ("count", "size")
KEY = {"pk": "user#00001", "sk": "row#00001"}
Measured = tuple[float | None, float | None]


def best(function: Callable[[], Any], count: int) -> float:
    found = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(count):
            function()
        found.append((time.perf_counter() - started) / count * 1e6)
    return min(found)


async def best_async(function: Callable[[], Awaitable[Any]], count: int) -> float:
    found = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(count):
            await function()
        found.append((time.perf_counter() - started) / count * 1e6)
    return min(found)


def pynamodb(url: str, item: dict[str, Any]) -> Measured:
    from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute
    from pynamodb.models import Model

    class Meta:
        table_name = "rows"
        host = url
        region = "ap-northeast-1"
        aws_access_key_id = "local"
        aws_secret_access_key = "local"

    members: dict[str, Any] = {name: UnicodeAttribute() for name in TEXTS}
    members |= {name: NumberAttribute() for name in NUMBERS}
    members |= {
        "pk": UnicodeAttribute(hash_key=True),
        "sk": UnicodeAttribute(range_key=True),
        "flag": BooleanAttribute(),
    }
    row = type("Row", (Model,), {"Meta": Meta, **members})
    hydrate = best(lambda: row.from_raw_data(json_copy(item)), HYDRATIONS) - best(lambda: json_copy(item), HYDRATIONS)
    return hydrate, best(lambda: row.get(*KEY.values()), GETS)


def json_copy(item: dict[str, Any]) -> dict[str, Any]:
    return {name: dict(value) for name, value in item.items()}  # PynamoDB takes its input apart


def pydynox(url: str, item: dict[str, Any]) -> Measured:
    from pydynox import DynamoDBClient, Model, ModelConfig
    from pydynox.attributes import BooleanAttribute, NumberAttribute, StringAttribute

    client = DynamoDBClient(region="ap-northeast-1", access_key="local", secret_key="local", endpoint_url=url)
    members: dict[str, Any] = {name: StringAttribute() for name in TEXTS}
    members |= {name: NumberAttribute() for name in NUMBERS}
    members |= {
        "pk": StringAttribute(partition_key=True),
        "sk": StringAttribute(sort_key=True),
        "flag": BooleanAttribute(),
    }
    row = type("Row", (Model,), {"model_config": ModelConfig(table="rows", client=client), **members})
    plain = {name: _plain(value) for name, value in item.items()}  # it decodes the wire in Rust, outside of this
    return best(lambda: row.from_dict(dict(plain)), HYDRATIONS), asyncio.run(best_async(lambda: row.get(**KEY), GETS))


def _plain(value: dict[str, Any]) -> Any:
    ((kind, content),) = value.items()
    return int(content) if kind == "N" else content


def aiodynamo(url: str, item: dict[str, Any]) -> Measured:
    import httpx
    from aiodynamo.client import URL, Client
    from aiodynamo.credentials import Key, StaticCredentials
    from aiodynamo.http.httpx import HTTPX
    from aiodynamo.utils import dy2py

    async def get() -> float:
        async with httpx.AsyncClient() as http:
            client = Client(HTTPX(http), StaticCredentials(Key("local", "local")), "ap-northeast-1", URL(url))
            return await best_async(lambda: client.get_item("rows", KEY), GETS)

    return best(lambda: dy2py(item, int), HYDRATIONS), asyncio.run(get())


def boto3(url: str, item: dict[str, Any]) -> Measured:
    import boto3 as library
    from boto3.dynamodb.types import TypeDeserializer

    deserialize = TypeDeserializer().deserialize
    resource = library.resource(
        "dynamodb",
        region_name="ap-northeast-1",
        endpoint_url=url,
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    rows = resource.Table("rows")
    hydrate = best(lambda: {name: deserialize(value) for name, value in item.items()}, HYDRATIONS)
    return hydrate, best(lambda: rows.get_item(Key=KEY), GETS)


LIBRARIES = {
    "PynamoDB": pynamodb,
    "pydynox (from plain values)": pydynox,
    "aiodynamo (to dicts)": aiodynamo,
    "boto3 (to dicts)": boto3,
}


def main() -> None:
    url, item = f"http://127.0.0.1:{sys.argv[1]}", json.loads(sys.argv[2])
    found: dict[str, Measured] = {}
    absent: list[str] = []
    for name, measure in LIBRARIES.items():
        try:
            found[name] = measure(url, item)
        except Exception as error:
            absent.append(f"{name} is left out: {type(error).__name__}: {str(error)[:120]}")
    print(json.dumps({"found": found, "absent": absent}))


if __name__ == "__main__":
    main()
