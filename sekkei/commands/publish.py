"""`sekkei publish`: a design or a whole system as files that AWS's tools deploy."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sekkei.commands import FINDINGS, OK, CouldNotRun

if TYPE_CHECKING:
    from sekkei.design import Design
    from sekkei.publish.aws.calls import Calls
    from sekkei.publish.aws.system import Published
    from sekkei.runtime.deployment import Opened

T = TypeVar("T")
SUMMARY = "Write a design or a system as CloudFormation, SAM, CDK, Terraform, IAM, a NoSQL Workbench model or OpenAPI."

EXAMPLES = """\
examples:
  sekkei publish tasks --to cloudformation --out deploy     the whole system: tables, functions, API, roles, alarms
  sekkei publish shop.py:design --to cloudformation --out deploy     the tables of a design of your own
  sekkei publish tasks --to sam --out deploy                the same for `sam deploy`, which uploads the package itself
  sekkei publish tasks --to cdk --out deploy                the same as an app of the AWS CDK, to build on
  sekkei publish tasks --to terraform --out deploy          the same as main.tf.json
  sekkei publish tasks --to workbench --out models          for NoSQL Workbench
  sekkei publish tasks --to iam --pattern default_board     what one pattern may do, on the terminal
  sekkei publish tasks --to package --out deploy            package.zip for its functions
  sekkei publish tasks --to cloudformation --out deploy --check     write nothing; exit 1 when a file differs

The same design gives the same file, byte by byte. Nothing secret stands in any of them.
Exit code: 0 well, 1 a file differs (with --check), 2 could not run.
"""

TARGETS = ("cloudformation", "sam", "cdk", "terraform", "workbench", "openapi", "iam", "package")
KEPT = "app.py"
"""Written once and then its owner's."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", help="a system, a module, or module:attribute")
    parser.add_argument("--to", required=True, metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--out", type=Path, metavar="DIR", help="the folder to write to (default: the terminal)")
    parser.add_argument("--env", default="prod", help="fills {env} in names of tables (default: %(default)s)")
    parser.add_argument("--pattern", action="append", default=[], help="with --to iam: only what these patterns do")
    parser.add_argument("--leading-key", metavar="TEXT", help="with --pattern: bind it to partition keys like this")
    parser.add_argument(
        "--arch", choices=("arm64", "x86_64"), default="arm64", help="of the functions (default: arm64)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is not up to date")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.design import SekkeiError
    from sekkei.design.loading import load

    if arguments.to not in TARGETS:
        raise CouldNotRun(f"There is no target {arguments.to}. There are: {', '.join(TARGETS)}.")
    if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,100}", arguments.env):
        raise CouldNotRun(f"--env {arguments.env!r}: letters, digits, - _ and . only; it is part of table names.")
    if arguments.check and arguments.out is None:
        raise CouldNotRun("--check compares with files; name their folder with --out DIR.")
    if arguments.to == "package":
        return _package(arguments)
    try:
        design = load(arguments.design)
        files = _MAKERS[arguments.to](design, arguments)
    except (SekkeiError, LookupError) as error:
        raise CouldNotRun(str(error)) from error
    if arguments.out is None:
        print("\n".join(files.values()), end="")
        return OK
    return _check(arguments.out, files) if arguments.check else _write(arguments.out, files)


def _package(arguments: argparse.Namespace) -> int:
    from sekkei.publish.aws.package import CannotBuild, build
    from sekkei.runtime.discovery import names

    if arguments.design not in names():
        raise CouldNotRun(
            f"{arguments.design} is no system, so it has no functions. Systems: {', '.join(sorted(names()))}."
        )
    if arguments.out is None:
        raise CouldNotRun("A package is a file: name its folder with --out DIR.")
    try:
        path = build(arguments.design, arguments.out / "package.zip", arguments.arch)
    except (CannotBuild, OSError) as error:
        raise CouldNotRun(str(error)) from error
    print(f"wrote {path}, {path.stat().st_size / 1e6:.1f} MB, for {arguments.arch}")
    return OK


