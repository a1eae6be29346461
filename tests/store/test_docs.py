"""docs/store.md says what is so: its examples run, and its tables have every setting."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import fields
from pathlib import Path

from sekkei.store.weather import PRESETS, Forecast

TEXT = (Path(__file__).parents[2] / "docs" / "store.md").read_text("utf-8")


async def test_the_examples_run():
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        code = compile(block, "docs/store.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        running = eval(code, {})
        assert inspect.iscoroutine(running)
        await running


def test_the_table_has_every_kind_of_weather():
    section = TEXT[TEXT.index("## Weather") :]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [field.name for field in fields(Forecast)]
    presets = section[section.index("Presets:") :]
    assert [name for name in re.findall(r"`(\w+)`", presets) if name in PRESETS] == list(PRESETS)
