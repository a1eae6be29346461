"""Mail by Amazon SES, API version 2."""

from __future__ import annotations

import orjson

from sekkei.clock import Clock
from sekkei.kit.text import one_line
from sekkei.runtime.aws.signing import AwsService, error_message, error_type
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Rejected, Undeliverable
from sekkei.runtime.transports.mail import address, sender_of

NEVER = frozenset({"MessageRejected", "NotFoundException", "BadRequestException"})
"""Of one mail, and no repetition mends them; what is nowhere here, such as too many requests, is tried again."""
OURS = frozenset({"MailFromDomainNotVerifiedException", "AccountSuspendedException", "SendingPausedException"})
"""Every mail gets these, until our account or its settings are mended."""


class Ses:
    """SendEmail with the text and its HTML; the answer's MessageId is the receipt."""

    def __init__(self, region: str, sender: str, http: Http, clock: Clock, endpoint: str | None = None) -> None:
        self._service = AwsService("email", region, http, clock, endpoint)
        self._sender = sender_of(sender)

    async def send(self, message: Message) -> str:
        answer = await self._service.call("POST", "/v2/email/outbound-emails", self._content(message))
        if answer.status == 200:
            return str(orjson.loads(answer.body)["MessageId"])
        reason = f"{error_type(answer)}: {error_message(answer)}"
        if error_type(answer) in NEVER:
            raise Undeliverable(reason)
        if answer.status in (401, 403) or error_type(answer) in OURS:
            raise Rejected(reason)
        raise ConnectionError(reason)

    async def check(self) -> None:
        """Whether a mail could be sent; none is."""
        answer = await self._service.call("GET", "/v2/email/account")
        if answer.status in (401, 403):
            raise Rejected(f"{error_type(answer)}: {error_message(answer)}")
        if answer.status != 200:
            raise ConnectionError(f"{error_type(answer)}: {error_message(answer)}")

    def _content(self, message: Message) -> dict[str, object]:
        body = {"Text": _part(str(message.body.get("text", "")))}
        if message.body.get("html"):
            body["Html"] = _part(str(message.body["html"]))
        return {
            "FromEmailAddress": str(address(self._sender)),
            "Destination": {"ToAddresses": [str(address(message.to))]},
            "Content": {
                "Simple": {
                    "Subject": _part(one_line(str(message.body.get("subject", "")))),
                    "Body": body,
                    "Headers": [{"Name": "Auto-Submitted", "Value": "auto-generated"}],
                }
            },
        }


def _part(text: str) -> dict[str, str]:
    return {"Data": text, "Charset": "UTF-8"}
