"""What goes wrong, for people and for programs."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from sekkei.design import ConditionFailed, Contended
from sekkei.errors import ProvisionedThroughputExceededException
from sekkei.runtime.refusals import Changed, Refusal, TooMany
from sekkei.texts import kebab, texts_near
from sekkei.web.problems import on_condition_failed, on_design_error, on_store_error
from sekkei.web.testing import opened
from sekkei.web.texts import Speech
from tests.web.example import SYSTEM, Taken
from tests.web.example.design import notes


async def test_a_page_that_is_not_there_in_both_languages() -> None:
    async with opened(SYSTEM) as client:
        reply = await client.get("/nowhere")
        assert reply.status == 404
        assert "お探しのページはありません" in reply.text
        client.language = "en"
        assert "There is no page here." in (await client.get("/nowhere")).text
        reply = await client.json("GET", "/nowhere")
        assert (reply.status, reply.json()["code"]) == (404, "not-found")
        assert reply.json()["detail"] == "There is no page here."


async def test_a_method_that_is_not_there() -> None:
    async with opened(SYSTEM) as client:
        reply = await client.json("DELETE", "/example/openapi.json")
        assert (reply.status, reply.json()["code"]) == (405, "method-not-allowed")
        assert "GET" in (reply.header("allow") or "")


async def test_people_are_sent_to_the_sign_in_and_back_and_programs_get_401() -> None:
    async with opened(SYSTEM) as client:
        reply = await client.get("/example/?a=1&b=%E3%81%82")
        assert reply.location == "/sign-in?next=%2Fexample%2F%3Fa%3D1%26b%3D%25E3%2581%2582"
        page = await client.get(reply.location)
        assert 'name="next" value="/example/?a=1&amp;b=%E3%81%82"' in page.text
        answer = await client.json("GET", "/example/api/notes")
        assert (answer.status, answer.header("www-authenticate")) == (401, "Bearer")
        assert answer.json()["code"] == "sign-in-needed"


async def test_what_the_gate_refuses_of_an_api_is_json_whatever_is_accepted() -> None:
    """It has not come to a route yet, so only the path can tell."""
    async with opened(SYSTEM) as client:
        headers = {"Authorization": "Bearer x", "Accept": "*/*"}
        reply = await client.request("GET", "/example/api/notes", headers=headers)
        assert (reply.status, reply.header("content-type")) == (401, "application/problem+json")


async def test_a_refusal_on_a_page_is_said_in_words() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        reply = await client.post("/example/", {"text": "taken"})
        assert reply.status == 409
        assert "「taken」はもうあります。" in reply.text
        assert 'value="taken"' in reply.text


def test_refusals_have_words_in_both_languages_and_codes_of_their_own() -> None:
    kinds = [Refusal, *_below(Refusal)]
    for kind in kinds:
        for language in ("ja", "en"):
            if not kind.__module__.startswith(("sekkei.", "tests.")):
                continue
            assert words_of(kind, language), f"{kind.__name__}: add its words to [refusal] of its texts"
        assert 400 <= kind.status < 500 or kind.status == 503
    refusal = Taken(text="<b>")
    assert {refusal.text("en"), str(refusal), refusal.text("fr")} == {"There is a note “<b>” already."}
    assert refusal.code == "taken"
    assert Refusal("odd", 418).status == 418
    assert (Changed().status, TooMany(3).retry_after_seconds) == (412, 3)


def words_of(kind: type[Refusal], language: str) -> str | None:
    """By the class alone: not every refusal can be made without arguments."""
    for each in kind.__mro__:
        texts, key = texts_near(each.__module__), f"refusal.{kebab(each.__name__)}"
        if texts and texts.has(key):
            return str(texts.tables[language][key])
    return kind.words.get(language)


def _below(kind: type[Refusal]) -> list[type[Refusal]]:
    return [found for one in kind.__subclasses__() for found in (one, *_below(one))]


def _request() -> Request:
    request = Request({"type": "http", "method": "GET", "path": "/", "headers": [(b"accept", b"application/json")]})
    request.state.speech = Speech("en")
    request.state.id = "0" * 16
    return request


def failed(unsure: bool) -> ConditionFailed:
    return ConditionFailed("SK301", "x", notes.delete("a", "b"), None, unsure=unsure)


@pytest.mark.parametrize(
    "answer",
    [
        lambda: on_design_error(_request(), Contended("SK310", "x")),
        lambda: on_store_error(_request(), ProvisionedThroughputExceededException("x")),
        lambda: on_condition_failed(_request(), failed(unsure=True)),
    ],
)
def test_a_busy_store_asks_to_come_back(answer) -> None:  # type: ignore[no-untyped-def]
    found = answer()
    assert (found.status_code, found.headers["retry-after"]) == (503, "1")


async def test_the_way_back_never_leads_to_another_host() -> None:
    async with opened(SYSTEM) as client:
        reply = await client.get("//evil.example/x")
        assert reply.status == 404
        assert 'href="//' not in reply.text


async def test_a_key_that_is_too_long_is_the_senders_mistake() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        reply = await client.json("DELETE", f"/example/api/notes/{'x' * 3000}")
        assert (reply.status, reply.json()["code"]) == (422, "value")
        client.cookies["sekkei_challenge"] = "x" * 3000
        assert (await client.post("/sign-in/code", {"code": "123456"})).status == 422
