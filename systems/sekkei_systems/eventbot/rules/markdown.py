"""What people wrote, shown as they wrote it: Discord's markdown, links and mentions in it do nothing."""

from __future__ import annotations

import re

_MARKS = re.compile(r"[\\*_~`|>\[\]()#<@:-]")


def escaped(text: str) -> str:
    """A colon too: without it no address becomes a link."""
    return _MARKS.sub(r"\\\g<0>", text)
