"""Credentials: a keyring that renews them before they expire, and the chain of sources that every AWS SDK walks.

The chain: environment variables; a web identity in the environment; the profile (a role to assume by AWS STS, IAM
Identity Center, keys, a process); the container's agent (ECS, EKS, Greengrass); EC2's IMDSv2. The first that has
something to say decides, also when it fails.

Sources are plain functions that may block (a file, a process, a metadata server): the keyring runs them in a thread,
once at a time, so that a call on the event loop never waits for a renewal while the old credentials still hold.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import logging
import os
import re
import shlex
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson

from sekkei.backoff import backoff_seconds
from sekkei.clock import SYSTEM, Clock
from sekkei.errors import ConfigurationError, CredentialsError
from sekkei.store.aws.settings import Profiles, Section, domain, home
from sekkei.wire.sigv4 import sign

ANSWER_BYTES_MAX = 1024 * 1024


def _fetch(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes = b"",
    *,
    source: str,
    timeout: float = 10.0,
    attempts: int = 3,
) -> tuple[int, bytes]:
    """Status and body. A server that cannot be reached, or fails, is asked again; then it is a CredentialsError."""
    from http.client import HTTPException  # here, since most programs never come this way

    failure = ""
    for attempt in range(attempts):
        if attempt:
            time.sleep(backoff_seconds(attempt, first=0.2, longest=1.0))
        try:
            status, answer = _once(method, url, headers, body, timeout)
        except (OSError, HTTPException) as error:
            failure = str(error) or type(error).__name__
            continue
        if status < 500 and status != 429:
            return status, answer
        failure = f"status {status}"
    raise CredentialsError(f"{source} gave no answer: {failure}")


def _once(method: str, url: str, headers: Mapping[str, str], body: bytes, timeout: float) -> tuple[int, bytes]:
    from http.client import HTTPConnection, HTTPSConnection

    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout)
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, body or None, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.read(ANSWER_BYTES_MAX)
    finally:
        connection.close()


def parsed(answer: bytes, source: str) -> Any:
    try:
        return orjson.loads(answer)
    except orjson.JSONDecodeError:
        raise CredentialsError(f"{source} answered with something that is not JSON") from None


log = logging.getLogger("sekkei.store")

RENEW_SECONDS = 15 * 60
"""Left of their life when credentials are renewed in the background."""
HOLD_SECONDS = 60
"""Left of their life when they are no longer used."""
_PAUSE_SECONDS = 60
"""Between two renewals in the background: a source may go on handing out the old ones for a while."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """An access key with its secret; its repr tells neither the secret nor the token."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)
    expires_at: float | None = None
    """Seconds since the epoch; None for keys that do not expire."""

    def __post_init__(self) -> None:
        for text in (self.access_key, self.secret_key, self.token or "-"):
            if not text or not text.isascii() or not text.isprintable() or " " in text:
                raise CredentialsError("an access key, secret or token is empty or has characters that cannot be sent")

    @classmethod
    def from_json(cls, answer: object, source: str) -> Credentials:
        """From the form that metadata servers and credential processes use."""
        if not isinstance(answer, dict):
            raise CredentialsError(f"{source} answered without credentials")
        key, secret = answer.get("AccessKeyId"), answer.get("SecretAccessKey")
        if not isinstance(key, str) or not isinstance(secret, str):
            raise CredentialsError(f"{source} answered without AccessKeyId and SecretAccessKey")
        token = answer.get("SessionToken") or answer.get("Token") or None
        expiration = answer.get("Expiration")
        return cls(key, secret, token, None if expiration is None else seconds_of(expiration, source))


def seconds_of(moment: object, source: str) -> float:
    """An ISO 8601 time as seconds since the epoch."""
    try:
        parsed = datetime.fromisoformat(str(moment))
    except ValueError:
        raise CredentialsError(f"{source} gave credentials an expiry that is not a time") from None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


