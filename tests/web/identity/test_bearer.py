"""Bearer tokens of an OpenID provider: only what the trusted provider signed, for us, and still in time."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Any

import jwt
import orjson
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from sekkei.clock import ManualClock
from sekkei.runtime.settings import Settings
from sekkei.web.identity import bearer
from sekkei.web.identity.bearer import BadBearer, Provider
from sekkei.web.testing import Client, opened, test_settings
from tests.web.example import SYSTEM

ISSUER, AUDIENCE = "https://id.example.com/", "sekkei"
RSA = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())
STRANGER = rsa.generate_private_key(65537, 2048)


def jwks() -> str:
    keys = [
        {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(RSA.public_key())), "kid": "r1", "use": "sig"},
        {**json.loads(jwt.algorithms.ECAlgorithm.to_jwk(EC.public_key())), "kid": "e1", "use": "sig"},
        {"kty": "unknown", "kid": "u1"},
    ]
    return json.dumps({"keys": keys})


def settings(**values: str) -> Settings:
    known = {"oidc_issuer": ISSUER, "oidc_audience": AUDIENCE, "oidc_jwks": jwks()}
    return test_settings(values={**known, **values})


def claims(clock: ManualClock, **changes: Any) -> dict[str, Any]:
    found = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "user-1",
        "exp": int(clock.now()) + 300,
        "email": "Hana@Example.com",
        "email_verified": True,
        "name": "花",
        **changes,
    }
    return {name: value for name, value in found.items() if value is not None}


def signed(body: dict[str, Any], key: Any = RSA, algorithm: str = "RS256", kid: str = "r1") -> str:
    return jwt.encode(body, key, algorithm=algorithm, headers={"kid": kid})


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


async def hello(client: Client, token: str) -> Any:
    client.bearer = token
    return await client.json("GET", "/example/api/hello")


async def test_first_requests_at_the_same_time_are_one_account(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock, settings=settings()) as client:
        by_identity = client.shell.accounts.by_identity
        found = await asyncio.gather(*(by_identity(ISSUER, "nameless", None, "花") for _ in range(5)))
        assert len({one.id for one in [*found, await by_identity(ISSUER, "nameless", None, "花")]}) == 1


async def test_rs256_and_es256_are_accepted_and_are_one_person(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock, settings=settings()) as client:
        assert (await hello(client, signed(claims(clock)))).json()["text"] == "花"
        assert (await hello(client, signed(claims(clock), EC, "ES256", "e1"))).json()["text"] == "花"
        client.bearer = signed(claims(clock))
        assert (await client.json("POST", "/example/api/notes", {"text": "x"})).status == 201
        account = await client.shell.accounts.by_email("hana@example.com")
        assert account is not None
        found = await client.shell.accounts.by_identity(ISSUER, "user-1", None, "")
        assert found.id == account.id


def unsigned(body: dict[str, Any]) -> str:
    def part(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(orjson.dumps(value)).decode().rstrip("=")

    return f"{part({'alg': 'none', 'typ': 'JWT', 'kid': 'r1'})}.{part(body)}."


def public_key_as_secret(body: dict[str, Any]) -> str:
    """The old trick: the provider's public key, used as an HMAC secret."""
    pem = RSA.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    head = base64.urlsafe_b64encode(orjson.dumps({"alg": "HS256", "kid": "r1"})).decode().rstrip("=")
    inside = f"{head}.{base64.urlsafe_b64encode(orjson.dumps(body)).decode().rstrip('=')}"
    import hashlib
    import hmac

    signature = hmac.new(pem, inside.encode(), hashlib.sha256).digest()
    return f"{inside}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


