"""A mail to the owner when something changes that opens their account: whoever did not do it learns of it."""

from __future__ import annotations

import secrets
from typing import Literal

from starlette.requests import Request

from sekkei.web.identity.users import User
from sekkei.web.texts import t

Changed = Literal[
    "password",
    "token",
    "passkey",
    "passkey-gone",
    "authenticator",
    "authenticator-gone",
    "recovery-new",
    "recovery-used",
    "identity",
    "identity-gone",
]


async def tell(request: Request, user: User, what: Changed, **values: int) -> None:
    await tell_address(request, user.id, user.email, what, **values)


async def tell_address(request: Request, account_id: str, email: str, what: Changed, **values: int) -> None:
    """The same for somebody who is not signed in yet."""
    if not email:
        return
    message = {
        "subject": t(request, "notice.subject"),
        "text": t(request, "notice.body", what=t(request, f"notice.{what}", **values), url=_account_page(request)),
    }
    outbox = request.app.state.shell.outbox
    await outbox.put("mail", email, message, id=f"notice/{secrets.token_urlsafe(12)}", people=[account_id])


def _account_page(request: Request) -> str:
    public: str = request.app.state.shell.settings.public_url
    return f"{public}/account"
