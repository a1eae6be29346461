""""""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei.errors import ConfigurationError
from sekkei.store.http import Origin
from sekkei.store.remote import Remote

CONFIG = """
[default]
region = ap-south-1

[profile work]
region = eu-north-1
services = mine

[profile everything]
region = eu-north-1
endpoint_url = http://all.example:1

[services mine]
s3 =
  endpoint_url = http://s3.example:1
dynamodb =
  endpoint_url = http://ddb.example:2
"""


@pytest.fixture
def home(tmp_path: Path) -> str:
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "config").write_text(CONFIG)
    return str(tmp_path)


def test_the_region_comes_from_the_argument_the_environment_the_profile_in_that_order(home):
    environ = {"HOME": home}
    assert Remote(environ=environ).region == "ap-south-1"
    assert Remote(environ={**environ, "AWS_PROFILE": "work"}).region == "eu-north-1"
    environ["AWS_DEFAULT_REGION"] = "us-west-1"
    assert Remote(environ=environ).region == "us-west-1"
    environ["AWS_REGION"] = "us-west-2"
    assert Remote(environ=environ).region == "us-west-2"
    assert Remote("sa-east-1", environ=environ).region == "sa-east-1"


@pytest.mark.parametrize(
    ("url", "region"),
    [
        ("https://dynamodb.eu-west-3.amazonaws.com", "eu-west-3"),
        ("https://dynamodb.cn-north-1.amazonaws.com.cn/", "cn-north-1"),
        ("https://123456789012.ddb.eu-west-3.amazonaws.com", "eu-west-3"),
        ("https://vpce-1a2b.dynamodb.us-gov-west-1.vpce.amazonaws.com", "us-gov-west-1"),
        ("http://localhost:8000", "us-east-1"),
    ],
)
def test_without_any_the_region_is_the_endpoints(url, region):
    assert Remote(endpoint_url=url, environ={"HOME": "/nonexistent"}).region == region


def test_without_region_and_endpoint_it_says_what_to_do():
    with pytest.raises(ConfigurationError, match="AWS_REGION"):
        Remote(environ={"HOME": "/nonexistent"})


@pytest.mark.parametrize("region", ["tokyo", "ap-northeast-1/../x", "ap northeast 1", "evil.example/-1"])
def test_what_is_no_region_is_refused(region):
    with pytest.raises(ConfigurationError, match="region"):
        Remote(region, environ={"HOME": "/nonexistent"})


def test_the_endpoint_comes_from_the_argument_the_environment_the_profile_in_that_order(home):
    environ = {"HOME": home}
    assert Remote(environ=environ).endpoint_url == "https://dynamodb.ap-south-1.amazonaws.com/"
    assert Remote(profile="everything", environ=environ).endpoint_url == "http://all.example:1/"
    environ["AWS_PROFILE"] = "work"
    assert Remote(environ=environ).endpoint_url == "http://ddb.example:2/"
    environ["AWS_ENDPOINT_URL"] = "http://env.example:3"
    assert Remote(environ=environ).endpoint_url == "http://env.example:3/"
    environ["AWS_ENDPOINT_URL_DYNAMODB"] = "http://env-ddb.example:4"
    assert Remote(environ=environ).endpoint_url == "http://env-ddb.example:4/"
    assert Remote(endpoint_url="http://arg.example:5", environ=environ).endpoint_url == "http://arg.example:5/"
    environ["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true"
    assert Remote(environ=environ).endpoint_url == "https://dynamodb.eu-north-1.amazonaws.com/"


@pytest.mark.parametrize(
    ("region", "tables", "streams"),
    [
        ("ap-northeast-1", "dynamodb.ap-northeast-1.amazonaws.com", "streams.dynamodb.ap-northeast-1.amazonaws.com"),
        ("cn-north-1", "dynamodb.cn-north-1.amazonaws.com.cn", "streams.dynamodb.cn-north-1.amazonaws.com.cn"),
        ("eusc-de-east-1", "dynamodb.eusc-de-east-1.amazonaws.eu", "streams.dynamodb.eusc-de-east-1.amazonaws.eu"),
        ("us-gov-west-1", "dynamodb.us-gov-west-1.amazonaws.com", "streams.dynamodb.us-gov-west-1.amazonaws.com"),
    ],
)
def test_at_amazon_streams_have_a_host_of_their_own(region, tables, streams):
    for options in ({}, {"endpoint_url": f"https://{tables}"}):
        store = Remote(region, environ={"HOME": "/nonexistent"}, **options)
        assert (store._tables.host, store._streams.host) == (tables, streams)
        assert store._tables.secure


def test_elsewhere_streams_share_the_endpoint():
    store = Remote(endpoint_url="http://127.0.0.1:8001", environ={"HOME": "/nonexistent"})
    assert store._streams == store._tables
    environ = {"HOME": "/nonexistent", "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": "http://s.example:9"}
    assert Remote("eu-west-1", environ=environ)._streams.host == "s.example"
    assert Remote("eu-west-1", environ=environ)._tables.host == "dynamodb.eu-west-1.amazonaws.com"


@pytest.mark.parametrize("url", ["127.0.0.1:8001", "ftp://x", "http://", "http://[::1", "http://a:port", "http://a\n"])
def test_what_is_no_endpoint_is_refused(url):
    with pytest.raises(ConfigurationError, match="endpoint"):
        Remote(endpoint_url=url, environ={"HOME": "/nonexistent"})


def test_an_origins_host_header_leaves_the_schemes_port_out():
    assert Origin.of("https://a.example:443/").authority == "a.example"
    assert Origin.of("http://a.example:8000").authority == "a.example:8000"
    assert Origin.of("http://[::1]:8000").authority == "[::1]:8000"


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:1", True),
        ("http://127.9.9.9:1", True),
        ("http://localhost:1", True),
        ("http://[::1]:1", True),
        ("http://10.0.0.1:1", False),
        ("http://localhost.evil.example", False),
    ],
)
def test_loopback_is_known(url, loopback):
    assert Origin.of(url).loopback is loopback
