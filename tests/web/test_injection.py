"""What handlers are given: by type or name, once a request, and known to be there when the program starts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct
from msgspec import field as named
from starlette.requests import Request

from sekkei.clock import Clock, ManualClock
from sekkei.runtime.refusals import NotThere, SignInNeeded
from sekkei.web import Api, Given, Html, NotGiven, Pages, Redirect, Sent, User
from sekkei.web.injection import Plan, plan
from sekkei.web.reading import BadBody
from sekkei.web.texts import Speech
from tests.web.example.pages import NewNote, create
from tests.web.example.service import Owner

AOI = User("aoi", "aoi@example.com", "Aoi", True)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Period(Struct, rename="camel"):
    first_day: int = 0
    last_day: int = named(name="to", default=0)


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        ("first_day", "firstDay"),
        ("last_day", "to"),
        ("last_day/2", "to/2"),
        ("firstDay", "firstDay"),
        ("box", "box"),
        ("our_own", None),
        (None, None),
    ],
)
def test_a_field_is_called_what_the_client_called_it(field: str | None, sent: str | None) -> None:
    async def close(box: str, body: Period) -> None: ...

    assert plan(close, "/{box}", Given(), in_page=False).sent_as(field) == sent


@dataclass
class Tasks:
    asked: list[str] = field(default_factory=list)

    async def member_of(self, user: User, team_id: str) -> Member:
        self.asked.append(team_id)
        if team_id != "t1":
            raise NotThere()
        return Member(team_id, user.id)


@dataclass(frozen=True)
class Member:
    team_id: str
    user_id: str


@dataclass(frozen=True)
class View:
    member: Member
    title: str


def view_of(title: str, member: Member) -> View:
    return View(member, title)


class Filter(Struct):
    late: bool = False
    tags: list[str] = []


class Draft(Struct):
    title: Annotated[str, Meta(max_length=3)]


def asked(
    path: Mapping[str, str] | None = None, *, user: User | None = AOI, query: str = "", body: bytes = b""
) -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", b"application/x-www-form-urlencoded"), (b"if-match", b"3")]
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": query.encode(), "headers": headers}
    request = Request({**scope, "path_params": dict(path or {})}, receive)
    request.state.user = user
    request.state.speech = Speech("en")
    return request


def planned(handler: Callable[..., Any], path: str = "/", given: Given | None = None, *, in_page: bool = True) -> Plan:
    return plan(handler, path, given or Given(), in_page=in_page)


async def test_arguments_by_name_and_type() -> None:
    async def handler(
        request: Request, user: User, team_id: str, n: int, colour: Colour, query: Filter, language: str, clock: Clock
    ) -> tuple[Any, ...]:
        return request.method, user.id, team_id, n, colour, query, language, clock.now()

    how = planned(handler, "/{team_id}/{n}/{colour}", Given(ManualClock(7)))
    answer = await how.call(asked({"team_id": "t1", "n": "3", "colour": "blue"}, query="late=true&tags=a&tags=b"))
    assert answer == ("POST", "aoi", "t1", 3, Colour.BLUE, Filter(True, ["a", "b"]), "en", 7)


async def test_a_part_of_the_path_that_does_not_fit_is_not_there_for_people_and_invalid_for_programs() -> None:
    async def handler(n: int) -> int:
        return n

    with pytest.raises(NotThere):
        await planned(handler, "/{n}").call(asked({"n": "x"}))
    with pytest.raises(BadBody) as wrong:
        await planned(handler, "/{n}", in_page=False).call(asked({"n": "x"}))
    assert wrong.value.errors == {"n": "Please enter a number."}


async def test_a_provider_is_asked_once_a_request_however_many_need_it() -> None:
    async def handler(view: View, member: Member, tasks: Tasks) -> bool:
        return view.member is member

    tasks = Tasks()
    given = Given(tasks).per_request(Member, tasks.member_of).per_request(View, partial(view_of, "Board"))
    how = planned(handler, "/{team_id}", given)
    assert await how.call(asked({"team_id": "t1"}))
    assert tasks.asked == ["t1"]
    assert await how.call(asked({"team_id": "t1"}))
    assert tasks.asked == ["t1", "t1"], "the next request is asked anew"
    assert (how.user, how.path_types) == (True, {"team_id": str}), "what a provider needs is needed"


async def test_whoever_may_not_come_in_hears_so_before_what_they_sent_is_looked_at() -> None:
    async def handler(form: Draft, member: Member) -> None: ...

    tasks = Tasks()
    how = planned(handler, "/{team_id}", Given().per_request(Member, tasks.member_of))
    with pytest.raises(NotThere):
        await how.call(asked({"team_id": "t2"}, body=b"title=long"))
    with pytest.raises(SignInNeeded):
        await how.call(asked({"team_id": "t1"}, user=None, body=b"title=long"))


async def test_a_form_that_is_shown_again() -> None:
    async def handler(sent: Sent[Draft]) -> Any:
        try:
            return sent.value
        except Exception as wrong:
            return sent.refilled(wrong)  # type: ignore[arg-type]

    assert await planned(handler).call(asked(body=b"title=ok")) == Draft("ok")
    again = await planned(handler).call(asked(body=b"title=long"))
    assert (again.values, again.errors) == ({"title": "long"}, {"title": "Please enter at most 3 characters."})


async def test_a_user_who_may_be_nobody() -> None:
    async def handler(user: User | None) -> User | None:
        return user

    how = planned(handler)
    assert await how.call(asked(user=None)) is None
    assert (await how.call(asked()), how.user) == (AOI, None)


async def needs_a_filter(wanted: Filter) -> None: ...
async def needs_a_member(member: Member) -> None: ...
async def goes_round(member: Member) -> Member:
    return member


@pytest.mark.parametrize(
    ("handler", "given", "sentence"),
    [
        (needs_a_filter, Given(), "needs_a_filter: nobody gives its parameter wanted: Filter"),
        (needs_a_member, Given().per_request(Member, Tasks().member_of), "member_of: nobody gives .* team_id: str"),
        (
            needs_a_member,
            Given().per_request(Member, goes_round),
            "Member is provided by something that needs",
        ),
    ],
)
def test_a_parameter_that_nobody_gives_stops_the_program(
    handler: Callable[..., Awaitable[None]], given: Given, sentence: str
) -> None:
    pages = Pages()
    pages.get("/")(handler)
    with pytest.raises(NotGiven, match=sentence):
        pages.routes(given)
    api = Api("x", title="X")
    api.get("/", summary="")(handler)
    with pytest.raises(NotGiven, match=sentence):
        api.routes(given)


def test_two_values_for_one_type_must_be_told_apart() -> None:
    async def handler(clock: Clock) -> None: ...

    with pytest.raises(NotGiven, match="Two values of the type Tasks"):
        Given(Tasks(), Tasks())

    class OtherClock(ManualClock): ...

    both = Given(ManualClock(1), OtherClock(2))
    with pytest.raises(NotGiven, match=r"Clock could be ManualClock and OtherClock\. Say which: value"):
        planned(handler, given=both)
    assert planned(handler, given=both.value(Clock, ManualClock(3))).fixed["clock"].now() == 3  # type: ignore[attr-defined]


async def test_a_handler_is_a_function_that_a_test_may_call() -> None:
    class Silent:
        async def write(self, owner: Owner, text: str) -> None: ...

    answer = await create(asked(), Owner("aoi"), Silent(), None, Sent(NewNote("milk")))  # type: ignore[arg-type]
    assert answer == Redirect("example:notes").flash("notes.made")
    assert answer != Redirect("example:notes")
    assert Html("a.html", 422, n=1) == Html("a.html", 422, n=1)
    assert Html("a.html", n=1) != Html("a.html", n=2)
    assert repr(Html("a.html", n=1)) == "Html(template='a.html', status=200, headers={}, values={'n': 1})"