class Keyring:
    """The credentials in use, and where new ones come from. Serves any number of event loops and threads."""

    def __init__(self, source: Callable[[], Credentials], clock: Clock = SYSTEM) -> None:
        self._source = source
        self._clock = clock
        self._lock = threading.Lock()
        self._current: Credentials | None = None
        self._pause_until = 0.0
        self._renewals: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[Credentials]] = (
            weakref.WeakKeyDictionary()
        )

    async def credentials(self) -> Credentials:
        current = self._current
        if current is not None:
            if current.expires_at is None:
                return current
            left = current.expires_at - self._clock.now()
            if left > RENEW_SECONDS:
                return current
            if left > HOLD_SECONDS:
                if self._clock.now() >= self._pause_until:
                    self._start_renewal(current).add_done_callback(_log_failure)
                return current
        return await self.renewed(current)

    async def renewed(self, unwanted: Credentials | None) -> Credentials:
        """Other credentials than `unwanted`, if their source has others. Everybody who asks waits for one renewal."""
        return await asyncio.shield(self._start_renewal(unwanted))

    def _start_renewal(self, unwanted: Credentials | None) -> asyncio.Task[Credentials]:
        loop = asyncio.get_running_loop()
        renewal = self._renewals.get(loop)
        if renewal is None or renewal.done():
            self._pause_until = self._clock.now() + _PAUSE_SECONDS
            renewal = loop.create_task(asyncio.to_thread(self._renew, unwanted))
            self._renewals[loop] = renewal
        return renewal

    def _renew(self, unwanted: Credentials | None) -> Credentials:
        with self._lock:
            if self._current is not None and self._current is not unwanted:
                return self._current  # another thread's event loop was faster
            self._current = self._source()
            return self._current


def _log_failure(renewal: asyncio.Task[Credentials]) -> None:
    if not renewal.cancelled() and renewal.exception() is not None:
        log.warning("AWS credentials could not be renewed, the old ones stay in use: %s", renewal.exception())


_AGENT = "http://169.254.170.2"
_AGENT_HOSTS = frozenset({"169.254.170.2", "169.254.170.23", "fd00:ec2::23"})
_IMDS = "http://169.254.169.254"
_ROLES = "/latest/meta-data/iam/security-credentials/"
_TOKEN_SECONDS = "21600"


def _container(environ: Mapping[str, str]) -> Credentials | None:
    """From the agent that AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or …_FULL_URI names; None when neither is set."""
    relative = environ.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
    url = _AGENT + relative if relative else environ.get("AWS_CONTAINER_CREDENTIALS_FULL_URI")
    if not url:
        return None
    if not _may_be_asked(url):
        raise ConfigurationError(f"container credentials may come over https or from this machine, not from {url}")
    headers = {"Accept": "application/json"}
    token = _authorization(environ)
    if token:
        headers["Authorization"] = token
    status, answer = _fetch("GET", url, headers, source="the container's agent", timeout=2.0)
    if status != 200:
        raise CredentialsError(f"the container's agent refused credentials with status {status}")
    return Credentials.from_json(parsed(answer, "the container's agent"), "the container's agent")


def _may_be_asked(url: str) -> bool:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "https" or host in _AGENT_HOSTS or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _authorization(environ: Mapping[str, str]) -> str | None:
    """Read anew at each renewal: the file's content is rotated."""
    path = environ.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
    if not path:
        return environ.get("AWS_CONTAINER_AUTHORIZATION_TOKEN")
    try:
        token = Path(path).read_text("utf-8").strip()
    except OSError as error:
        raise CredentialsError(f"the container's authorization token cannot be read: {error}") from None
    if not token.isprintable():
        raise CredentialsError("the container's authorization token has characters that cannot be sent")
    return token


