"""A client's settings: the profiles in ~/.aws, read as the AWS CLI reads them, the region and the endpoint.

Region: the argument, AWS_REGION, AWS_DEFAULT_REGION, the profile's, the one in the endpoint's host name.
Endpoint: the argument, AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, the profile's, the region's own.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sekkei.errors import ConfigurationError
from sekkei.store.http import Origin

Section = Mapping[str, str]


@dataclass(frozen=True)
class Profiles:
    """Every profile by its name, its two halves merged; where both files speak, the credentials file is heard."""

    chosen: str
    named: bool
    """Somebody asked for this profile, so that it must exist."""
    sections: Mapping[str, Section] = field(repr=False)
    sso_sessions: Mapping[str, Section] = field(repr=False)
    services: Mapping[str, Section] = field(repr=False)

    @classmethod
    def load(cls, environ: Mapping[str, str], profile: str | None = None) -> Profiles:
        config = _read(environ, "AWS_CONFIG_FILE", "config")
        credentials = _read(environ, "AWS_SHARED_CREDENTIALS_FILE", "credentials")
        sections: dict[str, dict[str, str]] = {}
        for title, section in config.items():
            kind, _, name = title.partition(" ")
            if title == "default" or kind == "profile":
                sections[name.strip(" \"'") or title] = dict(section)
        for name, section in credentials.items():
            sections.setdefault(name, {}).update(section)
        asked = profile or environ.get("AWS_PROFILE") or environ.get("AWS_DEFAULT_PROFILE")
        return cls(
            chosen=asked or "default",
            named=asked is not None,
            sections=sections,
            sso_sessions=_of_kind(config, "sso-session"),
            services=_of_kind(config, "services"),
        )

    def section(self, name: str) -> Section:
        try:
            return self.sections[name]
        except KeyError:
            raise ConfigurationError(f"the AWS profile {name!r} is in neither of the files in ~/.aws") from None

    @property
    def current(self) -> Section:
        """The chosen profile; an unnamed default may be missing."""
        return self.section(self.chosen) if self.named else self.sections.get(self.chosen, {})

    def endpoint_url(self, service: str) -> str | None:
        """The endpoint configured for one service (its section's name, such as `dynamodb`), or for all."""
        services = self.services.get(self.current.get("services", ""), {})
        for line in services.get(service, "").splitlines():
            name, _, value = line.partition("=")
            if name.strip() == "endpoint_url":
                return value.strip()
        return self.current.get("endpoint_url")


def home(environ: Mapping[str, str]) -> Path:
    return Path(environ["HOME"]) if environ.get("HOME") else Path.home()


def _read(environ: Mapping[str, str], variable: str, name: str) -> dict[str, Section]:
    said = environ.get(variable)
    path = Path(said.replace("~", str(home(environ)), 1) if said.startswith("~") else said) if said else None
    path = path or home(environ) / ".aws" / name
    parser = configparser.RawConfigParser(default_section="", strict=False, delimiters=("=",))
    try:
        parser.read_string(path.read_text("utf-8"), str(path))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        raise ConfigurationError(f"{path} cannot be read: {_first_line(error)}") from None
    return {title: dict(parser[title]) for title in parser.sections()}


def _first_line(error: Exception) -> str:
    """Without the line of the file that a parser quotes: it may be a secret."""
    return str(error).splitlines()[0] if not isinstance(error, configparser.Error) else type(error).__name__


def _of_kind(config: Mapping[str, Section], kind: str) -> dict[str, Section]:
    titled = ((title.partition(" "), section) for title, section in config.items())
    return {name.strip(" \"'"): section for (start, _, name), section in titled if start == kind}


_LOCAL_REGION = "us-east-1"
"""Signed for an endpoint that is not Amazon's and has no region."""

_SUFFIXES = (
    ("cn-", "amazonaws.com.cn"),
    ("eusc-", "amazonaws.eu"),
    ("us-iso-", "c2s.ic.gov"),
    ("us-isob-", "sc2s.sgov.gov"),
    ("eu-isoe-", "cloud.adc-e.uk"),
    ("us-isof-", "csp.hci.ic.gov"),
)
_REGION = re.compile(r"[a-z]{2,4}(-[a-z]+)+-\d+")
_HOST_REGION = re.compile(r"(?:^|\.)(?:dynamodb(?:-fips)?|ddb)\.(" + _REGION.pattern + r")\.")


def domain(region: str) -> str:
    """The domain name under which a region's services stand."""
    return next((suffix for prefix, suffix in _SUFFIXES if region.startswith(prefix)), "amazonaws.com")


def configured_endpoint(
    endpoint_url: str | None, environ: Mapping[str, str], profiles: Profiles, service: str = "dynamodb"
) -> str | None:
    """The endpoint that somebody set, or None for the region's own."""
    if endpoint_url:
        return endpoint_url
    if environ.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() == "true":
        return None
    return (
        environ.get(f"AWS_ENDPOINT_URL_{service.upper()}")
        or environ.get("AWS_ENDPOINT_URL")
        or profiles.endpoint_url(service)
    )


def region_of(region: str | None, endpoint_url: str | None, environ: Mapping[str, str], profiles: Profiles) -> str:
    found = (
        region
        or environ.get("AWS_REGION")
        or environ.get("AWS_DEFAULT_REGION")
        or profiles.current.get("region")
        or _region_in(endpoint_url)
    )
    if not found:
        raise ConfigurationError(
            'no AWS region: pass region="ap-northeast-1", set AWS_REGION, or give the profile a region'
        )
    if endpoint_url is None and not _REGION.fullmatch(found):
        raise ConfigurationError(f"{found!r} is not the name of an AWS region, such as ap-northeast-1")
    if not re.fullmatch(r"[\w-]+", found, re.ASCII):
        raise ConfigurationError(f"{found!r} cannot be the name of a region")
    return found


def _region_in(endpoint_url: str | None) -> str | None:
    if endpoint_url is None:
        return None
    matched = _HOST_REGION.search(Origin.of(endpoint_url).host)
    return matched.group(1) if matched else _LOCAL_REGION


def origins(region: str, endpoint_url: str | None, streams_url: str | None) -> tuple[Origin, Origin]:
    """Where tables answer and where streams do: two hosts at Amazon, one anywhere else."""
    if endpoint_url is None:
        tables = Origin.of(f"https://dynamodb.{region}.{domain(region)}")
        streams = Origin.of(streams_url or f"https://streams.dynamodb.{region}.{domain(region)}")
        return tables, streams
    tables = Origin.of(endpoint_url)
    if streams_url and streams_url != endpoint_url:
        return tables, Origin.of(streams_url)
    if tables.host == f"dynamodb.{region}.{domain(region)}":
        return tables, tables._replace(host=f"streams.{tables.host}")
    return tables, tables