def _cloudformation(design: Design, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.aws import system, tables

    published = described(arguments.design)
    if published is None:
        return {f"{design.name}.template.json": _json(tables.template(design, env=arguments.env))}
    return {f"{published.name}.template.json": _json(system.template(published, arguments.env))}


def _sam(design: Design, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.aws import sam

    published = described(arguments.design)
    if published is None:
        raise CouldNotRun(f"{arguments.design} is a design without functions; use --to cloudformation for its tables.")
    return {"template.json": _json(sam.template(published, arguments.env))}


def _cdk(design: Design, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.aws import cdk
    from sekkei.publish.aws.names import logical

    ((template, text),) = _cloudformation(design, arguments).items()
    table = logical(next(iter(design.tables.values())).name, "table")
    return {template: text, **cdk.files(design.name, template, table)}


def _terraform(design: Design, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.aws import terraform, terraform_system

    published = described(arguments.design)
    if published is None:
        return {"main.tf.json": _json(terraform.configuration(design, env=arguments.env))}
    return {"main.tf.json": _json(terraform_system.configuration(published, arguments.env))}


def _workbench(design: Design, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.workbench import model

    return {f"{design.name}.workbench.json": _json(model(design, arguments.env))}


def _iam(design: Design, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.aws import permissions

    statements: list[dict[str, Any]] = []
    for name in arguments.pattern:
        if name not in design.patterns:
            raise CouldNotRun(f"{design.name} has no pattern {name}. It has: {', '.join(sorted(design.patterns))}.")
        statements += permissions.of_pattern(design.patterns[name], design, arguments.leading_key)
    if not arguments.pattern:
        statements = permissions.statements(design)
    return {f"{design.name}.policy.json": _json({"Version": "2012-10-17", "Statement": statements})}


def _openapi(design: Design, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.runtime.discovery import names

    if arguments.design not in names():
        raise CouldNotRun(f"{arguments.design} is no system, so it has no API. Systems: {', '.join(sorted(names()))}.")
    text = _of_system(arguments.design, _document_of)
    if text is None:
        raise CouldNotRun(f"{arguments.design} has no API for programs.")
    return {f"{arguments.design}.openapi.json": text}


async def _document_of(opened: Opened) -> str | None:
    """The API's own description, as the system serves it."""
    route = next((each for each in opened.parts.routes if getattr(each, "path", "") == "/openapi.json"), None)
    if route is None:
        return None
    answer = await route.endpoint(None)
    return str(answer.body.decode()) + "\n"


_MAKERS: dict[str, Callable[[Any, argparse.Namespace], dict[str, str]]] = {
    "cloudformation": _cloudformation,
    "sam": _sam,
    "cdk": _cdk,
    "terraform": _terraform,
    "workbench": _workbench,
    "iam": _iam,
    "openapi": _openapi,
}


def described(name: str) -> Published | None:
    """What is known of a system; None when the name means a design alone."""
    from sekkei.runtime.discovery import names

    return _of_system(name, _published) if name in names() else None


def _of_system(name: str, ask: Callable[[Opened], Awaitable[T]]) -> T:
    """Build a system on a store that nobody sees, and ask it."""
    import asyncio

    from sekkei.clock import SYSTEM
    from sekkei.runtime.deployment import assemble
    from sekkei.runtime.discovery import load
    from sekkei.runtime.settings import Secrets, Settings
    from sekkei.store import Embedded

    async def asked() -> T:
        store = Embedded()
        try:
            settings = Settings(secrets=Secrets(b"no secret: only asked what there is"))
            return await ask(assemble([load(name)], store, settings, SYSTEM).systems[name])
        finally:
            await store.close()

    return asyncio.run(asked())


async def _published(opened: Opened) -> Published:
    from sekkei.publish.aws.system import Published, Settings
    from sekkei.runtime.design import design as runtime
    from sekkei.web.identity.design import design as web

    system = opened.system
    streams = {table.name: table for reactions in opened.parts.reactions for table in reactions.tables}
    names = [*(name for end in system.ends for name in (*end.settings, *end.one_of)), "allow_local"]
    return Published(
        name=system.name,
        designs=[system.design, runtime, web],
        streams=list(streams.values()),
        settings=Settings([name for name in names if not _is_secret(name)], [n for n in names if _is_secret(n)]),
        calls=_calls(system.name, "sekkei.runtime", "sekkei.web.identity"),
        webhooks=[route.path_format for route in opened.parts.routes if _is_webhook(route)],
        sends_mail=any(end.name == "mail" for end in system.ends),
    )


def _calls(*names: str) -> dict[str, Calls]:
    """What tests have seen these designs be asked, where somebody noted it."""
    from sekkei.design.loading import find
    from sekkei.publish.aws import calls

    found = {design.name: calls.load(calls.beside(home)) for design, home in map(find, names)}
    return {name: noted for name, noted in found.items() if noted is not None}


def _is_webhook(route: Any) -> bool:
    """Other programs call what a system keeps in its room `webhooks`."""
    return ".webhooks" in getattr(getattr(route, "endpoint", None), "__module__", "")


def _is_secret(name: str) -> bool:
    """A password may stand in an address too."""
    return any(word in name for word in ("secret", "token", "key", "smtp_url"))


def _json(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, sort_keys=False) + "\n"


def _write(folder: Path, files: dict[str, str]) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            if name == KEPT and (folder / name).exists():
                print(f"left {folder / name} as it is: it is yours")
                continue
            (folder / name).write_text(text, encoding="utf-8")
            print(f"wrote {folder / name}")
    except OSError as error:
        raise CouldNotRun(f"{error.filename}: {error.strerror}. Name another folder with --out.") from error
    return OK


def _check(folder: Path, files: dict[str, str]) -> int:
    stale = [name for name, text in files.items() if name != KEPT and not _same(folder / name, text)]
    for name in stale:
        print(f"{folder / name} is not what the design says; run the same command without --check.")
    if not stale:
        print(f"{folder} is up to date.")
    return FINDINGS if stale else OK


def _same(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text
