"""`sekkei publish`: a design or a whole system as files that AWS's tools deploy."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sekkei.commands import FINDINGS, OK, CouldNotRun
from sekkei.commands.described import described, of_system

if TYPE_CHECKING:
    from sekkei.design import Design
    from sekkei.publish.aws.parts import Published
    from sekkei.runtime.deployment import Opened


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
  sekkei publish tasks --to cloudformation --out deploy --tag team=web --rate default_board=50/s
                                                            tags; provisioned units from `sekkei measure`, not on demand
  sekkei publish tasks --to cloudformation --out deploy --check     write nothing; list where the files differ
  sekkei publish tasks --check --store dynamodb://ap-northeast-1    list where live tables differ
  sekkei publish tasks --to cloudformation --out deploy --stack tasks --region ap-northeast-1
                                                            refuse when that stack has failed or is under way

The same design gives the same file, byte by byte. Nothing secret stands in any of them. Names, quotas and the stack's
state are looked at before anything is written.
Exit code: 0 well, 1 a file or a live table differs (with --check), 2 could not run.
"""

TARGETS = ("cloudformation", "sam", "cdk", "terraform", "workbench", "openapi", "iam", "package")
_STACKS = ("cloudformation", "sam", "cdk")
KEPT = "app.py"
"""Written once and then its owner's."""
SHOWN_MAX = 40
"""Differences of one file that are listed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", help="a system, a module, or module:attribute")
    parser.add_argument("--to", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--out", type=Path, metavar="DIR", help="the folder to write to (default: the terminal)")
    parser.add_argument("--env", default="prod", help="fills {env} in names of tables (default: %(default)s)")
    parser.add_argument("--stack", metavar="NAME", help="what the stack will be called (default: as the design)")
    parser.add_argument("--region", help="with --stack: ask CloudFormation there whether the stack takes a template")
    parser.add_argument("--tag", action="append", default=[], metavar="KEY=VALUE", help="put this tag on every table")
    parser.add_argument(
        "--rate",
        action="append",
        default=[],
        metavar="PATTERN=50/s",
        help="provision tables for this, from measurements",
    )
    parser.add_argument("--rates", type=Path, metavar="FILE", help="rates from a TOML file")
    parser.add_argument("--peak", type=float, default=3.0, help="busiest hour against the average (default: 3)")
    parser.add_argument("--pattern", action="append", default=[], help="with --to iam: only what these patterns do")
    parser.add_argument("--leading-key", metavar="TEXT", help="with --pattern: bind it to partition keys like this")
    parser.add_argument(
        "--arch", choices=("arm64", "x86_64"), default="arm64", help="of the functions (default: arm64)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is not up to date")
    parser.add_argument("--store", metavar="STORE", help="with --check: compare live tables in this store")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.design import SekkeiError
    from sekkei.publish.aws.quotas import CannotPublish

    try:
        _check_arguments(arguments)
        if arguments.to == "package":
            return _package(arguments)
        subject = _subject(arguments)
        if arguments.store is not None:
            return _check_live(subject, arguments)
        files = _MAKERS[arguments.to](subject, arguments)
        if arguments.to in _STACKS:
            _check_stack(subject, files, arguments)
    except (SekkeiError, LookupError, CannotPublish) as error:
        raise CouldNotRun(str(error)) from error
    if arguments.out is None:
        print("\n".join(files.values()), end="")
        return OK
    return _check(arguments.out, files) if arguments.check else _write(arguments.out, files)


def _check_arguments(arguments: argparse.Namespace) -> None:
    from sekkei.publish.aws.quotas import check_stack_name, check_target

    if arguments.store is not None and not arguments.check:
        raise CouldNotRun("--store is for --check, which compares live tables and changes nothing.")
    if arguments.to is None and arguments.store is None:
        raise CouldNotRun(f"Say what to make of it: --to {', '.join(TARGETS)}.")
    if arguments.to is not None:
        check_target(arguments.to, TARGETS)
    if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,100}", arguments.env):
        raise CouldNotRun(
            f"--env {arguments.env!r}: letters, digits, - _ and . only, at most 100; it is part of table names."
        )
    if arguments.check and arguments.out is None and arguments.store is None:
        raise CouldNotRun(
            "--check compares with files or live tables; name their folder with --out DIR, or a store with --store."
        )
    if not 1 <= arguments.peak <= 1_000:
        raise CouldNotRun(f"--peak {arguments.peak:g}: the busiest hour is 1 to 1000 times the average.")
    if arguments.stack is not None:
        check_stack_name(arguments.stack, functions=False)
    if (arguments.pattern or arguments.leading_key is not None) and arguments.to != "iam":
        raise CouldNotRun("--pattern and --leading-key are for --to iam.")
    if arguments.leading_key is not None and not (arguments.leading_key and arguments.pattern):
        raise CouldNotRun("--leading-key binds patterns to keys such as 'USER#17'; name the patterns with --pattern.")
    if arguments.region is not None and arguments.stack is None:
        raise CouldNotRun("--region asks how a stack is; name the stack with --stack.")


class Subject:
    """What is published: a design, and the system around it where there is one."""

    def __init__(self, design: Design, system: Published | None) -> None:
        self.design, self.system = design, system

    @property
    def designs(self) -> Sequence[Design]:
        return [self.design] if self.system is None else self.system.designs

    @property
    def name(self) -> str:
        return self.design.name if self.system is None else self.system.name


def _subject(arguments: argparse.Namespace) -> Subject:
    """With the tags and units that were asked for."""
    from dataclasses import replace

    from sekkei.advice.quantities import rate_of
    from sekkei.commands.cost import pair_of, rates_in
    from sekkei.design import Measurements
    from sekkei.design.loading import find, measurements_beside
    from sekkei.publish.aws.chosen import chosen, units_for
    from sekkei.publish.aws.quotas import check_designs

    design, home = find(arguments.design)
    rates = {**rates_in(arguments.rates), **dict(pair_of(text, rate_of) for text in arguments.rate)}
    units = units_for(design, Measurements.load(measurements_beside(home)), rates, arguments.peak)
    tags = dict(pair_of(text, str) for text in arguments.tag)
    system = described(arguments.design)
    own = chosen(design, tags, units)
    if system is not None:
        system = replace(system, designs=[own, *(chosen(each, tags, {}) for each in system.designs[1:])])
    subject = Subject(own, system)
    check_designs(subject.designs, arguments.env)
    return subject


def _check_stack(subject: Subject, files: dict[str, str], arguments: argparse.Namespace) -> None:
    from sekkei.publish.aws.quotas import check_stack_name, check_template

    if arguments.stack is not None or arguments.to == "cdk":
        check_stack_name(arguments.stack or subject.name, functions=subject.system is not None)
    for name, text in files.items():
        content = json.loads(text) if name.endswith(".json") else {}
        if "Resources" in content:
            check_template(content, text)
    if arguments.region is not None:
        _check_state(arguments.stack, arguments.region)


def _check_state(stack: str, region: str) -> None:
    """Ask CloudFormation whether the stack takes a template."""
    import asyncio

    from sekkei.clock import SYSTEM
    from sekkei.runtime.aws.signing import AwsService
    from sekkei.runtime.aws.stacks import NoStacks, in_the_way, state_of
    from sekkei.runtime.http import Http
    from sekkei.store import ConfigurationError, CredentialsError, NoAnswer

    try:
        state = asyncio.run(state_of(AwsService("cloudformation", region, Http(), SYSTEM), stack))
    except (NoStacks, ConfigurationError, CredentialsError, NoAnswer, OSError) as error:
        raise CouldNotRun(f"The stack {stack} could not be looked at: {error}") from error
    wrong = in_the_way(state)
    if wrong is not None:
        raise CouldNotRun(f"The stack {stack} is in the state {state}: {wrong}. Nothing was written.")


def _package(arguments: argparse.Namespace) -> int:
    from sekkei.publish.aws.package import PYTHON, CannotBuild, build, interpreter
    from sekkei.runtime.discovery import names

    if arguments.design not in names():
        raise CouldNotRun(
            f"{arguments.design} is no system, so it has no functions. Systems: {', '.join(sorted(names()))}."
        )
    if arguments.out is None:
        raise CouldNotRun("A package is a file: name its folder with --out DIR.")
    try:
        path = build(arguments.design, arguments.out / "package.zip", arguments.arch)
    except CannotBuild as error:
        raise CouldNotRun(str(error)) from error
    except OSError as error:
        raise CouldNotRun(f"{error.filename}: {error.strerror}. Name another folder with --out.") from error
    print(f"wrote {path}, {path.stat().st_size / 1e6:.1f} MB, for {arguments.arch}")
    if interpreter() is None:
        print(f"It has no bytecode: with python{PYTHON} on this machine, functions would start in half the time.")
    return OK


def _cloudformation(subject: Subject, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.aws import system, tables

    if subject.system is None:
        made = tables.template(subject.design, env=arguments.env)
    else:
        made = system.template(subject.system, arguments.env)
    return {f"{subject.name}.template.json": _json(made)}


def _sam(subject: Subject, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.aws import sam

    if subject.system is None:
        raise CouldNotRun(f"{arguments.design} is a design without functions; use --to cloudformation for its tables.")
    return {"template.json": _json(sam.template(subject.system, arguments.env))}


def _cdk(subject: Subject, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.aws import cdk
    from sekkei.publish.aws.names import logical

    ((template, text),) = _cloudformation(subject, arguments).items()
    table = logical(next(iter(subject.design.tables.values())).name, "table")
    return {template: text, **cdk.files(arguments.stack or subject.name, template, table)}


def _terraform(subject: Subject, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.aws import terraform, terraform_system

    if subject.system is None:
        return {"main.tf.json": _json(terraform.configuration(subject.design, env=arguments.env))}
    return {"main.tf.json": _json(terraform_system.configuration(subject.system, arguments.env))}


def _workbench(subject: Subject, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.workbench import model

    return {f"{subject.design.name}.workbench.json": _json(model(subject.design, arguments.env))}


def _iam(subject: Subject, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.publish.aws import permissions

    design = subject.design
    statements: list[dict[str, Any]] = []
    for name in arguments.pattern:
        if name not in design.patterns:
            raise CouldNotRun(f"{design.name} has no pattern {name}. It has: {', '.join(sorted(design.patterns))}.")
        statements += permissions.of_pattern(design.patterns[name], design, arguments.leading_key)
    if not arguments.pattern:
        statements = permissions.statements(design)
    statements = permissions.by_arn(statements, design, arguments.env)
    return {f"{design.name}.policy.json": _json({"Version": "2012-10-17", "Statement": statements})}


def _openapi(subject: Subject, arguments: argparse.Namespace) -> dict[str, str]:
    from sekkei.runtime.discovery import names

    if arguments.design not in names():
        raise CouldNotRun(f"{arguments.design} is no system, so it has no API. Systems: {', '.join(sorted(names()))}.")
    text = of_system(arguments.design, _document_of)
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


_MAKERS: dict[str, Callable[[Subject, argparse.Namespace], dict[str, str]]] = {
    "cloudformation": _cloudformation,
    "sam": _sam,
    "cdk": _cdk,
    "terraform": _terraform,
    "workbench": _workbench,
    "iam": _iam,
    "openapi": _openapi,
}


def _json(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, sort_keys=False) + "\n"


def _write(folder: Path, files: dict[str, str]) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            if name == KEPT and (folder / name).exists():
                print(f"left {folder / name} as it is: it is yours")
                continue
            _write_steps(folder / name, text)
            (folder / name).write_text(text, encoding="utf-8")
            print(f"wrote {folder / name}")
    except OSError as error:
        raise CouldNotRun(f"{error.filename}: {error.strerror}. Name another folder with --out.") from error
    return OK


def _write_steps(path: Path, text: str) -> None:
    """What to deploy before this template, when the one that it replaces has other indexes in more than one place."""
    from sekkei.publish.aws import steps

    old = _parsed(path)
    if old is None or "Resources" not in old or _same(path, text):
        return
    new = json.loads(text)
    for stale in path.parent.glob(f"{path.stem}.step-*.json"):
        stale.unlink()
    before = [(path.with_suffix(f".step-{number}.json"), step) for number, step in enumerate(steps.steps(old, new), 1)]
    for place, step in before:
        place.write_text(_json(step), encoding="utf-8")
        print(f"wrote {place}")
    if before:
        print("\n".join(steps.words(old, new)))
        order = ", ".join(str(place) for place, _ in before)
        print(f"CloudFormation changes one index of a table in an update: deploy {order} first, then {path}.")


def _parsed(path: Path) -> dict[str, Any] | None:
    """A file that was written earlier; None when it is none of ours."""
    try:
        content = json.loads(path.read_text(encoding="utf-8")) if path.suffix == ".json" else None
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _check(folder: Path, files: dict[str, str]) -> int:
    from sekkei.publish.differing import differing

    stale = [name for name, text in files.items() if name != KEPT and not _same(folder / name, text)]
    for name in stale:
        path = folder / name
        print(f"{path} is {'not what the design says' if path.exists() else 'missing'}; run this without --check.")
        written = _parsed(path)
        found = [] if written is None else list(differing(written, json.loads(files[name])))
        for line in found[:SHOWN_MAX]:
            print(f"  {line}")
        if len(found) > SHOWN_MAX:
            print(f"  and {len(found) - SHOWN_MAX} more")
    if not stale:
        print(f"{folder} is up to date.")
    return FINDINGS if stale else OK


def _check_live(subject: Subject, arguments: argparse.Namespace) -> int:
    """Where live tables are not what the design says; nothing is changed."""
    import asyncio

    from sekkei.commands.startup import open_to_look, store_errors
    from sekkei.design import tables

    async def differences() -> list[str]:
        store = open_to_look(arguments.store)
        try:
            with store_errors(arguments.store):
                found = [await tables.differences(store, design, arguments.env) for design in subject.designs]
        finally:
            await store.close()
        return [f"{step.table}: {step.words}" for steps in found for step in steps]

    found = asyncio.run(differences())
    for line in found:
        print(line)
    if not found:
        count = sum(len(design.tables) for design in subject.designs)
        print(f"{arguments.store}: {count} tables are as the design says.")
    return FINDINGS if found else OK


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()
