"""The shell of every page and API. How a system uses it, by example:

# systems/tasks/__init__.py ------------------------------------------------------------------------------------------
def build(ctx: Context) -> Parts:
    service = Service(ctx)
    return Parts(service=service, routes=[*pages.routes(service, ctx), *api.routes(service, ctx)], ...)

SYSTEM = System(name="tasks", title={"ja": …, "en": …}, about=…, design=design, build=build, demo=demo,
                pages=[("/", {"ja": "ボード", "en": "Board"}), ("/docs", {"ja": "API", "en": "API"})])

# systems/tasks/pages.py ---------------------------------------------------------------------------------------------
from sekkei.web import Form, FormErrors, Pages, User, flash, form, page, redirect, refill, require_user, sse, t

class NewTask(msgspec.Struct):                       # a form is a Struct; an empty field counts as not given
    title: Annotated[str, Meta(min_length=1, max_length=200)]
    start: date | None = None
    tags: list[str] = []                             # several fields of one name

def routes(service: Service, ctx: Context) -> list[BaseRoute]:
    pages = Pages()

    @pages.get("/teams/{team_id}", name="board")     # served at /tasks/teams/…; its name is "tasks:board"
    async def board(request: Request) -> Response:
        user = require_user(request)                 # goes to the sign-in and comes back; User(id, email, name, …)
        team_id = request.path_params["team_id"]
        live = live_url(request, ctx.live, f"tasks/team/{team_id}", f"/tasks/teams/{team_id}/live")  # before reading
        found = await service.board(user.id, team_id, after=request.query_params.get("after"))
        return page(request, "tasks/board.html", found=found, form=Form(), live=live)

    @pages.post("/teams/{team_id}/tasks")            # the CSRF token is checked before this is called
    async def create(request: Request) -> Response:
        user = require_user(request)
        team_id = request.path_params["team_id"]
        try:
            new = await form(request, NewTask)
            await service.create(user.id, team_id, new)         # may raise Invalid(field="start")
        except Invalid as wrong:                     # FormErrors is an Invalid
            return page(request, "tasks/new.html", 422, form=refill(request, wrong))
        flash(request, t(request, "task.created"))
        return redirect(request, "tasks:board", team_id=team_id)

    @pages.get("/teams/{team_id}/live")
    async def live(request: Request) -> Response:
        await service.must_be_member(require_user(request).id, request.path_params["team_id"])
        return sse(request, ctx.live, f"tasks/team/{request.path_params['team_id']}")

    @pages.webhook("/callback")                      # POST without a token: verifies a signature over the raw body
    async def callback(request: Request) -> Response: ...

    return pages.routes

{# systems/tasks/templates/board.html ------------------------------------------------------------------------------ #}
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
In every template: t(key, n=…), pick(words), url(name, …), static("tasks/board.js"), csrf, user, language, path,
request; filters: when (moments), day (dates), hue, initials, lines_of, query. Components: templates/ui.html.
CSS classes: static/app.css. A script: systems/tasks/static/board.js with `import { send, toast } from "../app.js"`.

# systems/tasks/texts.py ---------------------------------------------------------------------------------------------
TEXTS = {"board.title": {"ja": "ボード", "en": "Board"},
         "board.count": {"ja": "{n}件", "en": {"one": "{n} task", "other": "{n} tasks"}}}

# systems/tasks/api.py -----------------------------------------------------------------------------------------------
def routes(service: Service) -> list[BaseRoute]:
    api = Api("tasks", title="Team tasks")           # /tasks/api/…, /tasks/openapi.json, /tasks/docs

    @api.patch("/teams/{team_id}/tasks/{task_id}", summary="Change a task")
    async def change(request: Request, user: User, team_id: str, task_id: str, body: ChangeTask) -> Answer[TaskOut]:
        task = await service.change(user.id, team_id, task_id, body, version=version_in_if_match(request))
        return Answer(task_out(task), etag=task.version)

    return api.routes

# systems/tasks/service.py: raises refusals of sekkei.runtime.refusals, which become RFC 9457 or a page by themselves

# tests/systems/tasks/test_pages.py ----------------------------------------------------------------------------------
async with opened(SYSTEM) as client:                 # sekkei.web.testing
    await client.sign_in("demo-aoi")
    assert (await client.post("/tasks/teams", {"name": "x"})).status == 303
    assert (await client.json("GET", "/tasks/api/teams")).json()["items"]
    await client.work()                              # streams, schedules, outbox and jobs, until nothing is due
assert missing_texts(TEXTS, Path(sekkei_systems.tasks.__file__).parent) == []
Every route by every kind of person: tests/web/authorisation.py. In a real browser: tests/browser.py.
"""

from sekkei.web.api import Answer, Api, PageOf, check_if_match, etag, respond, version_in_if_match
from sekkei.web.application import Shell, application
from sekkei.web.csrf import body_limit, webhook
from sekkei.web.forms import Form, FormErrors, form, refill
from sekkei.web.identity.proof import is_recent, proved_at, require_proof
from sekkei.web.identity.users import User, current_user, require_user
from sekkei.web.limits import Rate, limit
from sekkei.web.live import live_url, sse
from sekkei.web.problems import problem
from sekkei.web.rendering import flash, local_path, page, redirect
from sekkei.web.routing import Pages
from sekkei.web.texts import TextTable, language_of, missing_texts, pick, t

__all__ = [
    "Answer",
    "Api",
    "Form",
    "FormErrors",
    "PageOf",
    "Pages",
    "Rate",
    "Shell",
    "TextTable",
    "User",
    "application",
    "body_limit",
    "check_if_match",
    "current_user",
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
