"""Finding a design by what somebody typed."""

from __future__ import annotations

import pytest

from sekkei.design import DesignError
from sekkei.design.loading import load


@pytest.mark.parametrize("name", ["q", "sekkei_systems.q", "sekkei_systems.q.design", "sekkei_systems.q.design:design"])
def test_one_design_has_several_names(name: str) -> None:
    assert load(name).name == "q"


@pytest.mark.parametrize("name", ["sekkei.runtime", "sekkei.web"])
def test_the_floors_have_designs_too(name: str) -> None:
    assert load(name).tables


def test_what_names_none_is_refused() -> None:
    with pytest.raises(DesignError, match="SK148"):
        load("nothing_of_the_kind")
