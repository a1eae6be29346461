"""Everything that all systems hold of somebody, as one zip file; written while it is read."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sekkei.runtime import days
from sekkei.runtime.data_subjects import Exported, Person, as_data
from sekkei.runtime.design import FAILED, OUTBOX, SENT, Message, messages_of
from sekkei.runtime.outbox import SHELL
from sekkei.web.answers import download
from sekkei.web.identity.proof import must_be_sure
from sekkei.web.identity.users import in_person, person_of
from sekkei.web.limits import Rate, limit
from sekkei.web.shell import Shell
from sekkei.web.texts import speech

EXPORTS = Rate.per_hour(10)
CODES = f"{SHELL}/code/"
"""Messages that are no more than a key to the account."""
TOTP = {"totp", "totp_offered", "totp_step", "totp_tried", "recovery"}
SECRETS = frozenset({"hash", "password", "public_key", "credential"} | TOTP)


def routes() -> list[Route]:
    return [Route("/account/export", export, methods=["GET"], name="export")]


def _shell(request: Request) -> Shell:
    shell: Shell = request.app.state.shell
    return shell


async def export(request: Request) -> Response:
    """A zip of what every system holds. It has everything in it, so it needs a proof."""
    user, shell = in_person(request), _shell(request)
    must_be_sure(request)
    limit(request, EXPORTS, "export")
    today = days.now(shell.clock).astimezone(speech.get().zone).date()
    return download(f"account-{today}.zip", _zipped(_everything(shell, person_of(user))))


async def _everything(shell: Shell, person: Person) -> AsyncIterator[Exported]:
    yield "account.json", await _account(shell, person.user_id)
    yield "messages.json", await _messages(shell, person)
    for name, opened in shell.deployment.systems.items():
        if opened.parts.personal is not None:
            async for inside, content in opened.parts.personal.export(person):
                yield f"{name}/{inside}", content


async def _account(shell: Shell, id: str) -> dict[str, Any]:
    """What signing in knows; hashes and keys are of no use to anybody else but a thief."""
    account = await shell.accounts.get(id)
    return {
        "account": _shown(account),
        "browsers": [_shown(one) for one in await shell.accounts.sessions(id)],
        "apps": [_shown(one) for one in await shell.apps.of(id)],
        "tokens": [_shown(one) for one in await shell.accounts.tokens(id)],
        "passkeys": [_shown(one) for one in await shell.passkeys.of(id)],
        "identities": [_shown(one) for one in await shell.accounts.identities.of(id)],
    }


def _shown(row: Any) -> dict[str, Any]:
    return as_data(row, *SECRETS) if row is not None else {}


async def _messages(shell: Shell, person: Person) -> list[dict[str, Any]]:
    """What was sent to them; what tells others of them is those others' own."""
    runtime, addresses = shell.deployment.runtime, {person.user_id, person.email} - {""}
    found: dict[str, Message] = {}
    for address in addresses:
        for place in (OUTBOX, FAILED + OUTBOX, SENT):
            found |= {one.id: one for one in await runtime.all(messages_of(address, place)) if one.to in addresses}
    shown = sorted((one for one in found.values() if not one.id.startswith(CODES)), key=lambda one: one.created_at)
    return [
        {"system": one.system, "kind": one.kind, "to": one.to, "at": one.created_at, "state": one.state, **one.body}
        for one in shown
    ]


class _Pipe(io.RawIOBase):
    """Takes what a zip file writes, to be sent on piece by piece."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._waiting += data
        return len(data)

    def take(self) -> bytes:
        taken = bytes(self._waiting)
        self._waiting.clear()
        return taken


async def _zipped(files: AsyncIterator[Exported]) -> AsyncIterator[bytes]:
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        async for name, content in files:
            await asyncio.to_thread(archive.writestr, name, _bytes(content))
            yield pipe.take()
    yield pipe.take()


def _bytes(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    return orjson.dumps(content, default=_plain, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
