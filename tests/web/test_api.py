"""Typed JSON routes and the document made from them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime.refusals import Changed
from sekkei.runtime.system import Context, Parts, System
from sekkei.web import Answer, Api, Given, NotGiven, User, version_in_if_match
from sekkei.web.api import document, fields, in_words
from sekkei.web.testing import Client, opened
from tests.web.example import SYSTEM


async def post(client: Client, body: Any) -> Any:
    return await client.json("POST", "/example/api/notes", body)


async def test_a_struct_in_and_a_struct_out() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        made = await post(client, {"text": "牛乳"})
        assert (made.status, made.header("content-type"), made.header("etag")) == (201, "application/json", '"1"')
        listed = (await client.json("GET", "/example/api/notes")).json()
        assert listed == {"items": [made.json()], "cursor": None}
        assert (await client.json("DELETE", f"/example/api/notes/{made.json()['id']}")).status == 204
        assert (await client.json("DELETE", f"/example/api/notes/{made.json()['id']}")).status == 404


@pytest.mark.parametrize(
    ("body", "pointer", "words"),
    [
        ({}, "#/text", "fill this in"),
        ({"text": ""}, "#/text", "at least 1"),
        ({"text": "x" * 21}, "#/text", "at most 20 characters"),
        ({"text": "x", "stars": 9}, "#/stars", "5 or less"),
        ({"text": "x", "stars": "9"}, "#/stars", "a number"),
        ({"text": "x", "tags": ["a", 1]}, "#/tags/1", "isn't valid"),
        ([], "#/", "isn't valid"),
        ("text", "#/", "isn't valid"),
    ],
)
async def test_what_is_wrong_is_said_with_a_pointer(body: Any, pointer: str, words: str) -> None:
    async with opened(SYSTEM) as client:
        client.language = "en"
        await client.sign_in()
        reply = await post(client, body)
        assert (reply.status, reply.header("content-type")) == (422, "application/problem+json")
        problem = reply.json()
        assert problem["code"] == "validation"
        ((error),) = problem["errors"]
        assert error["pointer"] == pointer
        assert words in error["detail"]
        assert (await client.json("GET", "/example/api/notes")).json()["items"] == []


async def test_what_is_no_json_is_said_in_the_language_of_the_caller() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        token = await client.token()
        headers = {"X-CSRF-Token": token, "Content-Type": "application/json"}
        for raw in (b"", b"{", b"\xff\xfe", b'{"text": "\xff"}', b"[" * 100_000):
            reply = await client.request("POST", "/example/api/notes", raw, headers)
            assert reply.status == 422, raw[:10]
            assert reply.json()["detail"] == "入力を確認してください。"


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "limit="])
async def test_queries_are_checked_too(query: str) -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        reply = await client.json("GET", f"/example/api/notes?{query}")
        assert reply.status == 422
        assert reply.json()["errors"][0]["pointer"] == "#/limit"


async def test_pages_by_cursor_and_a_forged_cursor() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        for number in range(5):
            await post(client, {"text": str(number)})
        seen, after = [], ""
        while True:
            found = (await client.json("GET", f"/example/api/notes?limit=2{after}")).json()
            seen += [note["text"] for note in found["items"]]
            if found["cursor"] is None:
                break
            after = f"&after={found['cursor']}"
        assert sorted(seen) == ["0", "1", "2", "3", "4"]
        reply = await client.json("GET", "/example/api/notes?after=AAAA")
        assert (reply.status, reply.json()["code"]) == (400, "cursor")
        stranger = client.another()
        await stranger.sign_in("demo-ren")
        assert (await stranger.json("GET", f"/example/api/notes?limit=2{after}")).status == 400


async def test_a_change_of_what_was_not_read_is_refused() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        id = (await post(client, {"text": "x"})).json()["id"]
        reply = await client.json("DELETE", f"/example/api/notes/{id}", headers={"If-Match": '"7"'})
        assert (reply.status, reply.json()["code"]) == (412, "changed")
        reply = await client.json("DELETE", f"/example/api/notes/{id}", headers={"If-Match": '"9", "1"'})
        assert reply.status == 204


@pytest.mark.parametrize("given", ['"x"', '"-1"', f'"{"9" * 5000}"'])
def test_a_version_that_never_was_is_another_one(given: str) -> None:
    request = Request({"type": "http", "headers": [(b"if-match", given.encode())]})
    with pytest.raises(Changed):
        version_in_if_match(request)


async def test_a_refusal_is_a_problem_with_its_code_and_words() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        problem = (await post(client, {"text": "taken"})).json()
        assert problem["status"] == 409
        assert problem["code"] == "taken"
        assert problem["type"] == "urn:sekkei:problem:taken"
        assert problem["detail"] == "「taken」はもうあります。"
        assert problem["errors"] == [{"pointer": "#/text", "detail": "「taken」はもうあります。"}]
        client.language = "en"
        assert (await post(client, {"text": "taken"})).json()["detail"] == "There is a note “taken” already."


async def test_the_document_says_what_the_routes_do() -> None:
    async with opened(SYSTEM) as client:
        found = (await client.json("GET", "/example/openapi.json")).json()
        assert found["openapi"] == "3.1.0"
        assert set(found["paths"]) == {"/example/api/notes", "/example/api/notes/{id}", "/example/api/hello"}
        create = found["paths"]["/example/api/notes"]["post"]
        assert create["requestBody"]["content"]["application/json"]["schema"] == {
            "$ref": "#/components/schemas/NewNote"
        }
        assert create["responses"]["201"]["content"]["application/json"]["schema"] == {
            "$ref": "#/components/schemas/NoteOut"
        }
        assert create["security"] == [{"bearer": []}]
        listing = found["paths"]["/example/api/notes"]["get"]
        assert {one["name"]: one["schema"] for one in listing["parameters"]} == {
            "limit": {"type": "integer", "minimum": 1, "maximum": 100},
            "after": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        }
        assert found["components"]["schemas"]["NewNote"]["properties"]["text"] == {
            "type": "string",
            "minLength": 1,
            "maxLength": 20,
        }
        refs = set(_refs(found))
        assert refs <= {f"#/components/schemas/{name}" for name in found["components"]["schemas"]}
        assert found["paths"]["/example/api/hello"]["get"]["security"] == [{}, {"bearer": []}]
        page = await client.get("/example/docs")
        assert "Write a note" in page.text
        assert "length ≤ 20" in page.text


def _refs(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [ref for one in value.values() for ref in _refs(one)]
    return [ref for one in value for ref in _refs(one)] if isinstance(value, list) else []


def test_a_handler_that_does_not_fit_its_path_does_not_load() -> None:
    api = Api("x", title="X")

    async def handler(user: User, team: str) -> Answer[int]: ...

    api.get("/{team_id}", summary="")(handler)
    with pytest.raises(NotGiven, match=r"handler: nobody gives its parameter team: str.*the path /\{team_id\}"):
        api.routes(Given())


def test_path_parameters_have_types() -> None:
    api = Api("x", title="X")

    class Thing(msgspec.Struct):
        n: int

    @api.get("/{number}/{rest:path}", summary="Get")
    async def handler(request: Request, number: int, rest: str) -> list[int]: ...

    found = document(api, api.operations(Given()))["paths"]["/x/api/{number}/{rest}"]["get"]
    assert [one["schema"] for one in found["parameters"]] == [{"type": "integer"}, {"type": "string"}]


class Once(msgspec.Struct, rename={"key": "Idempotency-Key"}):
    key: Annotated[str, msgspec.Meta(min_length=1, max_length=9)] | None = None


def a_hook() -> System:
    def build(context: Context) -> Parts:
        api = Api("hook", title="Hook")

        @api.post("/pushed", summary="Somebody else's program says something", webhook=True)
        async def pushed(request: Request, headers: Once) -> dict[str, str | None]:
            return {"key": headers.key}

        @api.get("/file", summary="No JSON")
        async def file(request: Request) -> Response:
            return Response("x", media_type="text/plain")

        return Parts(routes=api.routes(Given()))

    async def demo(context: Context, parts: Parts) -> None: ...

    return System(name="hook", title={}, about={}, design=SYSTEM.design, build=build, demo=demo)


async def test_headers_are_read_and_described_and_a_webhook_needs_no_token_of_ours() -> None:
    async with opened(a_hook()) as client:
        path, key = "/hook/api/pushed", {"Idempotency-Key": "k"}
        assert (await client.request("POST", path, b"", key)).json() == {"key": "k"}
        assert (await client.request("POST", path, b"", {})).json() == {"key": None}
        assert (await client.request("POST", path, b"", {"Idempotency-Key": "k" * 10})).status == 422
        found = (await client.json("GET", "/hook/openapi.json")).json()["paths"]
        (parameter,) = found[path]["post"]["parameters"]
        assert (parameter["name"], parameter["in"], parameter["required"]) == ("Idempotency-Key", "header", False)
        assert "content" not in found["/hook/api/file"]["get"]["responses"]["200"]
        assert (await client.get("/hook/api/file")).text == "x"


def test_schemas_in_words() -> None:
    assert in_words({"type": "array", "items": {"$ref": "#/components/schemas/A"}}) == 'list of <a href="#A">A</a>'
    assert in_words({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}) == "integer, ≥ 1 or null"
    assert in_words({"enum": ["<b>"]}) == "<code>&lt;b&gt;</code>"
    assert in_words({"type": "string", "format": "date"}) == "date"
    assert in_words({}) == "anything"
    assert fields({"properties": {"a": {"type": "string"}}, "required": ["a"]}) == [("a", "string", True)]
