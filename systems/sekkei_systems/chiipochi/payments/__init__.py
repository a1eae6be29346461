"""Payment providers behind one port; `configured` chooses by the settings."""

from __future__ import annotations

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.payments.local import LocalProvider
from sekkei_systems.chiipochi.payments.port import Provider
from sekkei_systems.chiipochi.payments.stripe import Stripe


def configured(settings: Settings, db: Database, clock: Clock, http: Http) -> Provider:
    """Stripe Checkout where `SEKKEI_STRIPE_SECRET_KEY` is set, otherwise the local provider."""
    key = settings.get("stripe_secret_key")
    if key:
        return Stripe(key, settings.get("stripe_webhook_secret"), http, clock, settings.get("stripe_api_url"))
    return LocalProvider(settings, db, clock)
