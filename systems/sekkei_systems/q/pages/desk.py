"""What the pages of the desk share."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from sekkei.web import Redirect

Short = Annotated[str, Meta(max_length=500)]


class Paging(Struct):
    """Where a list goes on."""

    after: str = ""


def done(to: str) -> Redirect:
    return Redirect(to).flash("admin.done")
