from __future__ import annotations

import pytest

from sekkei.runtime.sealed_texts import SealedTexts

KEY, OTHER = bytes(32), bytes([1] * 32)
EARLIER = "AAAAAAAAAAAAAAAAq8YyUSQFGZJrLXss6BSFApU58KKA9qE="
"""As lessons and chiipochi each wrote it by themselves."""


def test_a_text_opens_for_its_owner_alone() -> None:
    texts = SealedTexts(KEY)
    sealed = texts.close("秘密".encode(), "gnz")
    assert texts.open(sealed, "gnz") == "秘密".encode()
    assert texts.open(sealed, "sby") is None
    assert SealedTexts(OTHER).open(sealed, "gnz") is None
    assert texts.close("秘密".encode(), "gnz") != sealed


def test_what_is_in_stores_already_opens() -> None:
    assert SealedTexts(KEY).open(EARLIER, "gnz") == b"earlier"


@pytest.mark.parametrize("broken", ["", "AAAA", "no base64!", "A" * 40])
def test_what_is_no_sealed_text_does_not_open(broken: str) -> None:
    assert SealedTexts(KEY).open(broken, "gnz") is None
