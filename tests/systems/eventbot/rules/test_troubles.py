"""Every refusal has a sentence of its own."""

from __future__ import annotations

from sekkei_systems.eventbot.ports.discord.errors import Refused
from sekkei_systems.eventbot.rules.troubles import KNOWN, STEPS, code_of, sentences
from sekkei_systems.eventbot.texts import wording


def test_a_sentence_for_each_step_in_their_order() -> None:
    found = {
        "role": str(Refused(404, 10011, "Unknown Role")),
        "thread": str(Refused(403, 50013, "Missing Permissions")),
    }
    assert sentences(found) == [
        ("thread-permission", "403 (50013): Missing Permissions"),
        ("role-deleted", "404 (10011): Unknown Role"),
    ]
    assert sentences({"mirror": "500 (99): ?"}) == [("mirror-other", "500 (99): ?")]
    assert code_of("no code at all") == 0


def test_the_words_are_there_in_both_languages() -> None:
    keys = {key for codes in KNOWN.values() for key in codes.values()} | {f"{step}-other" for step in STEPS}
    for language in ("ja", "en"):
        assert all(wording(language).find(f"bot.trouble-{key}") for key in keys)
