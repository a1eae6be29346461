"""Notes: pages, a form, a JSON API, a webhook and live updates, each as small as can be."""

from __future__ import annotations

from sekkei.runtime.system import Context, Parts, System
from sekkei.web import Given
from tests.web.example.api import api
from tests.web.example.design import Note, design, notes
from tests.web.example.pages import pages
from tests.web.example.service import Notebook, Owner, Taken, owner_of


def build(context: Context) -> Parts:
    notebook = Notebook(context.db, context.clock, context.live)
    given = Given(notebook, context.live).per_request(Owner, owner_of)
    return Parts(service=notebook, routes=[*pages.routes(given), *api.routes(given)], personal=notebook.personal())


async def demo(context: Context, parts: Parts) -> None:
    await context.db.write(notes.create(Note(owner="demo-aoi", id="n1", text="牛乳を買う")))


SYSTEM = System(
    name="example",
    title={"ja": "メモ帳", "en": "Notes"},
    about={"ja": "思いついたことを書き留めます。", "en": "Write down what comes to mind."},
    design=design,
    build=build,
    demo=demo,
    pages=[("/", {"ja": "メモ", "en": "Notes"}), ("/docs", {"ja": "API", "en": "API"})],
)

__all__ = ["SYSTEM", "Taken"]
