"""TLS: a certificate is checked, and one that is not trusted is told at once."""

from __future__ import annotations

import shutil
import ssl
import subprocess

import pytest

from sekkei.errors import ConfigurationError
from tests.store.canned import canned, ok

OPENSSL = shutil.which("openssl")
pytestmark = pytest.mark.skipif(OPENSSL is None, reason="makes its certificate with openssl, which is not installed")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    key, chain = folder / "key.pem", folder / "chain.pem"
    subprocess.run(
        [
            OPENSSL,
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-keyout",
            key,
            "-out",
            chain,
            "-days",
            "2",
            "-subj",
            "/CN=test",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ],
        check=True,
        capture_output=True,
    )
    return key, chain


@pytest.fixture
async def secure_server(certificate):
    key, chain = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    async with canned(ssl=context) as state:
        yield state


async def test_a_trusted_certificate_is_accepted_and_the_connection_kept(secure_server, make_remote, certificate):
    environ = {"HOME": "/nonexistent", "AWS_CA_BUNDLE": str(certificate[1])}
    store = make_remote(endpoint_url=secure_server.url, environ=environ)
    secure_server.then(ok({"A": 1}), ok({"B": "x" * 300_000}))
    assert await store.call("GetItem", {}) == {"A": 1}
    assert await store.call("GetItem", {}) == {"B": "x" * 300_000}
    assert secure_server.connections == 1


async def test_another_certificate_is_refused_without_trying_again(secure_server, make_remote, naps):
    store = make_remote(endpoint_url=secure_server.url)
    with pytest.raises(ConfigurationError, match="CERTIFICATE_VERIFY_FAILED"):
        await store.call("GetItem", {})
    assert naps == []
    assert secure_server.received == []
