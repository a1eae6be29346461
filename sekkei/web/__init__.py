"""The shell of every page and API. How a system uses it, by example (a whole one to read: tests/web/example):

# tasks/__init__.py --------------------------------------------------------------------------------------------------
def build(context: Context) -> Parts:
    service = open_service(context)
    given = Given(service.tasks, service.teams, context.live)              # values by their type: sekkei.web.injection
    given.per_request(Member, service.access.member_of)                      # (user: User, team_id: str) -> Member
    given.per_request(View, partial(view_of, service))                       # made once a request, when asked for
    return Parts(service=service, routes=[*board.pages.routes(given), *api.routes(given)], ...)

SYSTEM = System(name="tasks", title={"ja": …, "en": …}, about=…, design=design, build=build, demo=demo,
                pages=[("/", {"ja": "ボード", "en": "Board"}), ("/docs", {"ja": "API", "en": "API"})])

# tasks/pages/board.py -----------------------------------------------------------------------------------------------
from sekkei.web import Events, Form, Html, Pages, Redirect, Sent

pages = Pages()

class NewTask(msgspec.Struct):                       # a form is a Struct; an empty field counts as not given
    title: Annotated[str, Line(200)]
    start: date | None = None
    tags: list[str] = []                             # several fields of one name

class After(msgspec.Struct):
    after: str | None = None

@pages.get("/teams/{team_id}", name="board")         # served at /tasks/teams/…; its name is "tasks:board"
async def board(view: View, tasks: Tasks, query: After) -> Html:
    found = await tasks.page(view.member, after=query.after)
    return Html("tasks/board.html", view=view, found=found, form=Form())

@pages.post("/teams/{team_id}/tasks")                # the CSRF token is checked before this is called
async def create(view: View, tasks: Tasks, sent: Sent[NewTask]) -> Html | Redirect:
    try:
        await tasks.create(view.member, sent.value)  # either may raise Invalid(field="start")
    except Invalid as wrong:
        return Html("tasks/new.html", 422, view=view, form=sent.refilled(wrong))
    return Redirect("tasks:board", team_id=view.team_id).flash("task.created")

@pages.get("/teams/{team_id}/live", name="live")
async def live(member: Member) -> Events:            # whoever is no Member never gets here, now or at a later event
    return Events(f"tasks/team/{member.team_id}")

@pages.webhook("/callback")                          # POST without a token: verifies a signature over the raw body
async def callback(request: Request, inbox: Inbox) -> Response: ...

Handlers are functions of their module; a test calls them: `await create(view, tasks, Sent(NewTask("x")))`, and
compares: `== Redirect("tasks:board", team_id="t1").flash("task.created")`. A page that listens takes its place before
it reads: `live_url(request, live, topic, path)`.

{# tasks/templates/board.html -------------------------------------------------------------------------------------- #}
{% extends "layout.html" %}{% import "ui.html" as ui %}
{% block title %}{{ t("board.title") }}{% endblock %}
{% block nav %}<a href="{{ url('tasks:board', team_id=id) }}" aria-current="page">…</a>{% endblock %}
{% block main %}
  {% call ui.head(t("board.title"), name) %}<button class="button primary" data-dialog="new">+</button>{% endcall %}
  <form class="card stack" method="post" action="…">{{ ui.token(csrf) }}{{ ui.form_error(form) }}
    {{ ui.field(form, "title", t("task.title"), required=true) }}
    <button class="button primary">{{ t("shell.save") }}</button></form>
  <ul data-live="{{ live }}" data-live-events="moved created">…</ul>{# gets live:moved, live:created in a script #}
  {{ lines(t("burndown"), labels, [(t("open"), numbers)]) }}{{ ui.pages(request, found.cursor) }}
{% endblock %}
In every template: t(key, n=…), choice("status", value), section("client")|tojson, pick(words), url(name, …),
static("tasks/board.js"), csrf, user, language, path, request; filters: when (moments), day (dates), hue, initials,
lines_of, query. Components: templates/ui.html. CSS classes: static/app.css. A script: tasks/static/board.js with
`import { send, toast } from "../app.js"`.

# tasks/texts/en.toml (and ja.toml): sekkei.texts --------------------------------------------------------------------
[board]
title = "Board"
count = { one = "{n} task", other = "{n} tasks" }
[refusal]
last-admin = "The team would have no admin left."

# tasks/api/tasks.py -------------------------------------------------------------------------------------------------
operations = Operations()

@operations.patch("/teams/{team_id}/tasks/{task_id}", summary="Change a task")
async def change(request: Request, member: Member, tasks: Tasks, task_id: str, body: Changes) -> Answer[TaskOut]:
    task = await tasks.change(member, task_id, body, version=version_in_if_match(request))
    return Answer(task_out(task), etag=task.version)

# tasks/api/__init__.py
api = Api("tasks", title="Team tasks").include(tasks.operations)       # /tasks/api/…, /tasks/openapi.json, /tasks/docs

# tasks/refusals.py: classes of sekkei.runtime.refusals, which become RFC 9457 or a page by themselves

# tests/systems/tasks/test_pages.py ----------------------------------------------------------------------------------
async with opened(SYSTEM) as client:                 # sekkei.web.testing
    await client.sign_in("demo-aoi")
    assert (await client.post("/tasks/teams", {"name": "x"})).status == 303
    assert (await client.json("GET", "/tasks/api/teams")).json()["items"]
    await client.work()                              # streams, schedules, outbox and jobs, until nothing is due
assert missing_texts("sekkei_systems.tasks") == []
Every route by every kind of person: tests/web/authorisation.py. In a real browser: tests/browser.py.
"""

from sekkei.runtime.wiring import NotGiven
from sekkei.texts.checks import missing_texts
from sekkei.web.answers import Events, Html, Redirect, calendar_feed, download
from sekkei.web.api import Answer, Api, Operations, PageOf, check_if_match, etag, respond, version_in_if_match
from sekkei.web.application import application
from sekkei.web.csrf import body_limit, webhook
from sekkei.web.forms import Form, FormErrors, Sent, form, refill
from sekkei.web.identity.proof import is_recent, proved_at, require_proof
from sekkei.web.identity.users import User, current_user, require_user
from sekkei.web.injection import Given
from sekkei.web.limits import Rate, limit
from sekkei.web.live import live_url, sse
from sekkei.web.problems import problem
from sekkei.web.rendering import flash, local_path, page, redirect
from sekkei.web.routing import Pages
from sekkei.web.shell import Shell
from sekkei.web.texts import language_of, pick, t

__all__ = [
    "Answer",
    "Api",
    "Events",
    "Form",
    "FormErrors",
    "Given",
    "Html",
    "NotGiven",
    "Operations",
    "PageOf",
    "Pages",
    "Rate",
    "Redirect",
    "Sent",
    "Shell",
    "User",
    "application",
    "body_limit",
    "calendar_feed",
    "check_if_match",
    "current_user",
    "download",
    "etag",
    "flash",
    "form",
    "is_recent",
    "language_of",
    "limit",
    "live_url",
    "local_path",
    "missing_texts",
    "page",
    "pick",
    "problem",
    "proved_at",
    "redirect",
    "refill",
    "require_proof",
    "require_user",
    "respond",
    "sse",
    "t",
    "version_in_if_match",
    "webhook",
]
