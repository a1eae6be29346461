"""`sekkei docs`: the design document, made from the code."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sekkei.commands import FINDINGS, OK, CouldNotRun

EXAMPLES = """\
examples:
  sekkei docs q                                              Markdown to the terminal, in the design's own language
  sekkei docs q --lang en --format html --out q.html         one page that needs nothing else
  sekkei docs q --out docs/designs/q.ja.md --check           exit code 1 when the file is stale
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", metavar="DESIGN", help="a module with a design, or the name of a system")
    parser.add_argument("--lang", choices=("ja", "en"), help="language of the document (default: the design's)")
    parser.add_argument("--format", choices=("md", "html"), default="md", help="default: md")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to the terminal")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when FILE is not up to date")
    parser.add_argument(
        "--units",
        type=Path,
        metavar="FILE",
        help="measured units per pattern (default: what `sekkei measure` keeps beside the design)",
    )


def run(arguments: argparse.Namespace) -> int:
    from sekkei.design import Measurements, SekkeiError
    from sekkei.design.loading import find, measurements_beside
    from sekkei.publish import document, html, markdown

    if arguments.check and arguments.out is None:
        raise CouldNotRun("--check compares with a file; name it with --out FILE.")
    try:
        design, home = find(arguments.design)
        beside = (
            measurements_beside(home) if arguments.out is None else arguments.out.parent / f"{design.name}.units.json"
        )
        units = arguments.units or (beside if beside.exists() else measurements_beside(home))
        made = document(design, arguments.lang, Measurements.load(units))
    except SekkeiError as error:
        raise CouldNotRun(str(error)) from error
    text = markdown(made) if arguments.format == "md" else html(made)
    if arguments.out is None:
        sys.stdout.write(text)
        return OK
    return _check(arguments.out, text) if arguments.check else _write(arguments.out, text)


def _write(path: Path, text: str) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"wrote {path}")
    return OK


def _check(path: Path, text: str) -> int:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        print(f"{path} is up to date.")
        return OK
    print(f"{path} is stale; run the same command without --check.")
    return FINDINGS
