"""IAM Identity Center: a role's credentials for the token that `aws sso login` left in ~/.aws/sso/cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson

from sekkei.clock import Clock
from sekkei.errors import ConfigurationError, CredentialsError
from sekkei.store.aws.credentials import Credentials, seconds_of
from sekkei.store.aws.endpoints import domain
from sekkei.store.aws.fetch import fetch, parsed
from sekkei.store.aws.profiles import Profiles, home

_TOKEN_MARGIN_SECONDS = 300


def role_credentials(name: str, profiles: Profiles, environ: Mapping[str, str], clock: Clock) -> Credentials:
    """Of the profile `name`, which has sso_account_id, sso_role_name and an sso_session or an sso_start_url."""
    settings = _settings(name, profiles)
    token = _token(name, settings, environ, clock)
    region = settings["sso_region"]
    base = environ.get("AWS_ENDPOINT_URL_SSO") or f"https://portal.sso.{region}.{domain(region)}"
    query = urlencode({"role_name": settings["sso_role_name"], "account_id": settings["sso_account_id"]})
    headers = {"x-amz-sso_bearer_token": token, "Accept": "application/json"}
    status, answer = fetch("GET", f"{base}/federation/credentials?{query}", headers, source="IAM Identity Center")
    if status == 401:
        raise _log_in(name)
    if status != 200:
        raise CredentialsError(f"IAM Identity Center refused the role of profile {name!r} with status {status}")
    role = parsed(answer, "IAM Identity Center").get("roleCredentials", {})
    try:
        expires_at = role["expiration"] / 1000
        return Credentials(role["accessKeyId"], role["secretAccessKey"], role["sessionToken"], expires_at)
    except (KeyError, TypeError):
        raise CredentialsError("IAM Identity Center answered without credentials") from None


def _settings(name: str, profiles: Profiles) -> dict[str, str]:
    section = dict(profiles.section(name))
    session = section.get("sso_session")
    if session:
        if session not in profiles.sso_sessions:
            raise ConfigurationError(f"profile {name!r} names an sso-session that is not there: {session!r}")
        section = {**profiles.sso_sessions[session], **section}
    missing = [
        member
        for member in ("sso_start_url", "sso_region", "sso_account_id", "sso_role_name")
        if not section.get(member)
    ]
    if missing:
        raise ConfigurationError(f"profile {name!r} lacks {', '.join(missing)}")
    return section


def _token(name: str, settings: Mapping[str, str], environ: Mapping[str, str], clock: Clock) -> str:
    """The cached token, renewed when it can be."""
    key = settings.get("sso_session") or settings["sso_start_url"]
    path = home(environ) / ".aws" / "sso" / "cache" / f"{hashlib.sha1(key.encode()).hexdigest()}.json"
    try:
        cached = parsed(path.read_bytes(), str(path))
        token: str = cached["accessToken"]
        left = seconds_of(cached["expiresAt"], str(path)) - clock.now()
    except (OSError, KeyError, TypeError):
        raise _log_in(name) from None
    if left > _TOKEN_MARGIN_SECONDS:
        return token
    if {"refreshToken", "clientId", "clientSecret"} <= cached.keys():
        return _renewed_token(name, cached, path, settings["sso_region"], environ, clock)
    if left > 0:
        return token
    raise _log_in(name)


def _renewed_token(
    name: str, cached: dict[str, Any], path: Path, region: str, environ: Mapping[str, str], clock: Clock
) -> str:
    base = environ.get("AWS_ENDPOINT_URL_SSO_OIDC") or f"https://oidc.{region}.{domain(region)}"
    wish = {member: cached[member] for member in ("clientId", "clientSecret", "refreshToken")}
    body = orjson.dumps({**wish, "grantType": "refresh_token"})
    status, answer = fetch(
        "POST", f"{base}/token", {"Content-Type": "application/json"}, body, source="IAM Identity Center"
    )
    if status != 200:
        raise _log_in(name)
    fresh = parsed(answer, "IAM Identity Center")
    expires = datetime.fromtimestamp(clock.now() + fresh["expiresIn"], UTC)
    cached["accessToken"] = fresh["accessToken"]
    cached["expiresAt"] = expires.strftime("%Y-%m-%dT%H:%M:%SZ")
    cached["refreshToken"] = fresh.get("refreshToken", cached["refreshToken"])
    _replace(path, orjson.dumps(cached))
    token: str = fresh["accessToken"]
    return token


def _replace(path: Path, content: bytes) -> None:
    """In one step and for nobody else to read, since the AWS CLI reads the same file."""
    draft = path.with_suffix(f".{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    draft.replace(path)


def _log_in(name: str) -> CredentialsError:
    return CredentialsError(f"profile {name!r} is not signed in, or no longer: run aws sso login --profile {name}")
