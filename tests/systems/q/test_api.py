"""The whole API: its texts, and whatever is sent to it."""

from __future__ import annotations

import json
import random
from datetime import date, timedelta
from typing import Any

from sekkei.texts.checks import missing_texts
from sekkei.web.testing import Client
from tests.systems.q.conftest import World

ATTEMPTS = 16
"""For every operation, with values of the described kinds and with nonsense."""
NONSENSE: tuple[Any, ...] = (
    None, True, 0, -1, 1e308, "", " ", "x" * 5000, "\x00", "\ud83d", "🇯🇵" * 50, "../..", "a#b", "%00", "' OR 1=1",
    [], [[]], {}, {"a": {"b": []}}, "2025-13-45", "9999-12-31", "0001-01-01", "NaN",
)  # fmt: skip


def test_every_text_is_there_in_both_languages() -> None:
    assert missing_texts("sekkei_systems.q") == []


class Sender:
    """Values for a schema: mostly good ones, some at its edges, some nonsense."""

    def __init__(self, document: dict[str, Any], seed: int) -> None:
        self.document, self.chance = document, random.Random(seed)

    def value(self, schema: dict[str, Any]) -> Any:
        if self.chance.random() < 0.15:
            return self.chance.choice(NONSENSE)
        if "$ref" in schema:
            return self.value(self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
        if "anyOf" in schema:
            return self.value(self.chance.choice(schema["anyOf"]))
        if "enum" in schema:
            return self.chance.choice(schema["enum"])
        return getattr(self, f"_{schema.get('type', 'null')}")(schema)

    def _object(self, schema: dict[str, Any]) -> Any:
        chosen = schema.get("required", []) if self.chance.random() < 0.3 else schema.get("properties", {})
        return {name: self.value(schema["properties"][name]) for name in chosen}

    def _string(self, schema: dict[str, Any]) -> str:
        if schema.get("format") == "date":
            return str(date(2025, 11, 6) + timedelta(days=self.chance.choice((0, 0, 0, -1, 1, -40000, 2_000_000))))
        if "pattern" in schema and self.chance.random() < 0.7:
            return self.chance.choice(("author", "demo-ren", "demo-aoi", "nobody"))
        words = (
            "demo_ren_id",
            "demo-aoi",
            "author",
            "❤️",
            "🔥",
            "答え",
            "2025-11-06#author",
            "ExponentPushToken[x]",
            "a_b_c",
        )
        return self.chance.choice((*words, "あ" * self.chance.randrange(0, 90), "x" * schema.get("maxLength", 10)))

    def _integer(self, schema: dict[str, Any]) -> int:
        return self.chance.choice((0, 1, 20, 50, 51, -1, 10**30))

    def _boolean(self, schema: dict[str, Any]) -> bool:
        return self.chance.random() < 0.5

    def _array(self, schema: dict[str, Any]) -> list[Any]:
        return [self.value(schema["items"]) for _ in range(self.chance.randrange(3))]

    def _null(self, schema: dict[str, Any]) -> None:
        return None


def _path_text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    clean = text.encode("utf-8", "replace").decode()
    return "".join(f"%{byte:02x}" if not chr(byte).isalnum() else chr(byte) for byte in clean.encode()) or "x"


async def test_nothing_that_is_sent_breaks_it(site: tuple[Client, World]) -> None:
    client, world = site
    for person in ("demo-aoi", "demo-ren"):
        await world.join(person)
    await world.join("author")
    await world.follow(("demo-aoi", "author"), ("demo-ren", "author"))
    await world.ask()
    await world.answer("author")
    await client.sign_in("demo-aoi")
    document = (await client.json("GET", "/q/openapi.json")).json()
    client.bearer = await client.shell.accounts.make_token("demo-aoi", "test")
    bad: list[str] = []
    answered: dict[str, set[int]] = {}
    for number, (path, method, operation) in enumerate(_operations(document)):
        if "/me/withdrawal" in path or (method, path) == ("DELETE", "/q/api/sign-in"):
            continue  # afterwards nobody would be there to send the rest
        sender = Sender(document, number)
        for _ in range(ATTEMPTS):
            reply, sent = await _send(client, sender, path, method, operation)
            answered.setdefault(f"{method} {path}", set()).add(reply.status)
            if reply.status >= 500 or not _is_described(reply, operation):
                bad.append(f"{method} {path} {sent!r}: {reply.status} {reply.text[:200]}")
    assert bad == []
    good = {name for name, statuses in answered.items() if any(one < 300 for one in statuses)}
    assert len(good) >= 25, f"too few operations were ever answered well: {sorted(set(answered) - good)}"


def _operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method.upper(), one) for path, item in document["paths"].items() for method, one in item.items()]


async def _send(
    client: Client, sender: Sender, path: str, method: str, operation: dict[str, Any]
) -> tuple[Any, tuple[str, Any]]:
    query = []
    for parameter in operation["parameters"]:
        value = sender.value(parameter["schema"])
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", _path_text(value))
        elif value is not None:
            query.append(f"{parameter['name']}={_path_text(value)}")
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    body = None if content is None else sender.value(content["schema"])
    raw = b"" if content is None else json.dumps(body).encode()
    if content is not None and sender.chance.random() < 0.05:
        raw = sender.chance.randbytes(20)
    whole = f"{path}?{'&'.join(query)}" if query else path
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    return await client.request(method, whole, raw, headers), (whole, body)


def _is_described(reply: Any, operation: dict[str, Any]) -> bool:
    """A status that is promised, or a problem in the one form that problems have."""
    if str(reply.status) in operation["responses"] or reply.status in (204, 304):
        return True
    kind = reply.header("content-type") or ""
    return 400 <= reply.status < 500 and kind.startswith("application/problem+json") and "code" in reply.json()
