"""The guide's examples run, and say what the guide says."""

from __future__ import annotations

import asyncio
import re
import sys
import types
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "designing.md"


def test_the_guide_runs(tmp_path: Path) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 5
    guide = types.ModuleType("designing_guide")
    sys.modules[guide.__name__] = guide  # models look their annotations up in their module
    try:
        exec("from __future__ import annotations\n" + "\n".join(blocks), guide.__dict__)
        asyncio.run(guide.main())
        assert [loan.title for loan in guide.report(tmp_path / "library.db")] == ["坊っちゃん"]
    finally:
        del sys.modules[guide.__name__]
    plan = guide.due_in.plans[0]
    assert (plan.operation, plan.target) == ("Query", "Loans.by_month")
    assert plan.key in text
