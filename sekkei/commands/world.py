"""`sekkei world`: a system in simulated time, under faults, from a seed."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sekkei.commands import COULD_NOT_RUN, FINDINGS, OK, CouldNotRun
from sekkei.commands.stories import Notes, Told, entries_of_before, entry, read, save, told_with, try_to_write

if TYPE_CHECKING:
    from types import ModuleType

    from sekkei.worlds import Outcome, Script


EXAMPLES = """\
examples:
  sekkei world tasks                          a hundred seeds, from 0 on
  sekkei world tasks --seed 13 --trace        one seed, told as a story
  sekkei world tasks --seed 13 --shrink       the shortest story that still breaks the same promise
  sekkei world tasks --count 1000 --save failed.json      keep what failed; --replay failed.json runs it again
  sekkei world tasks --count 20000 --record tasks.log     note each seed; begun again, it goes on where it stopped
  sekkei world tasks --focus moves_a_task,comments        only these operations
  sekkei world shop/world.py                  a world of your own; shop.world:WORLD is the same

A world is a `sekkei.worlds.Script`, given as module, module:attribute or file; modules of the current folder are
found. A single name is also looked for in `tests/worlds` of the current folder.
Exit code: 0 every promise held, 1 one broke, 2 could not run, or the world's own code failed,
130 interrupted.
"""

HELD = "every promise held"
_INTERRUPTED = 130
"""As shells say it of whoever was ended by Ctrl-C."""
MANY = 100
"""In so many seeds everything is done that can be."""
_NOT_WITH_REPLAY = ("seed", "count", "trace", "shrink", "focus", "save", "record")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("world", help="a name in tests/worlds, module:attribute, or a file")
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
    try:
        return _asked(arguments)
    except KeyboardInterrupt:
        return _INTERRUPTED


def _asked(arguments: argparse.Namespace) -> int:
    script = _find(arguments.world)
    if arguments.replay:
        return _replay(script, arguments)
    focus = _names(arguments.focus)
    count = arguments.count if arguments.count is not None else 100 if arguments.seed is None else 1
    if count < 1:
        raise CouldNotRun("--count: give 1 or more.")
    seeds = range(arguments.seed or 0, (arguments.seed or 0) + count)
    try_to_write(arguments.save)
    return _Run(_focused(script, focus), told_with(script, focus), arguments, seeds).all()


def _find(name: str) -> Script:
    from sekkei.worlds import Script

    module, _, attribute = name.partition(":")
    for candidate in _candidates(module):
        found = getattr(_imported(candidate, module), attribute or "WORLD", None)
        if isinstance(found, Script):
            return _sound(found, name)
    raise CouldNotRun(f"{name} has no world. Give module:attribute of a Script, its file, or its name in tests/worlds.")


def _sound(script: Script, name: str) -> Script:
    from sekkei.worlds.errors import mistakes

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
        return (typed, f"{typed}.world", f"tests.worlds.{typed}") if all(typed.split(".")) else ()
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


def _names(typed: str | None) -> list[str]:
    names = [] if typed is None else [each.strip() for each in typed.split(",")]
    if typed is not None and not all(names):
        raise CouldNotRun("--focus: name operations, separated by commas.")
    return names


def _focused(script: Script, names: list[str]) -> Script:
    """In which people do only these operations, twice as often what is named twice; all of them when none is named."""
    if not names:
        return script
    known = {operation.name for operation in script.operations}
    strange = set(names) - known
    if strange:
        raise CouldNotRun(f"Nobody does {', '.join(sorted(strange))}. They do: {', '.join(sorted(known))}.")
    chosen = [each for each in script.operations if each.name in names]
    return replace(script, operations=[replace(each, weight=each.weight * names.count(each.name)) for each in chosen])


class _Run:
    """Some seeds, one after the other."""

    def __init__(self, script: Script, told: Told, arguments: argparse.Namespace, seeds: range) -> None:
        self._script, self._told, self._arguments, self._seeds = script, told, arguments, seeds
        self._notes = Notes(arguments.record, told)
        noted = self._notes.broken
        self._noted = sum(seed in noted for seed in seeds)
        self._broken = {seed: noted[seed] for seed in seeds if noted.get(seed)}
        self._entries = entries_of_before(arguments.save, told, self._broken)
        self._outcomes: list[Outcome] = []
        """Of what broke now."""
        self._done: set[str] = set()
        self._count, self._simulated_seconds, self._began = 0, 0.0, time.monotonic()

    def all(self) -> int:
        from sekkei.worlds.errors import is_mistake

        for seed, broken in self._broken.items():
            print(f"seed {seed}: {broken} (noted before)")
        self._save()
        code = OK
        try:
            for seed in self._seeds:
                if seed not in self._notes.broken:
                    self._one(seed)
        except KeyboardInterrupt:
            code = _INTERRUPTED
        _progress("")
        self._sum_up(code == _INTERRUPTED)
        mistaken = sum(map(is_mistake, self._broken.values()))
        if mistaken and code == OK:
            raise CouldNotRun(f"In {mistaken} of them the world's own code failed: mend it first.")
        return code or (FINDINGS if self._broken else OK)

    def _one(self, seed: int) -> None:
        from sekkei.worlds import run as run_one

        outcome = run_one(self._script, seed)
        self._count += 1
        self._simulated_seconds += outcome.simulated_seconds
        self._done |= outcome.done
        self._notes.add(outcome)
        _progress("")
        if outcome.broken or self._arguments.trace:
            print(f"seed {seed}: {outcome.broken or HELD}", flush=True)
        if self._arguments.trace:
            print(tell(outcome), flush=True)
        if outcome.broken:
            self._broken[seed] = outcome.broken
            self._outcomes.append(outcome)
            self._keep(entry(self._told, outcome))
            if self._arguments.shrink:
                self._shrink(outcome)
        done = self._noted + self._count
        _progress(f"{done} of {len(self._seeds)} seeds, {len(self._broken)} broken")

    def _shrink(self, outcome: Outcome) -> None:
        from sekkei.worlds import shrink

        shorter = shrink(self._script, outcome, progress=lambda left: _progress(f"{left} operations left"))
        _progress("")
        print(f"seed {outcome.seed}, shortest story found, {len(shorter.operations)} operations: {shorter.broken}")
        print(tell(shorter), flush=True)
        self._entries.pop()
        self._keep(entry(self._told, shorter))

    def _keep(self, story: dict[str, Any]) -> None:
        """Written as soon as it is known: whatever ends a long run does not end what it found."""
        self._entries.append(story)
        self._save()

    def _save(self) -> None:
        if self._entries and self._arguments.save:
            save(self._arguments.save, self._entries)

    def _sum_up(self, interrupted: bool) -> None:
        seconds = time.monotonic() - self._began
        hours = f"{self._simulated_seconds / 3600:.1f} simulated hours in {seconds:.1f} s"
        seeds = f"{self._count} {'seed' if self._count == 1 else 'seeds'}"
        print(f"{'interrupted after ' if interrupted else ''}{seeds}, {hours}: {len(self._outcomes)} broken.")
        never = sorted({each.name for each in self._script.operations} - self._done)
        if never and self._count >= MANY:
            print(f"nobody came to do: {', '.join(never)}.")
        if self._noted:
            done = self._noted + self._count
            print(f"with what was noted before: {done} seeds, {len(self._broken)} broken.")
        if self._entries and self._arguments.save:
            print(f"wrote {self._arguments.save}")


def tell(outcome: Outcome) -> str:
    """The story as people would tell it. What the network did stands only in one that was made shorter: there it can be
    read."""
    events = [*outcome.story, *outcome.lost] if outcome.retelling.without else outcome.story
    lines = [
        f"  {int(event.at) // 60:>3}:{event.at % 60:06.3f}  {event.who:<14} {event.what}"
        for event in sorted(events, key=lambda event: event.at)
    ]
    return "\n".join([*lines, f"  digest {outcome.digest}"])


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _replay(script: Script, arguments: argparse.Namespace) -> int:
    from sekkei.worlds import run as run_one
    from sekkei.worlds.errors import is_mistake

    given = ((name, getattr(arguments, name)) for name in _NOT_WITH_REPLAY)
    beside = [f"--{name}" for name, value in given if value is not None and value is not False]
    if beside:
        raise CouldNotRun(f"--replay tells what was saved as it was; it takes no {', '.join(beside)}.")
    codes = {OK}
    for story in read(arguments.replay, script):
        outcome = run_one(_focused(script, story.focus), story.seed, retelling=story.retelling)
        codes.add(COULD_NOT_RUN if is_mistake(outcome.broken) else FINDINGS if outcome.broken else OK)
        print(f"seed {story.seed}: {outcome.broken or HELD}\n{tell(outcome)}", flush=True)
    return max(codes)
