"""Demo data, once for each store."""

from __future__ import annotations

import logging

from sekkei.design import ConditionFailed
from sekkei.runtime import days
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.web.identity.design import Marker, done_once
from sekkei.web.shell import Shell

log = logging.getLogger("sekkei.web.demo")


async def load(shell: Shell, *, strict: bool = False) -> list[str]:
    """The people, then every system's sample data, unless this store has it; returns the systems that were loaded.

    A system whose data cannot be loaded does not keep the others from running, unless `strict`.
    """
    for person in DEMO_PEOPLE:
        await shell.accounts.ensure(person)
    loaded = []
    for name, opened in shell.deployment.systems.items():
        marker = f"demo/{name}"
        if await shell.db.get(done_once(marker).consistent()) is not None:
            continue
        try:
            await opened.system.demo(opened.context, opened.parts)
        except Exception:
            if strict:
                raise
            log.exception("demo data could not be loaded", extra={"system": name})
            continue
        try:
            await shell.db.write(done_once.create(Marker(name=marker, at=days.now(shell.clock))))
        except ConditionFailed:
            pass  # another process loaded it at the same moment
        loaded.append(name)
        log.info("demo data loaded", extra={"system": name})
    return loaded
