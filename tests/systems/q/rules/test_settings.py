"""Which terms are in force, and whom they are asked of."""

from __future__ import annotations

import pytest

from sekkei.runtime.settings import Settings
from sekkei_systems.q.rules.settings import terms_of

ALL = {"q_terms_version": "2026-11-15", "q_terms_url": "https://q.example/terms", "q_privacy_url": "/privacy"}


def test_all_of_it_or_none() -> None:
    assert terms_of(Settings()) is None
    found = terms_of(Settings(values=ALL))
    assert found is not None
    assert (found.version, found.privacy_url) == ("2026-11-15", "/privacy")
    for name in ALL:
        with pytest.raises(ValueError, match=f"SEKKEI_{name.upper()} is missing"):
            terms_of(Settings(values={**ALL, name: ""}))


@pytest.mark.parametrize("wrong", [{"q_terms_url": "javascript:alert(1)"}, {"q_terms_version": "x" * 51}])
def test_what_nobody_could_read_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="SEKKEI_Q_TERMS"):
        terms_of(Settings(values={**ALL, **wrong}))
