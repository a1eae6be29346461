from __future__ import annotations

from sekkei.design import replace
from sekkei.runtime.settings import Secrets
from sekkei_systems.lessons.design import studio_secrets
from sekkei_systems.lessons.service.studio_secrets import StudioSecrets
from tests.systems.lessons.world import STAFF, World


async def test_a_secret_is_sealed_and_belongs_to_its_studio(world: World) -> None:
    secrets = world.service.studio_secrets
    assert await secrets.secret("gnz") is None
    made = await secrets.renew(STAFF)
    assert await secrets.secret("gnz") == made.encode()
    stored = await secrets.find("gnz")
    assert stored is not None
    assert made not in stored.sealed
    await world.db.write(studio_secrets.put(replace(stored, studio_code="sby")))
    assert await secrets.secret("sby") != made.encode()
    other = StudioSecrets(world.db, world.clock, Secrets(b"another secret of tests"))
    assert await other.secret("gnz") != made.encode(), "another SEKKEI_SECRET verifies nothing"
    assert await secrets.renew(STAFF) != made
    await secrets.forget(STAFF)
    assert await secrets.secret("gnz") is None
