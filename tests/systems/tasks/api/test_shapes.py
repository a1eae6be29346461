"""What goes in is checked, and refused in words."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.web.testing import Client
from tests.systems.tasks.api.program import new_team


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"title": "x", "start": "2025-02-30"}, "#/start"),
        ({"title": "x", "start": "2025-11-07", "end": "2025-11-06"}, "#/end"),
        ({"title": "x", "end": "9999-12-31"}, "#/end"),
        ({"title": ""}, "#/title"),
        ({"title": "   "}, "#/title"),
        ({"title": "x" * 201}, "#/title"),
        ({"title": "x", "description": "x" * 10_001}, "#/description"),
        ({"title": "x", "tags": ["unknown"]}, "#/tags"),
        ({"title": "x", "assignee": "demo-ren"}, "#/assignee"),
        ({"title": "x", "status": "later"}, "#/status"),
        ({"title": "x", "colour": "red"}, "#/colour"),
        ({}, "#/title"),
    ],
)
@pytest.mark.parametrize("language", ["ja", "en"])
async def test_bad_input_is_refused_in_words_and_nothing_changes(
    client: Client, body: dict[str, Any], pointer: str, language: str
) -> None:
    client.language = language
    team = await new_team(client)
    reply = await client.json("POST", f"{team}/tasks", body)
    assert reply.status == 422
    assert reply.header("content-type") == "application/problem+json"
    (error,) = reply.json()["errors"]
    assert error["pointer"] == pointer
    assert error["detail"].isascii() == (language == "en")
    everything = await client.json("GET", f"{team}/tasks?status=todo&status=doing&status=done")
    assert everything.json()["items"] == []
