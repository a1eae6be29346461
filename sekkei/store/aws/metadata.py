"""Credentials from the machine that runs the program: a container's agent (ECS, EKS, Greengrass) or EC2's IMDSv2."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from sekkei.errors import ConfigurationError, CredentialsError
from sekkei.store.aws.credentials import Credentials
from sekkei.store.aws.fetch import fetch, parsed

_AGENT = "http://169.254.170.2"
_AGENT_HOSTS = frozenset({"169.254.170.2", "169.254.170.23", "fd00:ec2::23"})
_IMDS = "http://169.254.169.254"
_ROLES = "/latest/meta-data/iam/security-credentials/"
_TOKEN_SECONDS = "21600"


def container(environ: Mapping[str, str]) -> Credentials | None:
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
    status, answer = fetch("GET", url, headers, source="the container's agent", timeout=2.0)
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
        return fetch(method, base + path, headers, source="EC2's metadata", timeout=timeout, attempts=attempts)

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
