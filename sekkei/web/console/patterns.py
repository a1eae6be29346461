"""Patterns that can be run: a form for each, and what came of it, with the plan, the units and the request."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.advice.checking import check
from sekkei.advice.trying import BadArgument, copies, parameters, runs, try_pattern
from sekkei.design import CursorRefused, SekkeiError
from sekkei.errors import DynamoDBError
from sekkei.runtime.refusals import NotThere
from sekkei.web.console import operator
from sekkei.web.console.designs import measured
from sekkei.web.forms import Form
from sekkei.web.rendering import page

PAGE_ITEMS = 50
OURS = ("after", "lang", "go")
"""What a query may have beside the pattern's own parameters."""


def routes() -> list[BaseRoute]:
    return [
        Route("/console/patterns", show_patterns, methods=["GET"]),
        Route("/console/patterns/{system}/{pattern}", show_pattern, methods=["GET"]),
    ]


async def show_patterns(request: Request) -> Response:
    shell = operator(request)
    designs = [(name, opened.system) for name, opened in shell.deployment.systems.items()]
    return page(request, "console/patterns.html", designs=designs, runs=runs)


async def show_pattern(request: Request) -> Response:
    shell = operator(request)
    opened = shell.deployment.systems.get(request.path_params["system"])
    if opened is None or request.path_params["pattern"] not in opened.system.design.patterns:
        raise NotThere()
    design = opened.system.design
    pattern = design.patterns[request.path_params["pattern"]]
    given = {name: text for name, text in request.query_params.items() if name not in OURS}
    form, tried = Form(given), None
    costs = measured(opened.system.name)
    if runs(pattern) and "go" in request.query_params:
        try:
            tried = await try_pattern(
                design,
                shell.deployment.store,
                pattern.name,
                given,
                env=shell.settings.env,
                secret=shell.settings.secrets.key("cursors"),
                size=PAGE_ITEMS,
                after=request.query_params.get("after"),
                clock=shell.clock,
            )
        except BadArgument as wrong:
            form = Form(given, {wrong.name: wrong.why})
        except (SekkeiError, DynamoDBError, CursorRefused) as refused:
            form = Form(given, {"": str(refused)})
    return page(
        request,
        "console/pattern.html",
        200 if not form.errors else 422,
        system=opened.system,
        pattern=pattern,
        parameters=parameters(pattern),
        runnable=runs(pattern),
        form=form,
        tried=tried,
        copies=copies(tried, design, given) if tried is not None else {},
        units=costs.units.get(pattern.name),
        findings=[each for each in check(design, costs) if each.place == pattern.name],
    )
