"""Patterns that can be run: a form for each, and what came of it, with the plan, the units and the request."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.advice.pattern_runner import BadArgument, Tried, parameters, runs, try_pattern, typed_as
from sekkei.advice.sample_data import example_of
from sekkei.advice.snippets import copies
from sekkei.design import Design, SekkeiError
from sekkei.errors import DynamoDBError
from sekkei.kit.text import written_out
from sekkei.runtime.refusals import NotThere
from sekkei.web.console import masks, operator
from sekkei.web.console.target import Looked, looked_by
from sekkei.web.console.words import in_words
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
    looked = operator(request).looked
    return page(request, "console/patterns.html", looked=looked, runs=runs)


async def show_pattern(request: Request) -> Response:
    looked = operator(request).looked
    name = request.path_params["system"]
    design = looked.design(name)
    if request.path_params["pattern"] not in design.patterns:
        raise NotThere()
    pattern = design.patterns[request.path_params["pattern"]]
    given = {key: text for key, text in request.query_params.items() if key not in OURS}
    form, tried, costs = Form(given), None, looked.measured(name)
    if runs(pattern) and "go" in request.query_params:
        try:
            tried = await _tried(request, name, pattern.name, given)
        except BadArgument as wrong:
            form = Form(given, {wrong.name: in_words(request, wrong)})
        except (SekkeiError, DynamoDBError) as refused:
            form = Form(given, {"": in_words(request, refused)})
    return page(
        request,
        "console/pattern.html",
        200 if not form.errors else 422,
        pattern=pattern,
        parameters=parameters(pattern),
        runnable=runs(pattern),
        form=form,
        tried=tried,
        covers=tried is not None and any(masks.COVER in text for row in tried.rows for text in row.values()),
        written_out=written_out,
        copies=copies(tried, design, given) if tried is not None else {},
        units=costs.units.get(pattern.name),
        example=_example(looked, design, pattern.name),
        findings=[each for each in looked.findings(name, costs) if each.place == pattern.name],
    )


def _example(looked: Looked, design: Design, pattern: str) -> dict[str, str]:
    """Arguments for which something is found, where the items are made up."""
    return {name: typed_as(value) for name, value in example_of(design, pattern).items()} if looked.sampled else {}


async def _tried(request: Request, design: str, pattern: str, given: dict[str, str]) -> Tried:
    shell, looked = request.app.state.shell, looked_by(request)
    return await try_pattern(
        looked.designs[design],
        looked.store,
        pattern,
        given,
        env=looked.env,
        secret=shell.settings.secrets.key("cursors"),
        size=PAGE_ITEMS,
        after=request.query_params.get("after"),
        clock=shell.clock,
        cover=not masks.is_revealed(request),
    )
