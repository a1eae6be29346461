"""ちいポチ🐾: donate to a prefecture on LINE by typing one of its specialities."""

from __future__ import annotations

from functools import partial

from starlette.routing import BaseRoute

from sekkei.clock import Clock
from sekkei.runtime.ends import MAIL, End, is_loopback
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Transport
from sekkei.runtime.settings import Settings
from sekkei.runtime.system import Context, Parts, System
from sekkei.web import Given
from sekkei_systems.chiipochi import jobs, pages
from sekkei_systems.chiipochi.api import api
from sekkei_systems.chiipochi.demo import demo
from sekkei_systems.chiipochi.design import design
from sekkei_systems.chiipochi.local import chat_pages, payment_pages
from sekkei_systems.chiipochi.local.callbacks import LocalCallbacks
from sekkei_systems.chiipochi.local.chat import Chat
from sekkei_systems.chiipochi.local.payments import LocalProvider
from sekkei_systems.chiipochi.pages.view import Asked, asked_of
from sekkei_systems.chiipochi.ports.line.api import LineApi
from sekkei_systems.chiipochi.ports.line.signatures import ChannelSecrets, is_local
from sekkei_systems.chiipochi.ports.payments.none import NoProvider
from sekkei_systems.chiipochi.ports.payments.port import Provider
from sekkei_systems.chiipochi.ports.payments.stripe import Stripe
from sekkei_systems.chiipochi.ports.setup import check
from sekkei_systems.chiipochi.reactions import Rewards
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.access import Donor, Operator
from sekkei_systems.chiipochi.service.later import AFTERWARDS, INSTRUCTIONS
from sekkei_systems.chiipochi.service.reconciliation import ASK
from sekkei_systems.chiipochi.service.refunds import REFUNDS, RefundTransport
from sekkei_systems.chiipochi.webhooks import line, payments


def build(context: Context) -> Parts:
    check(context.settings)
    settings, http = context.settings, Http()
    provider = _provider(context, http)
    chat = Chat(context)
    line_api = LineApi.configured(settings, http, context.clock)
    service = Service(context, provider, line_api or chat)
    transports: dict[str, Transport] = {
        "line": line_api or chat,
        REFUNDS: RefundTransport(service.refunds),
        ASK: service.reconciliation,
        AFTERWARDS: service.later,
        INSTRUCTIONS: service.later,
    }
    if isinstance(provider, LocalProvider):
        transports["chiipochi.callback"] = LocalCallbacks(provider, service.settling)
    return Parts(
        service=service,
        routes=_routes(given(context, service, chat, provider), settings, provider),
        reactions=[Rewards(context, service)],
        scheduled=jobs.scheduled(context, service),
        recurring=jobs.RECURRING,
        jobs=jobs.jobs(context, service),
        once=jobs.ONCE,
        transports=transports,
    )


def given(context: Context, service: Service, chat: Chat, provider: Provider) -> Given:
    """What handlers ask for, by type."""
    found = Given(
        service,
        *service.nouns,
        chat,
        provider,
        ChannelSecrets.configured(context.settings),
        context.live,
        context.jobs,
        context.outbox,
    )
    found.value(Clock, context.clock)
    found.value(Organisation, service.organisation)
    found.per_request(Operator, service.access.operator_of)
    found.per_request(Donor, service.access.donor_of)
    found.per_request(Asked, partial(asked_of, context.clock))
    return found


def _routes(given: Given, settings: Settings, provider: Provider) -> list[BaseRoute]:
    """Where a LINE channel is set up, there is no simulator; where another provider is, there is no local one."""
    local = [chat_pages.pages] if is_local(settings) else []
    local += [payment_pages.pages] if isinstance(provider, LocalProvider) else []
    declared = (line.pages, payments.pages, *local)
    return [*(route for each in declared for route in each.routes(given)), *pages.routes(given), *api.routes(given)]


def _provider(context: Context, http: Http) -> Provider:
    """Stripe Checkout where its key is set; the local provider only where nobody but us can reach it."""
    settings, clock = context.settings, context.clock
    stripe = Stripe.configured(settings, http, clock)
    if stripe is not None:
        return stripe
    return LocalProvider(settings, context.db, clock) if is_loopback(settings.public_url) else NoProvider()


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
    ends=[
        MAIL,
        End("line", ("line_channel_secret", "line_channel_token"), "people can write to the bot on this machine only"),
        End("payments", ("stripe_secret_key", "stripe_webhook_secret"), "donations would take no money"),
    ],
    pages=[
        ("/", {"ja": "みんなの寄付", "en": "Everybody's donations"}),
        ("/chat", {"ja": "チャットで寄付", "en": "Donate in the chat"}),
        ("/operator", {"ja": "決済の突き合わせ", "en": "Reconciliation"}),
        ("/docs", {"ja": "API", "en": "API"}),
    ],
)
