"""What `sekkei world` writes down and reads again: seeds that were run, and stories in which a promise broke."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sekkei.commands import CouldNotRun

if TYPE_CHECKING:
    from sekkei.worlds import Outcome, Retelling, Script

Told = dict[str, Any]
"""Which world it was, and with which operations."""
LATER_SECONDS = 24 * 3600.0
"""So much longer than its world a story may last: the world may have been made shorter since."""


def told_with(script: Script, focus: list[str]) -> Told:
    return {"world": script.name, "focus": focus}


# Stories, of --save and --replay


@dataclass(frozen=True, slots=True)
class _Story:
    focus: list[str]
    seed: int
    retelling: Retelling


def entry(told: Told, outcome: Outcome) -> dict[str, Any]:
    retelling = outcome.retelling
    return {
        **told,
        "seed": outcome.seed,
        "skip": sorted(retelling.without),
        "moments": dict(retelling.moments),
        "luck": retelling.luck,
        "broken": outcome.broken,
    }


def entries_of_before(path: Path | None, told: Told, broken: Mapping[int, str]) -> list[dict[str, Any]]:
    """Of seeds that were noted before: their stories as they were saved, else the whole ones."""
    whole = {
        seed: {**told, "seed": seed, "skip": [], "moments": {}, "luck": 0, "broken": text}
        for seed, text in broken.items()
    }
    try:
        saved = [] if path is None or not whole else json.loads(path.read_text("utf-8"))
        kept = {each["seed"]: each for each in saved if {**each, **told} == each and each["seed"] in whole}
    except (OSError, ValueError, KeyError, TypeError):
        kept = {}
    return list({**whole, **kept}.values())


def try_to_write(path: Path | None) -> None:
    """Before hours are spent on what cannot be kept."""
    if path is None:
        return
    is_new = not path.exists()
    try:
        path.open("a").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise _unwritable(path, error) from error


def save(path: Path, entries: Iterable[dict[str, Any]]) -> None:
    try:
        path.write_text(json.dumps(list(entries), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise _unwritable(path, error) from error


def read(path: Path, script: Script) -> list[_Story]:
    """Stories of this world; files of before name neither moments nor focus."""
    try:
        content = json.loads(path.read_text("utf-8"))
        if not isinstance(content, list) or not content:
            raise ValueError("it has no list of stories")
        return [_story(each, script) for each in content]
    except (OSError, ValueError, RecursionError) as error:
        raise CouldNotRun(f"{path} is no file of failed seeds: {error}.") from error


def _story(each: Any, script: Script) -> _Story:
    from sekkei.worlds import Retelling

    _need(isinstance(each, dict), "a story is an object", each)
    world, focus = each.get("world", script.name), each.get("focus", [])
    if world != script.name:
        raise CouldNotRun(f"That story is one of {world}, not of {script.name}.")
    _need(_are_texts(focus), "focus is a list of names", focus)
    seed, luck = each.get("seed"), each.get("luck", 0)
    _need(type(seed) is int, "seed is a whole number", seed)
    _need(type(luck) is int, "luck is a whole number", luck)
    skip, moments = each.get("skip"), each.get("moments", {})
    _need(_are_texts(skip), "skip is a list of keys", skip)
    _need(isinstance(moments, dict), "moments are an object", moments)
    last = _latest(script)
    for key, moment in moments.items():
        good = type(moment) in (int, float) and isfinite(moment) and 0 <= moment <= last
        _need(good, f"the moment of {key} is between 0 and {last:.0f} seconds", moment)
    return _Story(focus, seed, Retelling(frozenset(skip), moments, luck))


def _latest(script: Script) -> float:
    from sekkei.worlds import Faults

    return script.seconds + Faults().leaps * max(script.leaps, default=0.0) + LATER_SECONDS


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _need(good: bool, rule: str, found: Any) -> None:
    if not good:
        raise ValueError(f"{rule}, and not {repr(found)[:80]}")


# Seeds, of --record


class Notes:
    """A line for each seed that was run. The last one may be torn, by whatever ended the run: it is no seed then."""

    def __init__(self, path: Path | None, told: Told) -> None:
        self._path, self._told = path, told
        self.broken: dict[int, str] = {}
        """Seeds that were run before, each with what broke, or nothing."""
        if path is not None and path.exists():
            self._read(path)
        try_to_write(path)

    def _read(self, path: Path) -> None:
        try:
            content = path.read_bytes()
            whole = content[: len(content) - len(_torn(content))]
            notes = [json.loads(line) for line in whole.splitlines()]
            self.broken = {int(each["seed"]): str(each["broken"]) for each in notes}
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise CouldNotRun(f"{path} has no notes of seeds: {error}.") from error
        other = next((each for each in notes if {**each, **self._told} != {**self._told, **each}), None)
        if other:
            only = f" with --focus {','.join(other['focus'])}" if other["focus"] else ""
            raise CouldNotRun(f"{path} has notes of {other['world']}{only}. Give another file.")
        if whole and not whole.endswith(b"\n"):
            whole += b"\n"
        if whole != content:
            try:
                path.write_bytes(whole)
            except OSError as error:
                raise _unwritable(path, error) from error

    def add(self, outcome: Outcome) -> None:
        if self._path is None:
            return
        line = {**self._told, "seed": outcome.seed, "broken": outcome.broken, "digest": outcome.digest}
        try:
            with self._path.open("a", encoding="utf-8") as notes:
                notes.write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            raise _unwritable(self._path, error) from error


def _torn(content: bytes) -> bytes:
    """The beginning of a note, at the end, whose rest was never written."""
    last = content.rpartition(b"\n")[2]
    if not last.startswith(b'{"'):
        return b""
    try:
        json.loads(last)
    except ValueError:
        return last
    return b""


def _unwritable(path: Path, error: OSError) -> CouldNotRun:
    return CouldNotRun(f"{path} cannot be written: {error.strerror}.")
