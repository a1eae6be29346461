"""The system `chiipochi`: how its parts are wired, and how it is called."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from starlette.routing import BaseRoute

from sekkei.clock import Clock
from sekkei.runtime.ends import MAIL, End, is_loopback
from sekkei.runtime.fakes import fake, has_fake
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Transport
from sekkei.runtime.probes import Asking
from sekkei.runtime.settings import Settings
from sekkei.runtime.system import Context, Parts, System
from sekkei.runtime.transports.line import API_URL as LINE_URL
from sekkei.runtime.transports.line import ChannelSecrets, LineApi
from sekkei.runtime.wiring import Wiring
from sekkei.store.http import Answer
from sekkei.web import Given
from sekkei_systems.chiipochi import jobs, local, pages, webhooks
from sekkei_systems.chiipochi.api import api
from sekkei_systems.chiipochi.demo import demo
from sekkei_systems.chiipochi.design import design
from sekkei_systems.chiipochi.local import Chat, line_id
from sekkei_systems.chiipochi.pages.dashboard import Asked, asked_of
from sekkei_systems.chiipochi.ports.line import LineEnd, Replies, is_simulated, local_secret
from sekkei_systems.chiipochi.ports.payments import Methods, NoProvider, Provider, check
from sekkei_systems.chiipochi.ports.stripe import API_URL as STRIPE_URL
from sekkei_systems.chiipochi.ports.stripe import Stripe
from sekkei_systems.chiipochi.reactions import AwardReactions
from sekkei_systems.chiipochi.rules.organisation import FACTS, Organisation
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.access import Access, Donor, Operator
from sekkei_systems.chiipochi.service.payments import ASK, INSTRUCTIONS, Settling
from sekkei_systems.chiipochi.service.personal import BotPeople
from sekkei_systems.chiipochi.service.refunds import AFTERWARDS, REFUNDS, RefundTransport
from sekkei_systems.days import ZONE


class OwnStripe(Protocol):
    """A fake Stripe that stands in this process (`sekkei_fakes.stripe`)."""

    key: str

    @property
    def webhook_secret(self) -> str: ...

    async def request(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """Answer as Stripe would."""
        ...

    def routes(self, given: Given) -> list[BaseRoute]:
        """The pages where people pay."""
        ...

    def transports(self, settling: Settling) -> dict[str, Transport]:
        """What carries its news to us."""
        ...


def build(context: Context) -> Parts:
    check(context.settings)
    settings, http = context.settings, Http()
    account = _account(context)
    provider = _provider(context, http, account)
    line_api = LineApi.configured(settings, http, context.clock)
    secrets = ChannelSecrets.configured(settings, local_secret(settings))
    wiring = Wiring.of(context, context, Organisation.configured(settings), secrets)
    wiring.value(Clock, context.clock).value(Provider, provider)
    chat = wiring.build(Chat)
    service = wiring.value(LineEnd, line_api or chat).build(Service)
    transports: dict[str, Transport] = {
        "line": Replies(line_api, context.clock) if line_api else chat,
        REFUNDS: wiring.build(RefundTransport),
        ASK: service.reconciliation,
        AFTERWARDS: service.later,
        INSTRUCTIONS: service.later,
    }
    if account is not None:
        transports |= account.transports(service.settling)
    long = jobs.jobs(context, service)
    in_chat = line_id if is_simulated(settings) else None
    return Parts(
        service=service,
        routes=_routes(_given(wiring, context, service.access), settings, account),
        reactions=[AwardReactions(context, service)],
        scheduled=jobs.scheduled(context, service),
        recurring=jobs.RECURRING,
        jobs=long,
        once=jobs.ONCE,
        transports=transports,
        personal=BotPeople(context.db, service.mine, long["forget"].steps, in_chat).personal(),
    )


def _given(wiring: Wiring, context: Context, access: Access) -> Given:
    """What handlers ask for, by type."""
    found = Given(wiring=wiring)
    found.per_request(Operator, access.operator_of)
    found.per_request(Donor, access.donor_of)
    found.per_request(Asked, partial(asked_of, context.clock))
    return found


def _routes(given: Given, settings: Settings, account: OwnStripe | None) -> list[BaseRoute]:
    """Simulator and local payments are for this machine alone, and only where the real end is not set up."""
    found = webhooks.pages.routes(given)
    if is_simulated(settings):
        found += local.pages.routes(given)
    if account is not None:
        found += account.routes(given)
    return [*found, *pages.routes(given), *api.routes(given)]


def _account(context: Context) -> OwnStripe | None:
    """The fake Stripe: only where it is installed, no real one is set up, and nobody but us can reach it."""
    settings = context.settings
    if settings.get("stripe_secret_key") or not is_loopback(settings.public_url) or not has_fake("stripe"):
        return None
    found: OwnStripe = fake("stripe")(settings, context.db, context.clock, context.outbox)
    return found


def _provider(context: Context, http: Http, account: OwnStripe | None) -> Provider:
    """One end of Stripe, whether the account behind it is real or local."""
    settings, clock = context.settings, context.clock
    if account is None:
        return Stripe.configured(settings, http, clock) or NoProvider()
    site, methods = f"{settings.public_url}/chiipochi", Methods.configured(settings)
    return Stripe(account.key, account.webhook_secret, account, clock, site=site, methods=methods, name="local")


SYSTEM = System(
    name="chiipochi",
    title={"ja": "ちいポチ🐾", "en": "Chiipochi🐾"},
    about={
        "ja": "特産品をつぶやくと、その都道府県に寄付できる LINE ボット。",
        "en": "A LINE bot: type a prefecture's speciality, and donate to it.",
    },
    design=design,
    build=build,
    demo=demo,
    settings=(
        *("line_basic_id", "line_channel_secret_previous", "stripe_konbini_days", "stripe_payment_methods"),
        *("chiipochi_day_shards", *(f"chiipochi_{fact}" for fact in FACTS)),
    ),
    zone=ZONE,
    ends=[
        MAIL,
        End(
            "line",
            ("line_channel_secret", "line_channel_token"),
            "people can write to the bot on this machine only",
            probe=Asking("line_api_url", LINE_URL, "/v2/bot/info", "Bearer {line_channel_token}"),
        ),
        End(
            "payments",
            ("stripe_secret_key", "stripe_webhook_secret"),
            "donations would take no money",
            probe=Asking("stripe_api_url", STRIPE_URL, "/v1/account", "Bearer {stripe_secret_key}"),
        ),
    ],
    pages=[
        ("/", {"ja": "みんなの寄付", "en": "Everybody's donations"}),
        ("/chat", {"ja": "チャットで寄付", "en": "Donate in the chat"}),
        ("/operator", {"ja": "決済の突き合わせ", "en": "Reconciliation"}),
        ("/docs", {"ja": "API", "en": "API"}),
    ],
)
