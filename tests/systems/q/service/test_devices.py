"""A device belongs to whoever signed in on it last."""

from __future__ import annotations

import pytest

from sekkei_systems.q.design.models import DeviceType
from sekkei_systems.q.design.tables import push_tokens
from sekkei_systems.q.refusals import (
    BadToken,
    NoSuchThing,
)
from tests.systems.q.conftest import World


async def test_a_device_goes_to_whoever_signed_in_last(world: World) -> None:
    devices = world.service.devices
    await world.join("a", "b")
    token = "ExponentPushToken[abc-123]"
    await devices.register("a", token, DeviceType.IOS)
    await devices.register("a", token, DeviceType.IOS)
    await devices.register("b", token, DeviceType.ANDROID)
    assert await world.db.get(push_tokens("a", token).consistent()) is None
    assert (await world.db.need(push_tokens("b", token).consistent())).device_type is DeviceType.ANDROID
    with pytest.raises(BadToken):
        await devices.register("a", "nonsense", DeviceType.IOS)
    with pytest.raises(NoSuchThing):
        await devices.forget("a", token)
    await devices.forget("b", token)
    await devices.register("a", token, DeviceType.IOS)
