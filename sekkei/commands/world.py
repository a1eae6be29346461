"""`sekkei world`: a system in simulated time, under faults, from a seed."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sekkei.commands import COULD_NOT_RUN, FINDINGS, OK, CouldNotRun

if TYPE_CHECKING:
    from types import ModuleType

    from sekkei.worlds import Outcome, Retelling, Script

SUMMARY = "Run a system in simulated time: people act, processes die, calls are lost; say which promise broke."

EXAMPLES = """\
examples:
  sekkei world tasks                          a hundred seeds, from 0 on
  sekkei world tasks --seed 13 --trace        one seed, told as a story
  sekkei world tasks --seed 13 --shrink       the shortest story that still breaks the same promise
  sekkei world tasks --count 1000 --save failed.json      keep what failed; --replay failed.json runs it again
  sekkei world tasks --count 20000 --record tasks.log     note each seed; begun again, it goes on where it stopped
  sekkei world tasks --focus moves_a_task,comments        only these operations
  sekkei world shop/world.py                  a world of your own; shop.world:WORLD is the same

A world of your own: a `sekkei.worlds.Script`, named by an entry point of the group `sekkei.worlds`, or given as
module, module:attribute or file; modules of the current folder are found.
Exit code: 0 every promise held, 1 one broke, 2 could not run, or the world's own code failed.
"""

GROUP = "sekkei.worlds"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("world", help="a system that has one, or module:attribute, or a file")
    parser.add_argument("--seed", type=int, help="run this seed only, or begin with it")
    parser.add_argument("--count", type=int, help="how many seeds (default: 100, or 1 with --seed)")
    parser.add_argument("--trace", action="store_true", help="tell the story of each seed")
    parser.add_argument("--shrink", action="store_true", help="look for a shorter story when one breaks")
    parser.add_argument("--focus", metavar="NAMES", help="only these operations, separated by commas")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write down what failed")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="note each seed there; do not run again what is noted"
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run again what was written down")


def run(arguments: argparse.Namespace) -> int:
    script = _find(arguments.world)
    if arguments.replay:
        return _replay(script, arguments.replay)
    focus = arguments.focus.split(",") if arguments.focus else []
    count = arguments.count if arguments.count is not None else 100 if arguments.seed is None else 1
    if count < 1:
        raise CouldNotRun("--count: give 1 or more.")
    seeds = range(arguments.seed or 0, (arguments.seed or 0) + count)
    return _many(_focused(script, focus), focus, arguments, seeds)


def _find(name: str) -> Script:
    from importlib.metadata import entry_points

    from sekkei.worlds import Script

    known = {point.name: point.value for point in entry_points(group=GROUP)}
    module, _, attribute = known.get(name, name).partition(":")
    for candidate in _candidates(module):
        found = getattr(_imported(candidate, module), attribute or "WORLD", None)
        if isinstance(found, Script):
            return _sound(found, name)
    there = ", ".join(sorted(known)) or "none"
    raise CouldNotRun(f"{name} has no world. There are: {there}; or give module:attribute of a Script, or its file.")


def _sound(script: Script, name: str) -> Script:
    from sekkei.worlds.mistakes import mistakes

    found = list(mistakes(script))
    if found:
        raise CouldNotRun(f"{name} is no world to run:" + "".join(f"\n  {each}" for each in found))
    return script


def _candidates(typed: str) -> tuple[str, ...]:
    """Modules that it may mean; those of the current folder and those beside a file are found from here on."""
    from sekkei.design.loading import name_of, reach

    reach(Path.cwd(), typed.partition(".")[0])
    file = Path(typed)
    if file.suffix != ".py" or not file.is_file():
        return (typed, f"{typed}.world") if all(typed.split(".")) else ()
    parts, folder = [file.stem], file.resolve().parent
    while (folder / "__init__.py").exists():  # the other modules of a package know it by its whole name
        parts, folder = [folder.name, *parts], folder.parent
    reach(folder, parts[0])
    return (".".join(parts) if len(parts) > 1 else name_of(file.resolve()),)


def _imported(candidate: str, typed: str) -> ModuleType | None:
    from sekkei.design import SekkeiError
    from sekkei.design.loading import imported

    try:
        return imported(candidate, typed)
    except SekkeiError as error:
        raise CouldNotRun(error.message) from error
    except SystemExit as error:
        raise CouldNotRun(f"{typed} ends the program when it is imported, with {error.code!r}.") from error


def _focused(script: Script, names: list[str]) -> Script:
    """In which people do only these operations; all of them when none is named."""
    if not names:
        return script
    known = {operation.name for operation in script.operations}
    strange = set(names) - known
    if strange:
        raise CouldNotRun(f"Nobody does {', '.join(sorted(strange))}. They do: {', '.join(sorted(known))}.")
    return replace(script, operations=[operation for operation in script.operations if operation.name in names])


def _many(script: Script, focus: list[str], arguments: argparse.Namespace, seeds: range) -> int:
    from sekkei.worlds import run as run_one

    told = {"world": script.name, "focus": focus}
    noted = _noted(arguments.record, told)
    failed = [seed for seed, broken in noted.items() if broken and seed in seeds]
    outcomes: list[Outcome] = []
    began, simulated, number = time.monotonic(), 0.0, 0
    for number, seed in enumerate((each for each in seeds if each not in noted), 1):
        outcome = run_one(script, seed)
        simulated += outcome.simulated_seconds
        _note(arguments.record, told, outcome)
        if outcome.broken:
            failed.append(seed)
            outcomes.append(_told(script, outcome, arguments.shrink))
        if arguments.trace:
            print(tell(outcome))
        _progress(f"{number} of {len(seeds)} seeds, {len(failed)} broken")
    _progress("")
    seconds = time.monotonic() - began
    hours = f"{simulated / 3600:.1f} simulated hours in {seconds:.1f} s"
    print(f"{number} {'seed' if number == 1 else 'seeds'}, {hours}: {len(outcomes)} broken.")
    if number < len(seeds):
        print(f"with what was noted before: {len(seeds)} seeds, {len(failed)} broken.")
    if outcomes and arguments.save:
        _save(told, outcomes, arguments.save)
    mistaken = sum(each.is_mistake for each in outcomes)
    if mistaken:
        raise CouldNotRun(f"In {mistaken} of them the world's own code failed: mend it first.")
    return FINDINGS if failed else OK


def _told(script: Script, outcome: Outcome, shorter: bool) -> Outcome:
    """Say what broke; with a shorter story if one is wanted."""
    from sekkei.worlds import shrink

    _progress("")
    print(f"seed {outcome.seed}: {outcome.broken}", flush=True)
    if shorter:
        outcome = shrink(script, outcome, progress=lambda left: _progress(f"{left} operations left"))
        _progress("")
        print(f"  shortest story found, {len(outcome.operations)} operations:\n{tell(outcome)}")
    return outcome


def _noted(path: Path | None, told: dict[str, Any]) -> dict[int, str]:
    """Seeds that were run before, each with what broke."""
    if path is None or not path.exists():
        return {}
    try:
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        noted = {int(each["seed"]): str(each["broken"]) for each in lines}
        other = next((each for each in lines if {**each, **told} != {**told, **each}), None)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CouldNotRun(f"{path} has no notes of seeds: {error}.") from error
    if other:
        only = f" with --focus {','.join(other['focus'])}" if other["focus"] else ""
        raise CouldNotRun(f"{path} has notes of {other['world']}{only}. Give another file.")
    return noted


def _note(path: Path | None, told: dict[str, Any], outcome: Outcome) -> None:
    if path is None:
        return
    line = {**told, "seed": outcome.seed, "broken": outcome.broken, "digest": outcome.digest}
    try:
        with path.open("a", encoding="utf-8") as notes:
            notes.write(json.dumps(line, ensure_ascii=False) + "\n")
    except OSError as error:
        raise CouldNotRun(f"{path} cannot be written: {error.strerror}.") from error


def tell(outcome: Outcome) -> str:
    """The story as people would tell it."""
    lines = [
        f"  {int(event.at) // 60:>3}:{event.at % 60:06.3f}  {event.who:<14} {event.what}" for event in outcome.story
    ]
    return "\n".join([*lines, f"  digest {outcome.digest}"])


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _save(told: dict[str, Any], failed: list[Outcome], path: Path) -> None:
    content = [
        {
            **told,
            "seed": each.seed,
            "skip": sorted(each.retelling.without),
            "moments": dict(each.retelling.moments),
            "luck": each.retelling.luck,
            "broken": each.broken,
        }
        for each in failed
    ]
    try:
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise CouldNotRun(f"{path} cannot be written: {error.strerror}.") from error
    print(f"wrote {path}")


def _replay(script: Script, path: Path) -> int:
    from sekkei.worlds import run as run_one

    try:
        saved = [_saved(script, each) for each in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CouldNotRun(f"{path} is no file of failed seeds: {error}.") from error
    codes = {OK}
    for focused, seed, retelling in saved:
        outcome = run_one(focused, seed, retelling=retelling)
        codes.add(COULD_NOT_RUN if outcome.is_mistake else FINDINGS if outcome.broken else OK)
        print(f"seed {seed}: {outcome.broken or 'every promise held'}\n{tell(outcome)}")
    return max(codes)


def _saved(script: Script, each: dict[str, Any]) -> tuple[Script, int, Retelling]:
    """A story that was written down, and the world it is told in; files of before name neither moments nor focus."""
    from sekkei.worlds import Retelling

    if each.get("world", script.name) != script.name:
        raise CouldNotRun(f"That story is one of {each['world']}, not of {script.name}.")
    moments, luck = dict(each.get("moments", {})), int(each.get("luck", 0))
    return (
        _focused(script, list(each.get("focus", []))),
        each["seed"],
        Retelling(frozenset(each["skip"]), moments, luck),
    )
