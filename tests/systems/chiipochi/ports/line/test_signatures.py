"""Signatures as LINE's own SDK makes them."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
from linebot.v3.webhook import SignatureValidator

from sekkei.runtime.transports.line import signature
from sekkei_systems.chiipochi.ports.line.signatures import ChannelSecrets
from sekkei_systems.chiipochi.refusals import BadSignature


def test_signatures_are_those_of_lines_own_sdk() -> None:
    body = '{"destination":"U0","events":[],"text":"🐾"}'
    assert SignatureValidator("secret").validate(body, signature(b"secret", body.encode()))
    assert not SignatureValidator("other").validate(body, signature(b"secret", body.encode()))
    theirs = base64.b64encode(hmac.new(b"secret", body.encode(), hashlib.sha256).digest()).decode()
    assert SignatureValidator("secret").validate(body, theirs)
    ChannelSecrets([b"other", b"secret"]).check(body.encode(), theirs)
    with pytest.raises(BadSignature):
        ChannelSecrets([b"other"]).check(body.encode(), theirs)
