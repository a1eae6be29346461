"""What is tried first is refused, and what is merely simple is not: length and surprise are all that counts."""

from __future__ import annotations

import pytest

from sekkei.web.identity.weak_passwords import is_weak

KNOWN = ("hana.yamada@example.com", "山田 花 Hana Yamada")


@pytest.mark.parametrize(
    "password",
    [
        "password", "Password1!", "p@ssw0rd", "P4ssw0rd123", "passwordpassword", "welcome2026", "admin123!",
        "letmein!!",
        "12345678", "87654321", "abcdefgh", "qwertyuiop", "1qaz2wsx", "asdfghjkl;"[:9], "qwerty123", "123qweasd",
        "aaaaaaaa", "12121212", "abcabcabc", "ああああああああ", "１２３４５６７８", "sakura2026", "iloveyou",
        "hana.yamada", "HanaYamada", "yamada1990", "hana.yamada@example.com", "山田花2026",
    ],
)  # fmt: skip
def test_guessed_first(password: str) -> None:
    assert is_weak(password, *KNOWN)


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery", "tr0ub4dor&3x", "ねこは窓辺で寝ている", "kX9#mvQ2", "passwordless future",
        "welcome to my garden",
        "my dog ate 3 shoes", "1234 nights", "hana likes tea", "zxcvpoiu7", "sekkeizu no heya",
    ],
)  # fmt: skip
def test_not_guessed_first(password: str) -> None:
    assert not is_weak(password, *KNOWN)
