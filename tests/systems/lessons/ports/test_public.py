"""Addresses that people typed lead to the internet, and stay where they were looked up."""

from __future__ import annotations

import ipaddress

import pytest

from sekkei.runtime.http import Http
from sekkei.runtime.transports.webhook import public_address
from sekkei_systems.lessons.ports.public import PublicHttp


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1"])
async def test_a_name_that_leads_into_our_network_is_refused(address: str) -> None:
    async def inside(host: str, port: int) -> list[str]:
        return ["93.184.216.34", address]

    with pytest.raises(ConnectionError, match="private network"):
        await PublicHttp(Http(), resolve=inside).json("GET", "https://studio.example/x")


async def test_a_network_may_be_allowed() -> None:
    async def inside(host: str, port: int) -> list[str]:
        return ["10.1.2.3"]

    allowed = [ipaddress.ip_network("10.0.0.0/8")]
    assert await public_address("https://studio.example", allowed, inside) == "10.1.2.3"
