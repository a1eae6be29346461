"""AWS STS: a role's temporary credentials, for those of a user or for an identity provider's token."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from sekkei.clock import Clock
from sekkei.errors import CredentialsError
from sekkei.store.aws.credentials import Credentials, seconds_of
from sekkei.store.aws.endpoints import domain
from sekkei.store.aws.fetch import fetch
from sekkei.wire.sigv4 import sign


def assume_role(
    user: Credentials, role: Mapping[str, str], region: str, environ: Mapping[str, str], clock: Clock
) -> Credentials:
    """`role` is a profile's section: role_arn, and maybe role_session_name, external_id, duration_seconds."""
    parameters = {
        "Action": "AssumeRole",
        "RoleArn": role["role_arn"],
        "RoleSessionName": role.get("role_session_name") or f"sekkei-{int(clock.now())}",
    }
    if role.get("external_id"):
        parameters["ExternalId"] = role["external_id"]
    if role.get("duration_seconds"):
        parameters["DurationSeconds"] = role["duration_seconds"]
    return _ask(parameters, region, environ, clock, user)


def assume_role_with_web_identity(
    role_arn: str, token_file: str, session_name: str | None, region: str, environ: Mapping[str, str], clock: Clock
) -> Credentials:
    try:
        token = Path(token_file).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CredentialsError(f"the web identity's token cannot be read: {error}") from None
    parameters = {
        "Action": "AssumeRoleWithWebIdentity",
        "RoleArn": role_arn,
        "RoleSessionName": session_name or f"sekkei-{int(clock.now())}",
        "WebIdentityToken": token,
    }
    return _ask(parameters, region, environ, clock)


def _ask(
    parameters: Mapping[str, str],
    region: str,
    environ: Mapping[str, str],
    clock: Clock,
    user: Credentials | None = None,
) -> Credentials:
    url = environ.get("AWS_ENDPOINT_URL_STS") or f"https://sts.{region}.{domain(region)}"
    body = urlencode({**parameters, "Version": "2011-06-15"}).encode()
    headers = {"Host": urlsplit(url).netloc, "Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
    if user is not None:
        path = urlsplit(url).path or "/"
        headers |= sign(
            "POST", path, "", headers, body, user.access_key, user.secret_key, user.token, region, "sts", clock.now()
        )
    status, answer = fetch("POST", url, headers, body, source="AWS STS")
    text = answer.decode("utf-8", "replace")
    if status != 200:
        raise CredentialsError(
            f"AWS STS refused {parameters['Action']} for {parameters['RoleArn']}: "
            f"{_element(text, 'Code') or status}: {_element(text, 'Message') or 'no message'}"
        )
    return Credentials(
        _required(text, "AccessKeyId"),
        _required(text, "SecretAccessKey"),
        _required(text, "SessionToken"),
        seconds_of(_required(text, "Expiration"), "AWS STS"),
    )


def _element(xml: str, name: str) -> str | None:
    found = re.search(f"<{name}>([^<]*)</{name}>", xml)
    if found is None:
        return None
    text = found.group(1).strip()
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


def _required(xml: str, name: str) -> str:
    value = _element(xml, name)
    if not value:
        raise CredentialsError(f"AWS STS answered without {name}")
    return value
