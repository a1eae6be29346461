"""`python -m bench scale` on a table that is not large."""

from __future__ import annotations

import pytest

from bench import scale


@pytest.mark.parametrize(("text", "items"), [("1000", 1_000), ("500k", 500_000), ("10M", 10_000_000)])
def test_how_many(text: str, items: int) -> None:
    assert scale.count(text) == items


def test_it_tells_what_it_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(scale, "SMALL", 50)
    monkeypatch.setattr(scale, "READS", 5)
    scale.run(items=300)
    told = capsys.readouterr().out
    for word in ("300 items", "GetItem, p99", "Query of 20 by an index, p99", "verify", "backup", "restore"):
        assert word in told
