"""What goes into a function's package."""

from __future__ import annotations

from sekkei.publish.aws.package import LEFT_OUT, wheels


def test_what_pages_need_and_nothing_that_serves_or_stores() -> None:
    found = {each.partition("==")[0] for each in wheels(["sekkei[web]", "sekkei-systems"])}
    assert {"starlette", "msgspec", "jinja2", "cryptography", "orjson", "httptools"} <= found
    assert not found & LEFT_OUT
    assert "pytest" not in found


def test_versions_are_those_that_are_installed() -> None:
    assert all(each.count("==") == 1 and each.partition("==")[2] for each in wheels(["sekkei"]))
