"""The subcommands of `sekkei`, one module each.

A module has `SUMMARY` (one line), `EXAMPLES` (shown by --help), `add_arguments(parser)` and `run(arguments)`, which
returns an exit code. It imports at its top only what is quick to import; the rest is imported when it runs, so that
`sekkei --help` stays quick. A new one is added to the list in `sekkei/cli.py`.
"""

from __future__ import annotations

import argparse
import re

OK = 0
FINDINGS = 1
COULD_NOT_RUN = 2

STORE_FILE = "sekkei.db"
"""The engine's file in a data folder."""


class CouldNotRun(Exception):
    """The command cannot do what it was asked to; the text says why and what to do."""


_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """For a terminal: what somebody stored cannot move its cursor, colour it or turn its text around."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def port_number(text: str) -> int:
    """A port given on the command line."""
    if not text.isascii() or not text.isdigit() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 0 to 65535")
    return int(text)
