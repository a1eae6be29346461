"""What a personal token may do."""

from __future__ import annotations

import pytest

from sekkei.web.identity.scopes import allows, scope_of


@pytest.mark.parametrize(
    ("scope", "method", "path", "good"),
    [
        (None, "DELETE", "/tasks/api/teams/1", True),
        ("*:read", "GET", "/tasks/api/teams", True),
        ("*:read", "POST", "/tasks/api/teams", False),
        ("*:write", "POST", "/tasks/api/teams", True),
        ("*:write", "GET", "/tasks/api/teams", True),
        ("tasks:write", "PATCH", "/tasks/api/teams/1", True),
        ("tasks:write", "GET", "/q/api/me", False),
        ("q:read tasks:write", "GET", "/q/api/me", True),
        ("q:read tasks:write", "POST", "/q/api/me", False),
        ("tasks:read", "GET", "/tasksx/api", False),
        ("", "GET", "/tasks/", False),
    ],
)
def test_allowed(scope: str | None, method: str, path: str, good: bool) -> None:
    assert allows(scope, method, path) is good


def test_made_of_choices() -> None:
    assert scope_of("read") == "*:read"
    assert scope_of("write", ["tasks", "q", "tasks"]) == "q:write tasks:write"
