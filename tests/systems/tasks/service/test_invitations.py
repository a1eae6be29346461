"""Invitations: mailed by the stream once per token, accepted once, by the right person, in time."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from sekkei.design import Reactions
from sekkei.runtime.design import newest_messages
from sekkei_systems.tasks.design import Role, invitation_table
from sekkei_systems.tasks.refusals import AlreadyInvited, AlreadyMember, InvitationOver, NotYourMail
from sekkei_systems.tasks.service.invitations import LIFE, hashed
from sekkei_systems.tasks.service.people import Visitor
from tests.systems.tasks.conftest import World

MEI = Visitor("mei", "mei@example.com", "Mei")


async def _invited(world: World) -> tuple[str, str, str]:
    """A team's id, an invitation's id and its token, out of the mail."""
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    await world.arrive("mei")
    await world.service.invitations.invite(aoi, "mei@example.com", Role.MEMBER)
    await world.settle()
    return _from_mail((await _mails(world))[0].body["text"])


async def _mails(world: World) -> list[object]:
    found = await world.deployment.runtime.all(newest_messages())
    return [mail for mail in found if mail.to == "mei@example.com"]  # type: ignore[misc]


def _from_mail(text: str) -> tuple[str, str, str]:
    link = next(line for line in text.splitlines() if line.startswith("https://"))
    parts = urlsplit(link)
    *_, team_id, invite_id = parts.path.split("/")
    return team_id, invite_id, parse_qs(parts.query)["token"][0]


async def test_accepting_twice_makes_one_membership(world: World) -> None:
    team_id, invite_id, token = await _invited(world)
    accept = world.service.invitations.accept
    assert await accept(MEI, team_id, invite_id, token) == team_id
    assert await accept(MEI, team_id, invite_id, token) == team_id
    members = [one.user_id for one in await world.service.teams.members(await world.member("aoi", team_id))]
    assert sorted(members) == ["aoi", "mei", "ren"]
    assert await world.service.invitations.open(await world.admin("aoi", team_id)) == []


async def test_accepting_at_the_same_moment_makes_one_membership(world: World) -> None:
    team_id, invite_id, token = await _invited(world)
    accept = world.service.invitations.accept
    outcomes = await asyncio.gather(*(accept(MEI, team_id, invite_id, token) for _ in range(5)), return_exceptions=True)
    assert team_id in outcomes
    assert all(one == team_id or isinstance(one, InvitationOver | AlreadyMember) for one in outcomes)
    assert len(await world.service.teams.members(await world.member("aoi", team_id))) == 3


async def test_the_token_is_stored_nowhere(world: World) -> None:
    _, invite_id, token = await _invited(world)
    found = await world.deployment.store.call("Scan", {"TableName": "task-table-invitation-v3", "ConsistentRead": True})
    item = next(item for item in found["Items"] if item["SK"]["S"] == f"TINVITE#{invite_id}")
    assert item["token"] == {"S": hashed(token)}
    assert token not in repr(found)
    assert item["expiresAt"]["N"] == str(int(item["createdAt"]["N"]) + 86_400)


async def test_an_expired_invitation_that_is_still_there_is_refused(world: World) -> None:
    team_id, invite_id, token = await _invited(world)
    world.clock.advance(LIFE.total_seconds())
    with pytest.raises(InvitationOver):
        await world.service.invitations.accept(MEI, team_id, invite_id, token)
    assert await world.service.invitations.open(await world.admin("aoi", team_id)) == []
    again = await world.service.invitations.invite(await world.admin("aoi", team_id), "mei@example.com", Role.MEMBER)
    assert again.invite_id != invite_id
    assert len(await world.service.teams.members(await world.member("aoi", team_id))) == 2


@pytest.mark.parametrize("forged", ["", "0" * 64, "x", "💥"])
async def test_a_forged_token_is_refused(world: World, forged: str) -> None:
    team_id, invite_id, _ = await _invited(world)
    with pytest.raises(InvitationOver):
        await world.service.invitations.accept(MEI, team_id, invite_id, forged)
    with pytest.raises(InvitationOver):
        await world.service.invitations.look(team_id, invite_id, forged)


async def test_only_the_invited_address_may_accept(world: World) -> None:
    team_id, invite_id, token = await _invited(world)
    await world.arrive("sota")
    for visitor in (
        Visitor("sota", "sota@example.com", "Sota"),
        Visitor("mei", "mei@example.com", "Mei", verified=False),
        Visitor("mei", None, "Mei"),
    ):
        with pytest.raises(NotYourMail):
            await world.service.invitations.accept(visitor, team_id, invite_id, token)


async def test_one_open_invitation_for_an_address(world: World) -> None:
    team_id, invite_id, _ = await _invited(world)
    invite, aoi = world.service.invitations.invite, await world.admin("aoi", team_id)
    with pytest.raises(AlreadyInvited):
        await invite(aoi, "mei@example.com", Role.ADMIN)
    with pytest.raises(AlreadyMember):
        await invite(aoi, "ren@example.com", Role.MEMBER)
    await world.service.invitations.revoke(await world.admin("aoi", team_id), invite_id)
    await invite(aoi, "mei@example.com", Role.ADMIN)


async def test_revoked_is_over(world: World) -> None:
    team_id, invite_id, token = await _invited(world)
    await world.service.invitations.revoke(await world.admin("aoi", team_id), invite_id)
    with pytest.raises(InvitationOver):
        await world.service.invitations.accept(MEI, team_id, invite_id, token)


async def test_sending_again_makes_the_first_token_worthless(world: World) -> None:
    team_id, invite_id, token = await _invited(world)
    world.clock.advance(timedelta(hours=23).total_seconds())
    await world.service.invitations.send_again(await world.admin("aoi", team_id), invite_id)
    await world.settle()
    mails = await _mails(world)
    assert len(mails) == 2
    renewed = next(found for mail in mails if (found := _from_mail(mail.body["text"]))[2] != token)  # type: ignore[attr-defined]
    world.clock.advance(timedelta(hours=23).total_seconds())
    with pytest.raises(InvitationOver):
        await world.service.invitations.accept(MEI, team_id, invite_id, token)
    assert await world.service.invitations.accept(MEI, *renewed) == team_id


async def test_the_stream_again_sends_no_second_mail(world: World) -> None:
    await _invited(world)
    records = await _records(world)
    reactions: Reactions = world.opened.parts.reactions[0]
    assert any(record["eventName"] == "INSERT" for record in records)
    for _ in range(2):
        assert await reactions.handle({"Records": records}) == {"batchItemFailures": []}
    await world.settle()
    assert len(await _mails(world)) == 1


async def _records(world: World) -> list[dict[str, object]]:
    """Everything that the invitation table's stream still has."""
    call = world.deployment.store.call
    table = (await call("DescribeTable", {"TableName": invitation_table.name}))["Table"]
    stream = table["LatestStreamArn"]
    described = (await call("DescribeStream", {"StreamArn": stream}))["StreamDescription"]
    found: list[dict[str, object]] = []
    for shard in described["Shards"]:
        start = {"StreamArn": stream, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = (await call("GetShardIterator", start))["ShardIterator"]
        answer = await call("GetRecords", {"ShardIterator": iterator})
        found += [{**record, "eventSourceARN": stream} for record in answer["Records"]]
    return found


async def test_the_list_says_where_each_mail_stands(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.service.invitations.invite(aoi, "mei@example.com", Role.MEMBER)
    (listed,) = await world.service.invitations.open(aoi)
    assert listed.mail == "queued"
    await world.settle()
    (listed,) = await world.service.invitations.open(aoi)
    assert listed.mail == "sent"


async def test_names_cannot_break_out_of_the_mail(world: World) -> None:
    await world.arrive("aoi")
    team = await world.service.teams.create("aoi", "A\r\nBcc: all@example.com <b>")
    await world.service.invitations.invite(await world.admin("aoi", team.team_id), "mei@example.com", Role.MEMBER)
    await world.settle()
    (mail,) = await _mails(world)
    body = mail.body  # type: ignore[attr-defined]
    assert "\n" not in body["subject"]
    assert "<b>" not in body["html"]


async def test_an_invitation_ends_with_its_team(world: World) -> None:
    """From the moment on when the team is being deleted, before the job has come to the invitations."""
    team_id, invite_id, token = await _invited(world)
    aoi = await world.admin("aoi", team_id)
    await world.service.teams.delete(aoi)
    with pytest.raises(InvitationOver):
        await world.service.invitations.look(team_id, invite_id, token)
    with pytest.raises(InvitationOver):
        await world.service.invitations.accept(MEI, team_id, invite_id, token)
    assert await world.service.people.teams("mei") == []


async def test_no_mail_goes_out_for_a_team_that_is_gone(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.service.invitations.invite(aoi, "mei@example.com", Role.MEMBER)
    await world.service.teams.delete(aoi)
    await world.settle()
    assert await _mails(world) == []
