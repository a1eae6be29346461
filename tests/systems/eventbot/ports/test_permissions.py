"""Permissions of a member."""

from __future__ import annotations

from sekkei_systems.eventbot.ports.discord.permissions import ADMINISTRATOR, MANAGE_GUILD, of_member


def test_permissions_come_from_all_of_somebodys_roles() -> None:
    guild = {
        "id": "1",
        "owner_id": "9",
        "roles": [{"id": "1", "permissions": "1024"}, {"id": "2", "permissions": str(MANAGE_GUILD)}, {"id": "3"}],
    }
    assert of_member(guild, {"user": {"id": "5"}, "roles": []}) == 1024
    assert of_member(guild, {"user": {"id": "5"}, "roles": ["2", "3", "404"]}) == 1024 | MANAGE_GUILD
    assert of_member(guild, {"user": {"id": "9"}, "roles": []}) == ADMINISTRATOR
    assert of_member({"id": "1"}, {"user": {"id": "5"}}) == 0
