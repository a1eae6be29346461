"""What the comparison with other implementations needs to run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


def sekkei_command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name("sekkei")), "engine", *arguments]


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> range:
    """The programmes to compare."""
    first, count = int(request.config.getoption("first")), int(request.config.getoption("programmes"))
    return range(first, first + count)
