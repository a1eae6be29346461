"""Product code runs without the development distributions, or says which of them it needs."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei import cli
from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.errors import ConfigurationError
from sekkei.runtime import discovery, fakes
from sekkei.runtime.deployment import assemble
from sekkei.runtime.settings import Settings
from sekkei.store import Embedded
from sekkei.web.testing import test_settings
from sekkei_systems.chiipochi.system import SYSTEM as CHIIPOCHI
from sekkei_systems.eventbot.system import SYSTEM as EVENTBOT
from sekkei_systems.lessons import command
from sekkei_systems.lessons.system import demo_studio


@pytest.fixture(autouse=True)
def nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(**wanted: Any) -> list[Any]:
        return []

    for module in (discovery, fakes, command):
        monkeypatch.setattr(module, "entry_points", none)


def test_the_error_names_the_distribution() -> None:
    with pytest.raises(ConfigurationError, match="pip install sekkei-fakes"):
        fakes.fake("discord")


def test_an_event_bot_without_discord_says_what_to_install() -> None:
    with pytest.raises(ConfigurationError, match="sekkei-fakes"):
        assemble([EVENTBOT], Embedded(), test_settings(), ManualClock())


def test_donations_take_no_money() -> None:
    deployment = assemble([CHIIPOCHI], Embedded(), test_settings(), ManualClock())
    assert "chiipochi.callback" not in deployment.systems["chiipochi"].parts.transports


def test_lessons_has_no_studio_with_its_own_system() -> None:
    db: Any = Database
    assert demo_studio(Settings(demo=True), db, ManualClock()) is None


def test_the_move_of_an_old_table_says_what_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lessons", "migrate"]) == 2
    assert "sekkei: stages is not installed: pip install sekkei-lessons-migration" in capsys.readouterr().err


def test_a_counterpart_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["counterpart", "nothing"]) == 2
    assert "nothing is no counterpart" in capsys.readouterr().err
