"""What must be set up together. Half of it would mean free money, or none: then the program does not start."""

from __future__ import annotations

from sekkei.runtime.settings import Settings

TOGETHER = (
    ("line_channel_secret", "line_channel_token"),
    ("stripe_secret_key", "stripe_webhook_secret"),
)


class HalfSetUp(ValueError):
    """Settings that make no sense without others."""


def check(settings: Settings) -> None:
    """Raise HalfSetUp, with a sentence that says what to set."""
    for names in TOGETHER:
        given = [name for name in names if settings.get(name)]
        if given and len(given) < len(names):
            missing = " and ".join(_named(name) for name in names if name not in given)
            raise HalfSetUp(f"{_named(given[0])} is set, and {missing} is not. ちいポチ needs both or neither.")
    if settings.get("line_channel_secret") and not settings.get("stripe_secret_key") and not settings.demo:
        raise HalfSetUp(
            "A LINE channel is set up, and no payment provider: donations would be free. Set SEKKEI_STRIPE_SECRET_KEY "
            "and SEKKEI_STRIPE_WEBHOOK_SECRET, or SEKKEI_DEMO=1 to try it on this machine."
        )


def _named(name: str) -> str:
    return f"SEKKEI_{name.upper()}"
