"""What the pages of the desk share."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from sekkei.kit.typed import Text, Token
from sekkei.web import Redirect

Reason = Annotated[str, Text(500)]


class Paging(Struct):
    """Where a list goes on."""

    after: Token = ""


def done(to: str) -> Redirect:
    return Redirect(to).flash("admin.done")
