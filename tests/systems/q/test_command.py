"""`sekkei q`, as an operator types it."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

import pytest

from sekkei.cli import main
from sekkei.clock import SYSTEM as CLOCK
from sekkei.runtime.deployment import assemble
from sekkei.runtime.settings import from_environment
from sekkei.runtime.transports.web_push import vapid_of
from sekkei.store import Embedded
from sekkei_systems.q.design.models import User
from sekkei_systems.q.design.tables import users
from sekkei_systems.q.service.people import Visitor
from sekkei_systems.q.system import SYSTEM


@pytest.fixture
def data(tmp_path: Path) -> Path:
    async def fill() -> None:
        store = Embedded(tmp_path / "sekkei.db")
        deployment = assemble([SYSTEM], store, from_environment({}, data=tmp_path), CLOCK)
        await deployment.make_tables()
        people = deployment.systems["q"].parts.service.people
        for name in ("a", "b"):
            await people.join(Visitor(name, f"{name}@example.com", name), date(2000, 1, 1))
        await store.close()

    asyncio.run(fill())
    return tmp_path


def change(data: Path, **attributes: object) -> User:
    async def write() -> User:
        store = Embedded(data / "sekkei.db")
        db = SYSTEM.design.open(store)
        if "follower_count" in attributes:
            await db.write(users.update("a").set(User.follower_count, 5))
        found = await db.need(users("a").consistent())
        await store.close()
        return found

    return asyncio.run(write())


def test_plan_and_publish(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["q", "plan", "--data", str(data)]) == 0
    assert capsys.readouterr().out.count("planned") == 2
    assert main(["q", "publish", "--data", str(data)]) == 0
    assert main(["q", "work", "--data", str(data)]) == 0
    assert main(["q", "reuse", "--data", str(data)]) == 0


def test_administrators(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["q", "admin", "A@example.com", "--data", str(data)]) == 0
    assert change(data).is_admin
    assert main(["q", "admin", "a@example.com", "--remove", "--data", str(data)]) == 0
    assert not change(data).is_admin
    assert main(["q", "admin", "nobody@example.com", "--data", str(data)]) == 2
    assert main(["q", "admin", "--data", str(data)]) == 2
    assert "nobody@example.com" in capsys.readouterr().err


def test_reconcile_finds_what_differs(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["q", "reconcile", "--data", str(data)]) == 0
    change(data, follower_count=5)
    assert main(["q", "reconcile", "--data", str(data)]) == 1
    assert "followers 5, really 0" in capsys.readouterr().out


def test_withdraw_only_when_the_week_is_over(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["q", "withdraw", "a", "--data", str(data)]) == 2
    assert "does not leave" in capsys.readouterr().err


def test_backup_of_every_table(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["q", "backup", "before-release", "--data", str(data)]) == 0
    assert capsys.readouterr().out.count("/backup/") == len(SYSTEM.design.tables)
    assert main(["q", "backup", "a/b", "--data", str(data)]) == 2


def test_a_key_for_pushes_is_made_as_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["q", "push-keys"]) == 0
    key, subject = (line.removeprefix("export ").split()[0] for line in capsys.readouterr().out.splitlines())
    values = dict(one.split("=", 1) for one in (key, subject))
    vapid = vapid_of(from_environment(values), CLOCK)
    assert vapid is not None
    assert len(vapid.public) == 87
