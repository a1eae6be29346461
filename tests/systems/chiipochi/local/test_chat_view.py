"""What people write, as the simulator shows it: links where there are addresses, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sekkei_systems.chiipochi.design.models import ChatMessage
from sekkei_systems.chiipochi.local.chat_view import view

HERE = "http://127.0.0.1:8000"


NOW = datetime(2025, 8, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{HERE}/chiipochi/", '<a href="/chiipochi/">127.0.0.1:8000/chiipochi/</a>'),
        ("https://example.com/?a=1&b=2", '<a href="https://example.com/?a=1&amp;b=2">example.com/?a=1&amp;b=2</a>'),
        (f"{HERE}javascript:alert(1)", '<a href="/">127.0.0.1:8000javascript:alert(1)</a>'),
        ("<b>\nx", "&lt;b&gt;<br>x"),
    ],
)
def test_a_text_with_addresses(text: str, expected: str) -> None:
    message = {"type": "text", "text": text}
    entry = ChatMessage(user_id="U1", at=NOW, message_id="1", sender="user", messages=[message], expires_at=NOW)
    (row,) = view([entry], HERE)
    assert row.text == expected
