"""`sekkei snapshot`: named moments of a store, to go back to."""

from __future__ import annotations

import argparse
from pathlib import Path

from sekkei.commands import FINDINGS, OK, STORE_FILE, CouldNotRun

EXAMPLES = """\
examples:
  sekkei snapshot take before-the-demo       keep ./data as it is now, also while it is in use
  sekkei snapshot list
  sekkei snapshot restore before-the-demo    go back; stop the programs that use the store first
  sekkei snapshot drop before-the-demo

Snapshots lie in the folder `snapshots` beside the store. They are for development and tests; `sekkei backup` makes
copies to keep elsewhere.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("take", "list", "restore", "drop"))
    parser.add_argument("name", nargs="?", help="letters, digits, _, - and .")
    parser.add_argument("--data", type=Path, default=Path("data"), help="the data folder, or the store's file")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.testing.stores import Snapshots

    store: Path = arguments.data if arguments.data.suffix == ".db" else arguments.data / STORE_FILE
    snapshots = Snapshots(store.parent / "snapshots")
    if arguments.what == "list":
        print("\n".join(snapshots.names()) or "There are no snapshots.")
        return OK
    if arguments.name is None:
        raise CouldNotRun(f"sekkei snapshot {arguments.what} needs a name.")
    try:
        path = snapshots.path(arguments.name)
    except ValueError as error:
        raise CouldNotRun(str(error)) from error
    if arguments.what != "take" and not path.exists():
        known = ", ".join(snapshots.names()) or "none"
        raise CouldNotRun(f"There is no snapshot {arguments.name!r}. There are: {known}.")
    return {"take": _take, "restore": _restore, "drop": _drop}[arguments.what](store, path)


def _take(store: Path, snapshot: Path) -> int:
    return _copied(store, snapshot, f"{snapshot.stem}: taken, {{size:,}} bytes.", only_sound=False)


def _restore(store: Path, snapshot: Path) -> int:
    return _copied(snapshot, store, f"{store}: as it was at {snapshot.stem}.", only_sound=True)


def _copied(source: Path, target: Path, told: str, *, only_sound: bool) -> int:
    from sekkei.commands.backup import copy

    findings = copy(source, target, overwrite=True, only_sound=only_sound)
    if findings:
        print("\n".join(findings))
        return FINDINGS
    print(told.format(size=target.stat().st_size))
    return OK


def _drop(store: Path, snapshot: Path) -> int:
    snapshot.unlink()
    print(f"{snapshot.stem}: dropped.")
    return OK