BAD: dict[str, Callable[[ManualClock], str]] = {
    "wrong audience": lambda clock: signed(claims(clock, aud="somebody-else")),
    "no audience": lambda clock: signed(claims(clock, aud=None)),
    "wrong issuer": lambda clock: signed(claims(clock, iss="https://id.example.com.evil.example/")),
    "no issuer": lambda clock: signed(claims(clock, iss=None)),
    "expired": lambda clock: signed(claims(clock, exp=int(clock.now()) - 60)),
    "no expiry": lambda clock: signed(claims(clock, exp=None)),
    "not yet": lambda clock: signed(claims(clock, nbf=int(clock.now()) + 600)),
    "no subject": lambda clock: signed(claims(clock, sub=None)),
    "another key": lambda clock: signed(claims(clock), STRANGER),
    "unknown key": lambda clock: signed(claims(clock), STRANGER, kid="r2"),
    "alg none": lambda clock: unsigned(claims(clock)),
    "public key as secret": lambda clock: public_key_as_secret(claims(clock)),
    "rsa token under an ec key": lambda clock: signed(claims(clock), kid="e1"),
    "cut off": lambda clock: signed(claims(clock))[:-5],
    "no token": lambda clock: "x",
    "empty": lambda clock: "",
}


@pytest.mark.parametrize("case", BAD)
async def test_anything_else_is_refused_and_makes_no_account(case: str, clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock, settings=settings()) as client:
        reply = await hello(client, BAD[case](clock))
        assert (reply.status, reply.json()["code"]) == (401, "bad-bearer")
        assert reply.header("www-authenticate") == "Bearer"
        assert await client.shell.accounts.by_email("hana@example.com") is None


async def test_without_a_provider_no_signed_token_counts(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock) as client:
        assert (await hello(client, signed(claims(clock)))).status == 401


async def test_an_unverified_address_is_not_linked_to_the_account_that_has_it(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock, settings=settings()) as client:
        owner = await client.shell.accounts.create("hana@example.com", "本人")
        for verified in (None, False, "true"):
            token = signed(claims(clock, sub=f"thief-{verified}", email_verified=verified, name="偽"))
            assert (await hello(client, token)).json()["text"] == "偽"
        found = await client.shell.accounts.by_email("hana@example.com")
        assert found is not None
        assert found.id == owner.id
        assert (await hello(client, signed(claims(clock)))).json()["text"] == "本人"


async def test_keys_are_fetched_when_needed_but_not_for_every_stranger() -> None:
    clock = ManualClock()
    asked: list[str] = []

    def fetch(url: str) -> bytes:
        asked.append(url)
        return jwks().encode()

    given = settings(oidc_jwks="", oidc_jwks_url="https://id.example.com/keys")
    provider = Provider(given, clock, fetch)
    for _ in range(3):
        assert (await provider.claims(signed(claims(clock))))["sub"] == "user-1"
    assert len(asked) == 1
    for _ in range(5):
        with pytest.raises(BadBearer):
            await provider.claims(signed(claims(clock), STRANGER, kid="new"))
    assert len(asked) == 1
    clock.advance(61)
    with pytest.raises(BadBearer):
        await provider.claims(signed(claims(clock), STRANGER, kid="new"))
    assert len(asked) == 2
    clock.advance(3601)
    await provider.claims(signed(claims(clock)))
    assert len(asked) == 3


async def test_a_provider_that_does_not_answer_leaves_the_keys_that_are_known() -> None:
    clock = ManualClock()
    answers: list[bytes | Exception] = [jwks().encode(), OSError("down"), b"not json"]

    def fetch(url: str) -> bytes:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    provider = Provider(settings(oidc_jwks="", oidc_jwks_url="https://id.example.com/keys"), clock, fetch)
    for _ in range(3):
        assert (await provider.claims(signed(claims(clock))))["sub"] == "user-1"
        clock.advance(3601)
    assert answers == []


def test_half_a_configuration_does_not_start() -> None:
    for values in ({"oidc_audience": ""}, {"oidc_jwks": ""}):
        with pytest.raises(ValueError, match="SEKKEI_OIDC"):
            Provider(settings(**values), ManualClock())


def test_keys_come_over_https_only() -> None:
    with pytest.raises(ValueError, match="https"):
        bearer.fetch("http://id.example.com/keys")
    with pytest.raises(ValueError, match="https"):
        bearer.fetch("file:///etc/passwd")
