from __future__ import annotations

import base64
import re
import time
from pathlib import Path
from typing import Any

import pytest

from sekkei.kit.webhooks import as_shown, message_id, secret_of, signed

DOCS = Path(__file__).parents[2] / "docs" / "webhooks.md"


def test_what_the_documentation_says_verifies_a_signature() -> None:
    found = re.search(r"```python\n(import base64.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    program: dict[str, Any] = {}
    exec(found[1], program)
    verified, now, body = program["verified"], int(time.time()), b'{"type":"test"}'
    headers = signed([b"k" * 32], "msg_1", now, body)
    assert verified(as_shown(b"k" * 32), headers, body)
    assert not verified(as_shown(b"x" * 32), headers, body)
    assert not verified(as_shown(b"k" * 32), headers, body + b" ")
    assert not verified(as_shown(b"k" * 32), {**headers, "webhook-id": "msg_2"}, body)
    assert not verified(as_shown(b"k" * 32), signed([b"k" * 32], "msg_1", now - 1_000, body), body)


def test_the_signature_of_the_standard() -> None:
    """The example with which receivers of Standard Webhooks are tested."""
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    found = signed([key], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b'{"test": 2432232314}')
    assert found["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_while_a_secret_is_changed_both_have_signed() -> None:
    new, old = (signed([secret], "msg_1", 7, b"{}")["webhook-signature"] for secret in (b"new", b"old"))
    assert signed([b"new", b"old"], "msg_1", 7, b"{}")["webhook-signature"] == f"{new} {old}"


@pytest.mark.parametrize(
    ("text", "secret"),
    [("whsec_c2VjcmV0", b"secret"), ("secret", b"secret"), ("whsec_", b""), ("秘密", "秘密".encode())],
)
def test_secrets_as_operators_write_them(text: str, secret: bytes) -> None:
    assert secret_of(text) == secret
    assert secret_of(as_shown(secret)) == secret


@pytest.mark.parametrize("text", ["whsec_c2VjcmV", "whsec_秘密", "whsec_a b"])
def test_a_secret_that_no_receiver_could_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="base64"):
        secret_of(text)


def test_a_message_has_one_id_without_full_stops() -> None:
    assert message_id("lessons/a.b") == message_id("lessons/a.b") != message_id("lessons/a.c")
    assert re.fullmatch("msg_[0-9a-f]{24}", message_id("lessons/a.b"))