def instance(environ: Mapping[str, str]) -> Credentials | None:
    """From EC2's metadata service, version 2; None when this is no EC2 instance or it has no role."""
    if environ.get("AWS_EC2_METADATA_DISABLED", "").lower() == "true":
        return None
    base = environ.get("AWS_EC2_METADATA_SERVICE_ENDPOINT", _IMDS).rstrip("/")
    try:
        timeout = float(environ.get("AWS_METADATA_SERVICE_TIMEOUT", "1"))
        attempts = int(environ.get("AWS_METADATA_SERVICE_NUM_ATTEMPTS", "1"))
    except ValueError:
        raise ConfigurationError("AWS_METADATA_SERVICE_TIMEOUT and …_NUM_ATTEMPTS must be numbers") from None

    def ask(method: str, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
        return _fetch(method, base + path, headers, source="EC2's metadata", timeout=timeout, attempts=attempts)

    try:
        status, token = ask("PUT", "/latest/api/token", {"X-aws-ec2-metadata-token-ttl-seconds": _TOKEN_SECONDS})
    except CredentialsError:
        return None  # nobody there: not an EC2 instance
    if status != 200:
        return None
    headers = {"X-aws-ec2-metadata-token": token.decode("ascii", "replace")}
    status, roles = ask("GET", _ROLES, headers)
    if status != 200 or not roles.strip():
        return None
    status, answer = ask("GET", _ROLES + roles.decode("ascii", "replace").split()[0], headers)
    if status != 200:
        raise CredentialsError(f"EC2's metadata refused the role's credentials with status {status}")
    return Credentials.from_json(parsed(answer, "EC2's metadata"), "EC2's metadata")


def _assume_role(
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


def _assume_role_with_web_identity(
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
    status, answer = _fetch("POST", url, headers, body, source="AWS STS")
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


_TOKEN_MARGIN_SECONDS = 300


def _role_credentials(name: str, profiles: Profiles, environ: Mapping[str, str], clock: Clock) -> Credentials:
    """Of the profile `name`, which has sso_account_id, sso_role_name and an sso_session or an sso_start_url."""
    settings = _settings(name, profiles)
    token = _token(name, settings, environ, clock)
    region = settings["sso_region"]
    base = environ.get("AWS_ENDPOINT_URL_SSO") or f"https://portal.sso.{region}.{domain(region)}"
    query = urlencode({"role_name": settings["sso_role_name"], "account_id": settings["sso_account_id"]})
    headers = {"x-amz-sso_bearer_token": token, "Accept": "application/json"}
    status, answer = _fetch("GET", f"{base}/federation/credentials?{query}", headers, source="IAM Identity Center")
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
    status, answer = _fetch(
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


_PROCESS_SECONDS = 60.0


class Chain:
    """Call it for credentials. It may block: for files, a process, a metadata server."""

    def __init__(
        self, environ: Mapping[str, str], profiles: Profiles, region: str, clock: Clock, *, profile_first: bool = False
    ) -> None:
        self._environ = environ
        self._profiles = profiles
        self._region = region
        self._clock = clock
        self._profile_first = profile_first
        """A profile was passed as an argument, which says more than the environment."""

    def __call__(self) -> Credentials:
        found = None
        if not self._profile_first:
            found = _environment(self._environ) or self._web_identity()
        found = found or self._profile() or _container(self._environ) or instance(self._environ)
        if found is None:
            raise CredentialsError(
                "no AWS credentials: not in the environment (AWS_ACCESS_KEY_ID), not in the profile "
                f"{self._profiles.chosen!r}, not from a container's agent or EC2's metadata"
            )
        return found

    def static(self) -> Credentials | None:
        """Keys that stand in the environment or in the profile; nobody else is asked for any."""
        found = None if self._profile_first else _environment(self._environ)
        return found or _keys(self._profiles.current, self._profiles.chosen)

    def _profile(self) -> Credentials | None:
        chosen = self._profiles.chosen
        if not self._profiles.named and chosen not in self._profiles.sections:
            return None
        return self._of_profile(chosen, ())

    def _of_profile(self, name: str, users: tuple[str, ...]) -> Credentials | None:
        """`users` are the profiles that led here, each as the source of the one before."""
        section = self._profiles.section(name)
        if section.get("role_arn") and name not in users:
            return self._role(name, section, users)
        if section.get("sso_session") or section.get("sso_start_url"):
            return _role_credentials(name, self._profiles, self._environ, self._clock)
        if section.get("login_session"):
            raise CredentialsError(
                f"profile {name!r} signs in with `aws login`, which is not supported here: pass credentials=, or let "
                f"credential_process run `aws configure export-credentials --profile {name} --format process`"
            )
        return _keys(section, name) or _process(section, name)

    def _role(self, name: str, section: Section, users: tuple[str, ...]) -> Credentials:
        region = section.get("region") or self._region
        if section.get("web_identity_token_file"):
            return _assume_role_with_web_identity(
                section["role_arn"],
                section["web_identity_token_file"],
                section.get("role_session_name"),
                region,
                self._environ,
                self._clock,
            )
        if section.get("mfa_serial"):
            raise CredentialsError(f"profile {name!r} asks for an MFA code, which nobody can type here")
        source = section.get("source_profile")
        if source in users:
            raise ConfigurationError(f"profiles name each other as their source: {' → '.join((*users, name, source))}")
        if source:
            user = self._of_profile(source, (*users, name))
        else:
            user = self._from(section.get("credential_source"), name)
        if user is None:
            raise CredentialsError(f"profile {name!r} has a role_arn, but its source has no credentials")
        return _assume_role(user, section, region, self._environ, self._clock)

    def _from(self, credential_source: str | None, name: str) -> Credentials | None:
        if credential_source == "Environment":
            return _environment(self._environ)
        if credential_source == "EcsContainer":
            return _container(self._environ)
        if credential_source == "Ec2InstanceMetadata":
            return instance(self._environ)
        raise ConfigurationError(
            f"profile {name!r} has a role_arn, but neither source_profile nor a credential_source that is known"
        )

    def _web_identity(self) -> Credentials | None:
        token_file = self._environ.get("AWS_WEB_IDENTITY_TOKEN_FILE")
        if not token_file:
            return None
        role = self._environ.get("AWS_ROLE_ARN")
        if not role:
            raise CredentialsError("AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not")
        session_name = self._environ.get("AWS_ROLE_SESSION_NAME")
        return _assume_role_with_web_identity(role, token_file, session_name, self._region, self._environ, self._clock)


def _environment(environ: Mapping[str, str]) -> Credentials | None:
    key, secret = environ.get("AWS_ACCESS_KEY_ID"), environ.get("AWS_SECRET_ACCESS_KEY")
    if not key and not secret:
        return None
    if not key or not secret:
        raise CredentialsError("of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY only one is set")
    return Credentials(key, secret, environ.get("AWS_SESSION_TOKEN") or None)


def _keys(section: Section, name: str) -> Credentials | None:
    key, secret = section.get("aws_access_key_id"), section.get("aws_secret_access_key")
    if not key and not secret:
        return None
    if not key or not secret:
        raise CredentialsError(f"profile {name!r} has only one of aws_access_key_id and aws_secret_access_key")
    return Credentials(key, secret, section.get("aws_session_token") or None)


def _process(section: Section, name: str) -> Credentials | None:
    """What the program in `credential_process` prints. Its standard error stays the terminal's: it may speak."""
    command = section.get("credential_process")
    if not command:
        return None
    source = f"the credential_process of profile {name!r}"
    try:
        done = subprocess.run(shlex.split(command), stdout=subprocess.PIPE, timeout=_PROCESS_SECONDS, check=True)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        reason = "took too long" if isinstance(error, subprocess.TimeoutExpired) else "failed"
        raise CredentialsError(f"{source} {reason}") from None
    answer = parsed(done.stdout, source)
    if not isinstance(answer, dict) or answer.get("Version") != 1:
        raise CredentialsError(f"{source} did not print credentials of Version 1")
    return Credentials.from_json(answer, source)
