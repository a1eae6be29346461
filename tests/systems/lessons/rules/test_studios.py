"""The studios as they are set."""

from __future__ import annotations

from sekkei.runtime.settings import Settings
from sekkei_systems.lessons.rules.studios import Studio, studios_in, studios_of


def test_codes_and_names() -> None:
    assert studios_in("gnz=銀座, sby") == [Studio("gnz", "銀座"), Studio("sby", "sby")]
    assert [studio.code for studio in studios_of(Settings())] == ["gnz", "sby", "snj", "ykh"]
