"""Which region, and which URL: the rules of the AWS SDKs.

Region: the argument, AWS_REGION, AWS_DEFAULT_REGION, the profile's, the one in the endpoint's host name.
Endpoint: the argument, AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, the profile's, the region's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sekkei.errors import ConfigurationError
from sekkei.store.aws.profiles import Profiles
from sekkei.store.http import Origin

LOCAL_REGION = "us-east-1"
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
    return matched.group(1) if matched else LOCAL_REGION


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
