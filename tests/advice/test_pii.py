"""Which attributes are covered."""

from __future__ import annotations

from sekkei.advice.pii import is_personal


def test_whose_names_speak_of_people() -> None:
    personal = (
        "email",
        "userEmail",
        "phone_number",
        "birth_date",
        "passwordHash",
        "ip",
        "zipCode",
        "line_access_token",
    )
    assert all(is_personal(name) for name in personal)
    assert not any(is_personal(name) for name in ("status", "team_id", "createdAt", "shipping", "title", "hashtags"))
