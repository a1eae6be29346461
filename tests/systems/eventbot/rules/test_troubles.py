"""Every refusal has a sentence of its own."""

from __future__ import annotations

from sekkei_systems.eventbot.ports.discord.errors import Refused
from sekkei_systems.eventbot.rules.troubles import KNOWN, STEPS, UNDELIVERED, code_of, sentences, why
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
        assert all(wording(language)(f"bot.trouble-{key}") for key in keys)


def test_why_a_post_failed_is_said_in_both_languages() -> None:
    assert why(str(Refused(404, 10008, "Unknown Message"))) == "bot.undelivered-lost"
    assert why("no code at all") == "bot.undelivered-other"
    for code in (*UNDELIVERED, 0):
        said = [wording(language)(why(f"400 ({code}): x")) for language in ("ja", "en")]
        assert all(said)
        assert said[0] != said[1]
