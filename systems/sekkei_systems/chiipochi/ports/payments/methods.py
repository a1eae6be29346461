"""Ways to pay at Stripe, as the settings name them."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.runtime.settings import Settings

KNOWN = ("card", "konbini", "customer_balance")
LEAST = {"card": 50, "konbini": 120, "customer_balance": 50}
MOST = {"konbini": 300_000}
"""Yen below and above which Stripe does not take a way to pay."""
KONBINI_DAYS, KONBINI_DAYS_MAX = 3, 60


@dataclass(frozen=True, slots=True)
class Methods:
    names: tuple[str, ...] = ()
    """Empty: whatever is switched on in Stripe's Dashboard."""
    konbini_days: int = KONBINI_DAYS

    @staticmethod
    def configured(settings: Settings) -> Methods:
        names = tuple(name.strip() for name in settings.get("stripe_payment_methods").split(",") if name.strip())
        unknown = [name for name in names if name not in KNOWN]
        if unknown or (names and "card" not in names):
            raise ValueError(
                f"SEKKEI_STRIPE_PAYMENT_METHODS is a list of {', '.join(KNOWN)} with card in it (a small donation can "
                f"be paid no other way); it is {','.join(names)!r}."
            )
        days = settings.get("stripe_konbini_days", str(KONBINI_DAYS))
        if not days.isascii() or not days.isdigit() or not 1 <= int(days) <= KONBINI_DAYS_MAX:
            raise ValueError(f"SEKKEI_STRIPE_KONBINI_DAYS is a number from 1 to {KONBINI_DAYS_MAX}; it is {days!r}.")
        return Methods(names, int(days))

    @property
    def needs_customer(self) -> bool:
        return "customer_balance" in self.names

    def fields(self, amount: int) -> dict[str, str]:
        """Of a new checkout; ways that Stripe does not take for so little or so much are left out."""
        offered = [name for name in self.names if takes(name, amount)]
        found = {f"payment_method_types[{place}]": name for place, name in enumerate(offered)}
        if not self.names or "konbini" in offered:
            found["payment_method_options[konbini][expires_after_days]"] = str(self.konbini_days)
        if "customer_balance" in offered:
            found["payment_method_options[customer_balance][funding_type]"] = "bank_transfer"
            found["payment_method_options[customer_balance][bank_transfer][type]"] = "jp_bank_transfer"
        return found


def takes(name: str, amount: int) -> bool:
    return LEAST[name] <= amount <= MOST.get(name, amount)
