"""`Idempotency-Key`: a request that is sent again, because its answer was lost, is carried out once.

    api = Api("tasks", title="Team tasks", repeatable_in="team_id")

Every operation that writes takes the header then. A row is begun before the handler is called and holds its answer
afterwards, sealed, for a week:

    the same request again      gets the answer of that time, with `Idempotency-Replayed: true`
    another one with this key   422 key-reused
    while the first still runs  409 key-in-use; so for ever when the server was stopped in the midst of it: nobody knows
                                then whether it happened, and it never happens twice
    after a refusal or error    nothing is kept: the next one is carried out

Who asks has been let in and what they sent has been read before, every time. Keys are one's own, and apart for each
value of the path's `repeatable_in`. An operation that takes `headers: Repeatable` itself answers for it itself, by
`with_effect`: the answer is written in the transaction of its effect, and there is never one without the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

import msgspec
import orjson
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from sekkei.design import Action, TransactionFailed
from sekkei.kit.typed import Token
from sekkei.runtime.idempotency import AlreadyDone, Also, Idempotency, KeyInUse, KeyReused, nothing, own_key
from sekkei.web import csrf, reading
from sekkei.web.identity.users import current_user

_REPLAYED = "Idempotency-Replayed"


class Repeatable(msgspec.Struct, rename={"key": "Idempotency-Key"}):
    key: Annotated[Token, Meta(min_length=1, max_length=255)] | None = None
    """Kept for a week. The same request gets the same answer; another one with this key is refused."""

    def row(self, system: str, *whose: str) -> str | None:
        """The name of the key's row, or None when the request has no key."""
        return None if self.key is None else own_key(system, *whose, self.key)


def takes_key(method: str, headers: list[Any]) -> bool:
    """Whether an operation is repeatable by what stands here: it writes, and does not answer for its key itself."""
    return method not in csrf.SAFE and not any(issubclass(model, Repeatable) for model in headers)


M = TypeVar("M")
Out = TypeVar("Out")


@dataclass(frozen=True, slots=True)
class Made(Generic[Out]):
    """What was made with a key, now or before."""

    answer: Out
    replayed: bool = False

    @property
    def headers(self) -> dict[str, str]:
        return {_REPLAYED: "true"} if self.replayed else {}


async def with_effect(
    idempotency: Idempotency,
    row: str | None,
    asked: object,
    make: Callable[[Also[M]], Awaitable[M]],
    out: Callable[[M], Out],
    shape: type[Out],
) -> Made[Out]:
    """Make it, marked in the same transaction, or give the answer of that time. `row` is the key's
    (`Repeatable.row`), and `asked` is what the key belongs to. Without a row it is made unmarked."""
    if row is None:
        return Made(out(await make(nothing)))
    wanted = hashlib.sha256(msgspec.json.encode(asked)).hexdigest()

    def mark(made: M) -> list[Action[Any, Any]]:
        return [idempotency.mark(row, {"asked": wanted, "answer": msgspec.to_builtins(out(made))})]

    before = await idempotency.answer(row)
    if before is None:
        try:
            return Made(out(await make(mark)))
        except (AlreadyDone, TransactionFailed):
            before = await idempotency.answer(row)  # the same request came twice at once
            if before is None:
                raise
    if before["asked"] != wanted:
        raise KeyReused()
    return Made(msgspec.convert(before["answer"], shape), replayed=True)


class Once:
    """Of one API."""

    def __init__(self, system: str, repeatable_in: str, idempotency: Idempotency) -> None:
        self._system, self._within, self._idempotency = system, repeatable_in, idempotency

    async def answer(self, request: Request, run: Callable[[], Awaitable[Response]]) -> Response:
        """What `run` answers, or did when it was asked for before."""
        user, headers = current_user(request), reading.headers(request, Repeatable)
        row = headers.row(self._system, request.path_params.get(self._within, ""), user.id) if user else None
        if row is None:
            return await run()
        asked = await _asked(request)
        before = await self._idempotency.begin(row, {"asked": asked})
        return await self._first(row, asked, run) if before is None else _again(before, asked)

    async def _first(self, row: str, asked: str, run: Callable[[], Awaitable[Response]]) -> Response:
        try:
            answer = await run()
        except Exception:
            await self._idempotency.forget(row)
            raise
        await self._idempotency.keep(row, {"asked": asked, **_stored(answer)})
        return answer


async def _asked(request: Request) -> str:
    """All that makes a difference to the effect; the order of a body's fields does not."""
    body = await request.body()
    with suppress(orjson.JSONDecodeError):  # an operation without a body does not read what is sent
        body = orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS)
    where = [request.method, request.url.path, request.url.query, request.headers.get("if-match", "")]
    return hashlib.sha256(msgspec.json.encode([*where, body])).hexdigest()


def _stored(answer: Response) -> dict[str, Any]:
    headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
    return {"status": answer.status_code, "headers": headers, "body": bytes(answer.body).decode()}


def _again(before: dict[str, Any], asked: str) -> Response:
    if before["asked"] != asked:
        raise KeyReused()
    if "status" not in before:
        raise KeyInUse()
    body = before["body"].encode() or None
    return Response(body, int(before["status"]), {**before["headers"], _REPLAYED: "true"})
