"""The layout of the house (docs/adr/0009-one-house.md): each rule fails with a sentence that says what to do.

`house_exceptions.toml` lists what does not keep a rule yet. It only ever shrinks: an entry that is no longer needed
fails too.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SYSTEMS = ROOT / "systems" / "sekkei_systems"
NAMES = sorted(path.name for path in SYSTEMS.iterdir() if (path / "__init__.py").exists())
LINES_MAX = 900

ROOMS = {
    "__init__": "what the system is, in a sentence; nothing is imported",
    "system": "SYSTEM and build(): wiring, nothing else",
    "design": "the document as code: models, tables, patterns, examples",
    "rules": "pure decisions, no I/O",
    "service": "the proofs of access, then one noun a file",
    "refusals": "codes and statuses, no words",
    "pages": "one page a file",
    "api": "shapes, then one noun a file",
    "webhooks": "requests of other programs",
    "jobs": "what happens by the clock, and long jobs",
    "reactions": "what happens on a stream",
    "ports": "the outside by interface, with its real ends",
    "local": "what stands in for a service outside where none is set up",
    "demo": "sample data",
    "texts": "ja.toml, en.toml",
    "templates": "Jinja",
    "static": "scripts, styles, pictures",
    "data": "what a program reads and nobody translates",
    "command": "`sekkei SYSTEM …`",
    "journeys": "what one user does, to be measured (sekkei.web.journeys)",
}
TESTED_ROOMS = ("rules", "service", "pages", "api", "webhooks", "jobs", "reactions")
ROUTE_METHODS = {"get", "post", "put", "patch", "delete", "route"}


def broken_rules(rule: str) -> set[str]:
    return set(RULES[rule]())


def rooms() -> Iterator[str]:
    for name in NAMES:
        for path in (SYSTEMS / name).iterdir():
            room = path.stem
            if room not in ROOMS and not room.startswith(("__pycache__", ".")):
                yield f"{name}/{path.name}"


def untested() -> Iterator[str]:
    for path in sorted((ROOT / "sekkei" / "engine" / "operations").glob("[!_]*.py")):
        if not (ROOT / "tests" / "engine" / "operations" / f"test_{path.name}").exists():
            yield f"sekkei/engine/operations/{path.name}"
    for path in sorted((ROOT / "sekkei" / "commands").glob("[!_]*.py")):
        if path.stem != "startup" and not (ROOT / "tests" / "commands" / f"test_{path.name}").exists():
            yield f"sekkei/commands/{path.name}"
    for name in NAMES:
        for room in TESTED_ROOMS:
            tests = ROOT / "tests" / "systems" / name
            if (SYSTEMS / name / f"{room}.py").exists() and not (tests / f"test_{room}.py").exists():
                yield f"{name}/{room}.py"
            for path in sorted((SYSTEMS / name / room).glob("[!_]*.py")):
                if not (tests / room / f"test_{path.name}").exists():
                    yield f"{name}/{room}/{path.name}"


def long_files() -> Iterator[str]:
    for folder in ("sekkei", "systems", "fakes", "migrations", "tests", "bench"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".js", ".html") and len(path.read_text("utf-8").splitlines()) > LINES_MAX:
                yield path.relative_to(ROOT).as_posix()


def handlers_in_closures() -> Iterator[str]:
    for folder in ("sekkei", "systems", "fakes", "migrations"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if any(_nested_handlers(ast.parse(path.read_text("utf-8")))):
                yield path.relative_to(ROOT).as_posix()


def _nested_handlers(tree: ast.Module) -> Iterator[str]:
    for outer in ast.walk(tree):
        if not isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for inner in ast.walk(outer):
            if inner is outer or not isinstance(inner, ast.AsyncFunctionDef):
                continue
            calls = (each.func for each in inner.decorator_list if isinstance(each, ast.Call))
            if any(isinstance(call, ast.Attribute) and call.attr in ROUTE_METHODS for call in calls):
                yield inner.name


def pages_as_lists() -> Iterator[str]:
    """Find pages whose cursor is dropped on the spot: `list(await db.page(…))`, `for task in await db.page(…)`."""
    for folder in ("sekkei", "systems", "fakes", "migrations"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if any(_drops_a_cursor(node) for node in ast.walk(ast.parse(path.read_text("utf-8")))):
                yield path.relative_to(ROOT).as_posix()


def _drops_a_cursor(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="list" | "tuple" | "set" | "sorted" | "len"), args=[used, *_]):
            return _is_page(used)
        case ast.For(iter=used) | ast.comprehension(iter=used):
            return _is_page(used)
    return False


def _is_page(node: ast.expr) -> bool:
    match node:
        case ast.Await(value=ast.Call(func=ast.Attribute(attr="page"))):
            return True
    return False


def languages() -> Iterator[str]:
    for name in NAMES:
        found = SYSTEMS / name / "texts"
        if not (found / "ja.toml").exists() or not (found / "en.toml").exists():
            yield name


PROTOCOLS = {
    "csv": {
        "sekkei/kit/sheets.py": "the owner",
        "sekkei/engine/history/imports.py": "DynamoDB's own CSV",
    },
    "hmac": {
        "sekkei/kit/signing.py": "the owner",
        "sekkei/design/reading.py": "stands below the kit",
        "sekkei/kit/webhooks.py": "Standard Webhooks",
        "sekkei/runtime/totp.py": "RFC 6238",
        "sekkei/runtime/transports/line.py": "LINE",
        "sekkei/runtime/transports/web_push.py": "RFC 8291",
        "sekkei/wire/sigv4.py": "SigV4",
        "systems/sekkei_systems/chiipochi/ports/stripe.py": "Stripe",
        "systems/sekkei_systems/lessons/webhooks/availability.py": "pushes of studios",
    },
    "zoneinfo": {"sekkei/kit/zones.py": "the owner"},
}
"""Modules that may import a technique: its one owner, and protocols that others define."""


def techniques() -> Iterator[str]:
    for folder in ("sekkei", "systems"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            for technique in sorted(_imported(ast.parse(path.read_text("utf-8"))) & set(PROTOCOLS)):
                if name not in PROTOCOLS[technique]:
                    yield f"{name}: {technique}"


def _imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


_ZONES = re.compile(r"Asia/|\bJST\b|hours=9\b")


def zones_in_the_library() -> Iterator[str]:
    for path in sorted((ROOT / "sekkei").rglob("*")):
        if path.suffix in (".py", ".html", ".js", ".toml") and _ZONES.search(path.read_text("utf-8")):
            yield path.relative_to(ROOT).as_posix()


RULES: dict[str, Callable[[], Iterator[str]]] = {
    "rooms": rooms,
    "tests": untested,
    "long": long_files,
    "closures": handlers_in_closures,
    "pages": pages_as_lists,
    "languages": languages,
    "techniques": techniques,
    "zones": zones_in_the_library,
}
REMEDIES = {
    "rooms": f"A system has these rooms and no others: {', '.join(ROOMS)}. Move it into the one that says what it is.",
    "tests": "Write its test in the file of the same name: tests/… mirrors the source, with test_ before the name.",
    "long": f"Over {LINES_MAX} lines. Split it where a second noun begins.",
    "closures": "A handler is a function of its module. Take what it needs as arguments, by type (sekkei.web.routing).",
    "pages": "A page turned into a list loses its cursor. Use first_items, which says whether more follow, or all.",
    "languages": "Texts are data: texts/ja.toml and texts/en.toml.",
    "zones": "A system says whose time counts (System.zone); the library takes the zone as an argument.",
    "techniques": "Use the owner of the technique (sekkei.kit); only protocols of others do it themselves.",
}


def exceptions(rule: str) -> set[str]:
    path = Path(__file__).parent / "house_exceptions.toml"
    listed: list[str] = tomllib.loads(path.read_text("utf-8")).get(rule, []) if path.exists() else []
    return set(listed)


@pytest.mark.parametrize("rule", RULES)
def test_the_house_is_in_order(rule: str) -> None:
    new = broken_rules(rule) - exceptions(rule)
    assert not new, f"{REMEDIES[rule]}\n" + "\n".join(sorted(new))


@pytest.mark.parametrize("rule", RULES)
def test_exceptions_only_shrink(rule: str) -> None:
    kept = exceptions(rule) - broken_rules(rule)
    assert not kept, "These keep the rule now. Take them off tests/house_exceptions.toml:\n" + "\n".join(sorted(kept))


def test_listed_protocols_use_their_technique() -> None:
    for technique, modules in PROTOCOLS.items():
        for name in modules:
            tree = ast.parse((ROOT / name).read_text("utf-8"))
            assert technique in _imported(tree), f"{name} does without {technique} now; take it off PROTOCOLS"


def test_imports_never_climb() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, f"A floor knows only the floors under it. Move what both need down.\n{done.stdout}"


if __name__ == "__main__":
    for rule in RULES:
        print(f"{rule} = [")
        print("".join(f'    "{each}",\n' for each in sorted(broken_rules(rule))), end="")
        print("]")
