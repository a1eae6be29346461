"""Every page of the cookbook runs, and prints what it shows; `python -m tests.docs.test_cookbook` renews that."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import types
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "cookbook"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
SHOWN = re.compile(r"```text\n(.*?)```", re.DOTALL)


def printed(page: Path) -> str:
    """What the page's code prints."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    module = types.ModuleType(f"cookbook_{page.stem.replace('-', '_')}")
    sys.modules[module.__name__] = module  # models look their annotations up in their module
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            exec(
                compile("from __future__ import annotations\n" + "\n".join(blocks), str(page), "exec"), module.__dict__
            )
    finally:
        del sys.modules[module.__name__]
    return output.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_it_prints(page: Path) -> None:
    shown = SHOWN.search(page.read_text("utf-8"))
    assert shown is not None
    assert shown[1] == printed(page), "stale; run: python -m tests.docs.test_cookbook"


def test_every_page_is_listed() -> None:
    listed = re.findall(r"\]\(([\w-]+\.md)\)", (FOLDER / "README.md").read_text("utf-8"))
    assert sorted(listed) == [page.name for page in PAGES]


def renew() -> None:
    for page in PAGES:
        before, _, rest = page.read_text("utf-8").partition("```text\n")
        page.write_text(f"{before}```text\n{printed(page)}```{rest.partition('```')[2]}", "utf-8")


if __name__ == "__main__":
    renew()
