"""The subcommands of `sekkei`, one module each.

A module has `EXAMPLES` (shown by --help), `add_arguments(parser)` and `run(arguments)`, which returns an exit code.
Its name and what it does, in one line, stand in `sekkei/cli.py`, which loads the module of the command that is run.
"""

from __future__ import annotations

import argparse

OK = 0
FINDINGS = 1
COULD_NOT_RUN = 2

STORE_FILE = "sekkei.db"
"""The engine's file in a data folder."""


class CouldNotRun(Exception):
    """The command cannot do what it was asked to; the text says why and what to do."""


def port_number(text: str) -> int:
    """A port given on the command line."""
    if not text.isascii() or not text.isdigit() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 0 to 65535")
    return int(text)
