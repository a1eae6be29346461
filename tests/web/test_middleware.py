"""What every request passes and every answer carries."""

from __future__ import annotations

import logging

import pytest

from sekkei.web.middleware import BODY_BYTES_MAX
from sekkei.web.testing import opened, test_settings
from tests.web.example import SYSTEM


async def test_every_answer_has_the_headers_errors_and_files_included() -> None:
    async with opened(SYSTEM) as client:
        for path in ("/", "/nowhere", client.shell.static.url("app.css"), "/example/api/notes", "/healthz"):
            reply = await client.get(path)
            policy = reply.header("content-security-policy") or ""
            assert "script-src 'self';" in policy, path
            assert "unsafe-inline" not in policy.replace("style-src-attr 'unsafe-inline'", "")
            assert "frame-ancestors 'none'" in policy
            assert reply.header("x-content-type-options") == "nosniff"
            assert reply.header("referrer-policy") == "same-origin"
            assert reply.header("x-frame-options") == "DENY"
            assert len(reply.header("x-request-id") or "") == 16


async def test_pages_are_not_kept_and_files_are_kept_for_good() -> None:
    async with opened(SYSTEM) as client:
        assert (await client.get("/")).header("cache-control") == "no-store"
        url = client.shell.static.url("app.css")
        assert "immutable" in ((await client.get(url)).header("cache-control") or "")
        old = url.replace(client.shell.static.version, "0" * 12)
        assert (await client.get(old)).header("cache-control") == "no-cache"
        for path in ("/static/x/../../secret", "/static/x/%2e%2e/shell.py", "/static/x/nothing.css"):
            assert (await client.get(path)).status == 404


async def test_no_page_has_an_inline_script_or_a_foreign_address() -> None:
    async with opened(SYSTEM, demo=True) as client:
        await client.sign_in()
        for path in ("/", "/sign-up", "/account", "/example/", "/example/docs", "/console/outbox", "/nowhere"):
            text = (await client.get(path)).text
            assert "<script>" not in text
            assert " onclick=" not in text
            assert 'src="http' not in text
            assert 'href="http' not in text


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:8000", "", "localhost.evil.example", "[::2]", "[", "a]b"]
)
async def test_a_name_that_is_not_ours_gets_nothing(host: str) -> None:
    """Rebinding: a stranger's name that points to this machine must not be served as ours."""
    async with opened(SYSTEM) as client:
        client.host = host
        reply = await client.get("/")
        assert reply.status == 421
        assert "佐藤" not in reply.text


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "tasks.example.com", "b.example.com"]
)
async def test_our_own_names(host: str) -> None:
    settings = test_settings(public_url="https://tasks.example.com", values={"hosts": "a.example.com, B.example.com"})
    async with opened(SYSTEM, settings=settings) as client:
        client.host = host
        assert (await client.get("/")).status == 200


async def test_a_body_that_is_too_large_is_refused() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        token = await client.token()
        large = b"x" * (BODY_BYTES_MAX + 1)
        headers = {"X-CSRF-Token": token, "Content-Type": "application/json"}
        reply = await client.request("POST", "/example/api/notes", large, headers)
        assert (reply.status, reply.json()["code"]) == (413, "too-large")
        for said in ("5", "-1", "x"):  # what it says of its length does not matter
            reply = await client.request("POST", "/example/hook", large, {"Content-Length": said})
            assert reply.status == 413
        assert (await client.request("POST", "/example/hook", large[:-1])).text == str(BODY_BYTES_MAX)
        reply = await client.request("POST", "/example/upload", large, headers)
        assert reply.text == str(BODY_BYTES_MAX + 1)
        assert (await client.request("POST", "/example/upload", large * 2, headers)).status == 413


async def test_a_form_with_a_thousand_and_one_fields_is_refused() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
        body = "&".join(f"a{number}=1" for number in range(1001))
        assert (await client.request("POST", "/example/", body.encode(), headers)).status == 400


async def test_an_error_of_ours_is_logged_and_says_nothing_to_the_outside(caplog: pytest.LogCaptureFixture) -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        with caplog.at_level(logging.ERROR, "sekkei.web"):
            page = await client.post("/example/", {"text": "bug"})
            answer = await client.json("POST", "/example/api/notes", {"text": "bug"})
        assert (page.status, answer.status) == (500, 500)
        assert "こちら側で問題" in page.text
        assert answer.json()["code"] == "internal"
        assert "secret detail" not in page.text + answer.text
        assert answer.json()["instance"].endswith(answer.header("x-request-id") or "-")
        assert "a secret detail" in caplog.text
        assert [record.__dict__["request_id"] for record in caplog.records] == [
            page.header("x-request-id"),
            answer.header("x-request-id"),
        ]


async def test_a_line_in_the_log_for_every_request_without_secrets(caplog: pytest.LogCaptureFixture) -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        with caplog.at_level(logging.INFO, "sekkei.web.requests"):
            await client.get("/example/?lang=en&secret=1")
        (record,) = caplog.records
        line = record.__dict__
        assert (line["method"], line["path"], line["status"], line["user"]) == ("GET", "/example/", 200, "demo-aoi")
        assert client.cookies["sekkei_session"].partition(".")[2] not in str(line)
        assert "secret=1" not in str(line)


async def test_a_link_that_opens_by_itself_is_not_written_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async with opened(SYSTEM) as client:
        with caplog.at_level(logging.INFO, "sekkei.web"):
            assert (await client.get("/example/shared/s3cr3t")).status == 404
            assert (await client.get("/example/shared/bug-s3cr3t")).status == 500
        paths = [record.__dict__["path"] for record in caplog.records]
        assert paths == ["/example/shared/…"] * 3
        assert "s3cr3t" not in "".join(str(record.__dict__) for record in caplog.records if not record.exc_info)


async def test_ready_only_while_the_store_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(SYSTEM) as client:
        assert (await client.get("/readyz")).status == 200

        async def silent(query: object) -> None:
            raise ConnectionError("nobody there: a secret detail")

        monkeypatch.setattr(client.shell.deployment.runtime, "get", silent)
        reply = await client.get("/readyz")
        assert (reply.status, reply.text) == (503, "the store does not answer")
        assert (await client.get("/healthz")).status == 200, "to start the process anew would not help"
