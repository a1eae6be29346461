"""What must be set up together, and when a local end may stand in."""

from __future__ import annotations

import pytest

from sekkei.runtime.ends import MAIL, End, is_loopback, problems
from sekkei.runtime.settings import Settings
from sekkei.web.testing import test_settings

LINE = End("line", ("line_channel_secret", "line_channel_token"), "messages stay here")
ELSEWHERE = "https://bot.example.com"


def settings(url: str = "http://127.0.0.1:8000", **values: str) -> Settings:
    return test_settings(public_url=url, values=values)


def test_nothing_set_up_is_fine_on_ones_own_machine() -> None:
    assert problems([LINE, MAIL], settings(), ()) == []


def test_half_of_it_never_starts() -> None:
    (found,) = problems([LINE], settings(line_channel_token="t"), ())
    assert found == "line is half set up: SEKKEI_LINE_CHANNEL_SECRET is missing. Set it, or none of its settings."
    (found,) = problems([MAIL], settings(mail_from="a@example.com"), ())
    assert "SEKKEI_SMTP_URL or SEKKEI_SES_REGION is missing" in found
    assert problems([LINE], settings(line_channel_token="t"), ["line"]), "allowing it does not make half an end whole"


def test_a_local_end_is_no_accident_at_a_public_address() -> None:
    (found,) = problems([LINE], settings(ELSEWHERE), ())
    assert "line is not set up" in found
    assert "messages stay here" in found
    assert "--allow-local line" in found
    assert problems([LINE], settings(ELSEWHERE), ["line"]) == []
    assert problems([LINE], settings(ELSEWHERE, line_channel_token="t", line_channel_secret="s"), ()) == []


def test_an_end_of_two_systems_is_said_once() -> None:
    assert len(problems([MAIL, MAIL], settings(ELSEWHERE), ())) == 1


def test_alarms_that_nobody_would_get_do_not_start() -> None:
    (found,) = problems([], settings(alarm_to="boss@example.com"), ())
    missing = "SEKKEI_MAIL_FROM and SEKKEI_SMTP_URL or SEKKEI_SES_REGION"
    assert found == f"SEKKEI_ALARM_TO names a mail address: {missing} is missing."
    both = settings(alarm_to="boss@example.com, https://x.example", mail_from="a@example.com", smtp_url="smtp://x")
    (found,) = problems([], both, ())
    assert "names a webhook: SEKKEI_WEBHOOK_SECRET" in found
    assert problems([], settings(alarm_to="https://x.example", webhook_secret="a secret of hooks"), ()) == []


@pytest.mark.parametrize(
    ("url", "ours"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://[::1]:80", True),
        ("http://localhost", True),
        ("https://bot.example.com", False),
        ("http://192.168.0.4", False),
        ("http://127.0.0.1.example.com", False),
    ],
)
def test_whose_address(url: str, ours: bool) -> None:
    assert is_loopback(url) is ours


def test_half_a_provider_to_sign_in_with_does_not_start() -> None:
    half = Settings(values={"sign_in_issuer": "https://id.example", "sign_in_client_id": "c"})
    assert problems([], half, ()) == [
        "openid is half set up: SEKKEI_SIGN_IN_CLIENT_SECRET is missing. Set it, or none of its settings."
    ]
    whole = {"sign_in_issuer": "https://id.example", "sign_in_client_id": "c", "sign_in_client_secret": "s"}
    assert problems([], Settings(values=whole), ()) == []
    insecure = Settings(values={**whole, "sign_in_issuer": "http://id.example"})
    assert problems([], insecure, ()) == ["SEKKEI_SIGN_IN_ISSUER must be an https:// address."]
