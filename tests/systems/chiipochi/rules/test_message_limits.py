"""What LINE would refuse is refused before."""

from __future__ import annotations

import pytest

from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.everything import LONGEST
from sekkei_systems.chiipochi.rules.message_limits import Message, Unsendable, check


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [messages.text("x")] * 6,
        [messages.text("")],
        [messages.text("🐾" * 2_501)],
        [messages.text("x", [messages.quick_text("y")] * 14)],
        [messages.text("x", [messages.quick_text("z" * 301)])],
        [messages.text("x", [messages.quick_postback("y", "d" * 301, "s")])],
        [messages.flex("a" * 401, [], [])],
        [messages.flex("a", [{"type": "text", "text": "x" * 30_000}], [])],
        [{"type": "flex", "altText": "a", "contents": {"type": "carousel", "contents": [{}] * 13}}],
        [{**messages.text("x"), "sender": {"name": "n" * 21}}],
        messages.pay(LONGEST, 100, "javascript:alert(1)", "ja"),
        messages.pay(LONGEST, 100, "https://x/" + "y" * 1_000, "ja"),
    ],
)
def test_what_line_would_refuse_is_refused_before_it_is_sent(wrong: list[Message]) -> None:
    with pytest.raises(Unsendable):
        check(wrong)
