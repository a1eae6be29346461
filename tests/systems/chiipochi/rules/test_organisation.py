"""Who asks for the money, and the way in."""

from __future__ import annotations

import pytest

from sekkei.web.testing import test_settings
from sekkei_systems.chiipochi.rules.organisation import Organisation


def test_the_way_in_follows_from_the_basic_id() -> None:
    found = Organisation.configured(test_settings(values={"line_basic_id": "@123abcde"}))
    assert found.friend_url == "https://line.me/R/ti/p/%40123abcde"
    assert found.friend_qr.startswith("data:image/svg+xml")
    nobody = Organisation.configured(test_settings())
    assert (nobody.friend_url, nobody.friend_qr, nobody.name, nobody.facts) == ("", "", "", {})


@pytest.mark.parametrize(
    "values", [{"line_basic_id": "123abcde"}, {"line_basic_id": "@a b"}, {"chiipochi_number": "12345"}]
)
def test_what_cannot_be_right_does_not_start(values: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="SEKKEI_"):
        Organisation.configured(test_settings(values=values))
