"""Addresses that bounced get no mail."""

from __future__ import annotations

import pytest

from sekkei_systems.tasks.design import Role
from sekkei_systems.tasks.refusals import Unreachable
from tests.systems.tasks.conftest import World


async def test_whoever_bounced_is_not_written_to_again(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    invitations = world.service.invitations
    made = await invitations.invite(aoi, "gone@example.com", Role.MEMBER)
    await world.settle()
    [listed] = await invitations.open(aoi)
    assert listed.mail == "sent"
    await world.service.blocks.block("Gone@example.com", "bounce", "550")
    [listed] = await invitations.open(aoi)
    assert listed.mail == "bounced"
    with pytest.raises(Unreachable):
        await invitations.send_again(aoi, made.invite_id)
    await invitations.revoke(aoi, made.invite_id)
    with pytest.raises(Unreachable):
        await invitations.invite(aoi, "gone@example.com", Role.MEMBER)
    assert await invitations.open(aoi) == []
    await world.service.blocks.unblock("gone@example.com")
    await invitations.invite(aoi, "gone@example.com", Role.MEMBER)
