"""What `sekkei publish` has to know of a system, asked of the system itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from sekkei.publish.aws.calls import Calls
    from sekkei.publish.aws.parts import Published
    from sekkei.runtime.deployment import Opened

T = TypeVar("T")
_EVERYWHERE = (
    *("alarm_to", "hosts", "metrics_token", "secret_previous", "sent_days", "sign_in_name"),
    *("webhook_secret", "webhook_secret_previous"),
)
"""What may be set for any system."""


def described(name: str) -> Published | None:
    """What is known of a system; None when the name means a design alone."""
    from sekkei.runtime.discovery import names

    return of_system(name, _published) if name in names() else None


def of_system(name: str, ask: Callable[[Opened], Awaitable[T]]) -> T:
    """Build a system on a store that nobody sees, and ask it."""
    import asyncio

    from sekkei.clock import SYSTEM
    from sekkei.runtime.deployment import assemble
    from sekkei.runtime.discovery import load
    from sekkei.runtime.settings import Secrets, Settings
    from sekkei.store import Embedded

    async def asked() -> T:
        store = Embedded()
        try:
            settings = Settings(secrets=Secrets(b"no secret: only asked what there is"))
            return await ask(assemble([load(name)], store, settings, SYSTEM).systems[name])
        finally:
            await store.close()

    return asyncio.run(asked())


async def _published(opened: Opened) -> Published:
    from sekkei.publish.aws.parts import Published, Settings
    from sekkei.runtime.design import design as runtime
    from sekkei.runtime.ends import OPENID
    from sekkei.web.identity.design import design as web

    system = opened.system
    streams = {table.name: table for reactions in opened.parts.reactions for table in reactions.tables}
    needed = (name for end in system.ends for name in (*end.settings, *end.one_of))
    names = list(dict.fromkeys([*needed, "allow_local", *system.settings, *_EVERYWHERE, *OPENID.settings]))
    return Published(
        name=system.name,
        designs=[system.design, runtime, web],
        streams=list(streams.values()),
        settings=Settings([name for name in names if not _is_secret(name)], [n for n in names if _is_secret(n)]),
        calls=_calls(system.name, "sekkei.runtime", "sekkei.web.identity"),
        webhooks=[route.path_format for route in opened.parts.routes if _is_webhook(route)],
        sends_mail=any(end.name == "mail" for end in system.ends),
    )


def _calls(*names: str) -> dict[str, Calls]:
    """What tests have seen these designs be asked, where somebody noted it."""
    from sekkei.design.loading import find
    from sekkei.publish.aws import calls

    found = {design.name: calls.load(calls.beside(home)) for design, home in map(find, names)}
    return {name: noted for name, noted in found.items() if noted is not None}


def _is_webhook(route: Any) -> bool:
    """Other programs call what a system keeps in its room `webhooks`."""
    return ".webhooks" in getattr(getattr(route, "endpoint", None), "__module__", "")


def _is_secret(name: str) -> bool:
    """A password may stand in an address too."""
    return any(word in name for word in ("secret", "token", "key", "smtp_url"))
