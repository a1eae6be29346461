"""The real ends of the outbox. Which are in force, `configured` reads from the settings; the rest stay local.

SEKKEI_MAIL_FROM          who mails are from, such as "タスク <no-reply@example.com>"
SEKKEI_SMTP_URL           smtp://user:password@host:587 (STARTTLS) or smtps://…:465
SEKKEI_SES_REGION         mails through Amazon SES v2, with the AWS credential chain
SEKKEI_EXPO_URL           push notifications through Expo, such as https://exp.host/--/api/v2/push
SEKKEI_EXPO_TOKEN         Expo's access token, where the project demands one
SEKKEI_VAPID_PRIVATE_KEY  pushes to browsers (a system's own: sekkei.runtime.transports.web_push)
SEKKEI_VAPID_SUBJECT      how push services reach you: mailto:… or https://…
SEKKEI_PUSH_HOSTS         push services beside those of known browsers, such as push.example.com:8443 (default: none)
SEKKEI_WEBHOOK_SECRET     signed webhooks (more: sekkei.runtime.transports.webhook)
SEKKEI_LINE_CHANNEL_TOKEN pushes through LINE's Messaging API (more: sekkei.runtime.transports.line)
"""

from __future__ import annotations

from sekkei.clock import Clock
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Transport
from sekkei.runtime.settings import Settings
from sekkei.runtime.transports.line import LineApi
from sekkei.runtime.transports.webhook import Webhook


def configured(settings: Settings, clock: Clock, http: Http) -> dict[str, Transport]:
    """The transports that the operator has set up, by message kind."""
    found: dict[str, Transport] = {}
    sender = settings.get("mail_from")
    if settings.get("smtp_url"):
        from sekkei.runtime.transports.smtp import Smtp

        found["mail"] = Smtp(settings.get("smtp_url"), sender)
    elif settings.get("ses_region"):
        from sekkei.runtime.transports.ses import Ses

        found["mail"] = Ses(settings.get("ses_region"), sender, http, clock)
    if settings.get("expo_url"):
        from sekkei.runtime.transports.expo import Expo

        found["push"] = Expo(settings.get("expo_url"), settings.get("expo_token"), http, clock)
    webhook = Webhook.configured(settings, clock)
    if webhook is not None:
        found["webhook"] = webhook
    line = LineApi.configured(settings, http, clock)
    if line is not None:
        found["line"] = line
    return found
