"""Permissions of a member."""

from __future__ import annotations

from sekkei_systems.eventbot.ports.discord.permissions import Permission, in_channel, of_member, top_position


def test_permissions_come_from_all_of_somebodys_roles() -> None:
    guild = {
        "id": "1",
        "owner_id": "9",
        "roles": [
            {"id": "1", "permissions": "1024"},
            {"id": "2", "permissions": str(Permission.MANAGE_GUILD)},
            {"id": "3"},
        ],
    }
    assert of_member(guild, {"user": {"id": "5"}, "roles": []}) == 1024
    assert of_member(guild, {"user": {"id": "5"}, "roles": ["2", "3", "404"]}) == 1024 | Permission.MANAGE_GUILD
    assert of_member(guild, {"user": {"id": "9"}, "roles": []}) == Permission.EVERYTHING
    assert of_member({"id": "1"}, {"user": {"id": "5"}}) == 0


GUILD = {
    "id": "1",
    "owner_id": "9",
    "roles": [
        {"id": "1", "position": 0, "permissions": str(Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES)},
        {"id": "2", "position": 4, "permissions": "0"},
        {"id": "3", "position": 7, "permissions": str(Permission.ADMINISTRATOR)},
    ],
}


def test_a_channel_takes_away_and_gives_in_discords_order() -> None:
    hidden = {"id": "1", "type": 0, "allow": "0", "deny": str(Permission.VIEW_CHANNEL)}
    shown = {"id": "2", "type": 0, "allow": str(Permission.VIEW_CHANNEL), "deny": str(Permission.SEND_MESSAGES)}
    own = {"id": "5", "type": 1, "allow": str(Permission.SEND_MESSAGES), "deny": "0"}
    plain, role = {"user": {"id": "4"}, "roles": []}, {"user": {"id": "5"}, "roles": ["2"]}
    assert in_channel(GUILD, {}, plain) == Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES
    assert in_channel(GUILD, {"permission_overwrites": [hidden]}, plain) == Permission.SEND_MESSAGES
    assert in_channel(GUILD, {"permission_overwrites": [shown, hidden]}, role) == Permission.VIEW_CHANNEL
    assert (
        in_channel(GUILD, {"permission_overwrites": [own, shown, hidden]}, role)
        == Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES
    )
    assert (
        in_channel(GUILD, {"permission_overwrites": [hidden]}, {"user": {"id": "4"}, "roles": ["3"]})
        == Permission.EVERYTHING
    )


def test_how_high_somebody_stands() -> None:
    assert [top_position(GUILD, {"user": {"id": "4"}, "roles": roles}) for roles in ([], ["2"], ["2", "3"])] == [
        0,
        4,
        7,
    ]
    assert top_position(GUILD, {"user": {"id": "9"}, "roles": []}) > 1000
