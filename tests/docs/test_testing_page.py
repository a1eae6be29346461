"""The page about testing: its example runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"


def test_the_example_runs() -> None:
    space: dict[str, Any] = {"__name__": "testing_page"}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        exec(block, space)
    space["test_orders"]()
