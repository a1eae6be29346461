"""DescribeTimeToLive."""

from __future__ import annotations

from tests.engine.conftest import Tables
from tests.engine.operations.calls import set_ttl


async def test_it_is_described(tables: Tables) -> None:
    await tables.create_plain()
    answer = await tables("DescribeTimeToLive", TableName="plain")
    assert answer == {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    answer = await set_ttl(tables)
    assert answer == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}}
    answer = await tables("DescribeTimeToLive", TableName="plain")
    assert answer == {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}}
    await set_ttl(tables, enabled=False)
    answer = await tables("DescribeTimeToLive", TableName="plain")
    assert answer == {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
