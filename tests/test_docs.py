"""What the documents say is so: tests that promises name are there, and the README's examples run."""

from __future__ import annotations

import ast
import re
from inspect import iscoroutine
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_every_promise_names_tests_that_are_there() -> None:
    promises = (ROOT / "docs" / "promises.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/.]+)`", promises)
    assert len(named) > 15
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("readme", ["README.md", "README.ja.md"])
async def test_the_examples_of_the_readme_run(readme: str) -> None:
    text = (ROOT / readme).read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        code = compile(block, readme, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        running = eval(code, names)
        if iscoroutine(running):
            await running


@pytest.mark.parametrize("readme", ["README.md", "README.ja.md"])
def test_links_and_pictures_lead_somewhere(readme: str) -> None:
    text = (ROOT / readme).read_text("utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert [link for link in links if not (ROOT / link).exists()] == []
