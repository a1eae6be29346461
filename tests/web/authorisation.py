"""Who may do what, as a table: every route of a system by every kind of person. A route without a row fails.

    MATRIX = {
        "GET /tasks/teams/{team_id}": Rule({"anonymous": 303, "stranger": 404, "member": 200, "admin": 200}),
        "POST /tasks/teams/{team_id}/tags": Rule(
            {"anonymous": 303, "stranger": 404, "member": 403, "admin": 303}, form={"name": "x"}),
        "DELETE /tasks/api/teams/{team_id}": Rule(
            {"anonymous": 401, "stranger": 404, "member": 403, "admin": 204}, prepare=a_fresh_team),
    }

    async with opened(SYSTEM) as client:
        assert uncovered(client.app, "tasks", MATRIX) == []
        assert await deviations(MATRIX, {"anonymous": client, "member": …}, {"team_id": "t1"}) == []

`prepare` is called before each attempt and gives the parameters of the path that are to be fresh.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, Route

from sekkei.web.testing import Client, Reply
from tests.web import budgets


@dataclass(frozen=True)
class Rule:
    """What each kind of person is answered, by status."""

    expect: Mapping[str, int]
    form: Mapping[str, Any] | None = None
    json: Any = None
    prepare: Callable[[], Awaitable[Mapping[str, str]]] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


Matrix = Mapping[str, Rule]


def routes_of(app: Starlette, system: str) -> list[str]:
    """Every route of a system as "METHOD /path"; "" stands for the shell's own."""
    return sorted(set(_walk(app.routes, "", system)))


def _walk(routes: list[BaseRoute] | Any, prefix: str, system: str) -> Iterator[str]:
    for route in routes:
        if isinstance(route, Mount):
            if prefix or route.path == f"/{system}":
                yield from _walk(route.routes, prefix + route.path, system)
        elif isinstance(route, Route) and (prefix or not system):
            for method in sorted((route.methods or {"ANY"}) - {"HEAD"}):
                yield f"{method} {prefix}{route.path}"
        elif not isinstance(route, Route):
            raise AssertionError(f"{route!r} is no kind of route that this test knows")


def uncovered(app: Starlette, system: str, matrix: Matrix) -> list[str]:
    """Routes without a row, and rows without a route."""
    there = set(routes_of(app, system))
    return [f"no row: {name}" for name in sorted(there - set(matrix))] + [
        f"no route: {name}" for name in sorted(set(matrix) - there)
    ]


async def deviations(matrix: Matrix, actors: Mapping[str, Client], parameters: Mapping[str, str]) -> list[str]:
    """Every attempt that was answered otherwise than the matrix says, and every route that costs too much."""
    found = []
    counts: Counter[str] = Counter()
    for name, rule in matrix.items():
        missing = set(actors) - set(rule.expect)
        found += [f"{name}: nothing is said of {actor}" for actor in sorted(missing)]
        for actor, expected in rule.expect.items():
            if actor not in actors:
                found.append(f"{name}: there is no actor {actor}")
                continue
            reply, calls = await _attempt(name, rule, actors[actor], parameters)
            counts[name] = max(counts[name], calls)
            if reply.status != expected:
                found.append(f"{name} by {actor}: {reply.status} instead of {expected}; {reply.text[:200]!r}")
    return found + list(budgets.exceeded(counts))


async def _attempt(name: str, rule: Rule, client: Client, parameters: Mapping[str, str]) -> tuple[Reply, int]:
    """The answer, and how many store calls it took."""
    method, _, template = name.partition(" ")
    fresh = await rule.prepare() if rule.prepare else {}
    path = template.replace(":path}", "}").replace(":int}", "}").format_map({**parameters, **fresh})
    token = "" if method == "GET" or client.bearer else await client.token()
    made = client.shell.deployment.store.calls
    before = made.total()
    if rule.form is not None:
        reply = await client.post(path, rule.form, token=token)
    elif rule.json is not None or method not in ("GET", "POST"):
        reply = await client.json(method, path, rule.json, headers=rule.headers, token=token)
    elif method == "POST":
        reply = await client.post(path, token=token)
    else:
        reply = await client.request(method, path, headers={"Accept": "text/html", **rule.headers})
    return reply, made.total() - before
