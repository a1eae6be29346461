"""`sekkei world`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sekkei import cli, worlds
from sekkei.commands.world import EXAMPLES

CARELESS = """
from tests.worlds.bank import CarelessBank, script
WORLD = script(CarelessBank)

@WORLD.does("customer", weight=3)
async def thinks(me):
    return "thinks"
"""


@pytest.fixture
def careless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "careless_world.py").write_text(CARELESS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "careless_world"


def test_what_breaks_is_told_saved_and_run_again(
    careless: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "failed.json"
    assert cli.main(["world", careless, "--count", "6", "--save", str(saved)]) == 1
    said = capsys.readouterr().out
    assert "6 seeds" in said
    assert saved.exists()
    assert cli.main(["world", careless, "--replay", str(saved)]) == 1
    said = capsys.readouterr().out
    assert "customer-1" in said
    assert "digest" in said
    older = [{name: each[name] for name in ("seed", "skip", "broken")} for each in json.loads(saved.read_text())]
    saved.write_text(json.dumps(older))
    assert cli.main(["world", careless, "--replay", str(saved)]) in (0, 1)
    assert "digest" in capsys.readouterr().out


def _ran(monkeypatch: pytest.MonkeyPatch, ctrl_c_at: int | None = None) -> list[int]:
    """Which seeds are run; at one of them somebody presses Ctrl-C."""
    ran: list[int] = []
    sound = worlds.run

    def run(script: worlds.Script, seed: int) -> worlds.Outcome:
        ran.append(seed)
        if seed == ctrl_c_at:
            raise KeyboardInterrupt
        return sound(script, seed)

    monkeypatch.setattr(worlds, "run", run)
    return ran


def test_a_long_run_goes_on_where_it_stopped(
    careless: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = _ran(monkeypatch)
    notes = tmp_path / "careless.log"
    first = cli.main(["world", careless, "--count", "4", "--record", str(notes)])
    assert [json.loads(line)["seed"] for line in notes.read_text().splitlines()] == ran == [0, 1, 2, 3]
    capsys.readouterr()
    ran.clear()
    assert cli.main(["world", careless, "--count", "5", "--record", str(notes)]) == first == 1
    assert ran == [4]
    noted = [json.loads(line) for line in notes.read_text().splitlines()]
    broken = [each for each in noted if each["broken"]]
    said = capsys.readouterr().out
    assert f"with what was noted before: 5 seeds, {len(broken)} broken." in said
    told = [f"seed {each['seed']}: {each['broken']} (noted before)" for each in broken if each["seed"] < 4]
    assert [line for line in said.splitlines() if "noted before)" in line] == told


def test_what_was_found_is_kept_when_somebody_ends_the_run(
    careless: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = _ran(monkeypatch, ctrl_c_at=4)
    saved, notes = tmp_path / "failed.json", tmp_path / "careless.log"
    arguments = ["world", careless, "--count", "9", "--save", str(saved), "--record", str(notes)]
    assert cli.main(arguments) == 130
    said = capsys.readouterr().out
    assert "interrupted after 4 seeds" in said
    found = json.loads(saved.read_text())
    assert found
    assert f"{len(found)} broken." in said
    assert [json.loads(line)["seed"] for line in notes.read_text().splitlines()] == ran[:-1] == [0, 1, 2, 3]
    monkeypatch.undo()
    monkeypatch.syspath_prepend(str(tmp_path))
    found[0]["luck"] = 7  # as if it had been made shorter
    saved.write_text(json.dumps(found))
    assert cli.main([*arguments[:3], "5", *arguments[4:]]) == 1
    assert json.loads(saved.read_text())[: len(found)] == found


def test_what_was_found_before_a_crash_is_kept(careless: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note that was cut off is no seed; what follows it is whole again."""
    notes, saved = tmp_path / "careless.log", tmp_path / "failed.json"
    arguments = ["world", careless, "--record", str(notes), "--save", str(saved), "--count"]
    cli.main([*arguments, "3"])
    kept = notes.read_bytes()
    saved.unlink()
    notes.write_bytes(kept[:-20])
    ran = _ran(monkeypatch)
    cli.main([*arguments, "3"])
    assert ran == [2]
    assert notes.read_bytes() == kept
    broken = [each["seed"] for line in kept.splitlines() if (each := json.loads(line))["broken"]]
    assert [each["seed"] for each in json.loads(saved.read_text())] == broken


@pytest.mark.parametrize("option", ["--save", "--record"])
def test_where_to_write_is_tried_first(
    careless: str, option: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = _ran(monkeypatch)
    assert cli.main(["world", careless, "--count", "2", option, "/nosuch/f.json"]) == 2
    assert "/nosuch/f.json cannot be written" in capsys.readouterr().err
    assert ran == []


def test_what_nobody_did_is_named_after_many_seeds(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = _bank(shop, "@WORLD.does('customer')\nasync def finds_nothing_to_do(me): ...")
    monkeypatch.setattr("sekkei.commands.world.MANY", 3)
    assert cli.main(["world", name, "--count", "2"]) == 0
    assert "nobody" not in capsys.readouterr().out
    assert cli.main(["world", name, "--count", "3"]) == 0
    assert "nobody came to do: finds_nothing_to_do.\n" in capsys.readouterr().out


def test_where_nothing_broke_nothing_is_written(shop: Path) -> None:
    assert cli.main(["world", "kiosk", "--count", "1", "--save", "failed.json"]) == 0
    assert not Path("failed.json").exists()


def test_each_story_says_of_which_seed_it_is(careless: str, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["world", careless, "--count", "3", "--trace"])
    said = capsys.readouterr().out
    assert re.findall(r"^seed (\d+): ", said, re.MULTILINE) == ["0", "1", "2"]
    assert said.count("digest") == 3
    assert cli.main(["world", careless, "--count", "4", "--trace", "--shrink"]) == 1
    lines = capsys.readouterr().out.splitlines()
    begun = [line for line in lines if not line.startswith(" ")]
    shortest = next(each for each in begun if "shortest story found" in each)
    assert re.fullmatch(r"seed \d, shortest story found, \d operations: no\w+: .+", shortest)
    assert sum("digest" in each for each in lines) == sum(each.startswith("seed") for each in begun)


@pytest.mark.parametrize(
    "beside",
    [
        ["--seed", "0"],
        ["--count", "2"],
        ["--trace"],
        ["--shrink"],
        *([f"--{name}", "a"] for name in ("focus", "save", "record")),
    ],
)
def test_a_replay_takes_no_other_options(careless: str, beside: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["world", careless, "--replay", "failed.json", *beside]) == 2
    assert f"it takes no {beside[0]}" in capsys.readouterr().err


def test_what_is_named_twice_is_done_twice_as_often(careless: str, monkeypatch: pytest.MonkeyPatch) -> None:
    weights: list[dict[str, float]] = []
    sound = worlds.run

    def run(script: worlds.Script, seed: int) -> worlds.Outcome:
        weights.append({each.name: each.weight for each in script.operations})
        return sound(script, seed)

    monkeypatch.setattr(worlds, "run", run)
    for focus in ("moves_money", " thinks , moves_money,thinks"):
        assert cli.main(["world", careless, "--seed", "0", "--focus", focus]) in (0, 1)
    assert weights == [{"moves_money": 1.0}, {"moves_money": 1.0, "thinks": 6}]
    assert cli.main(["world", careless, "--focus", "moves_money,"]) == 2


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of one's own, with a package in it, that is on no path."""
    package, before = tmp_path / "kiosk", set(sys.modules)
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "bank.py").write_text("from tests.worlds.bank import Bank, script\n")
    (package / "world.py").write_text("from kiosk.bank import Bank, script\nWORLD = OTHER = script(Bank)\n")
    (tmp_path / "alone.py").write_text("from kiosk.world import WORLD\n")
    for name, text in WRONG.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


WRONG = {
    "wrong_import": "import not_installed_anywhere\n",
    "wrong_syntax": "WORLD = (\n",
    "raises": "1 / 0\n",
    "ends": "import sys; sys.exit(3)\n",
    "no_world": "WORLD = 3\n",
}


@pytest.mark.parametrize(
    "name", ["kiosk.world:OTHER", "kiosk.world", "kiosk", "kiosk/world.py", "kiosk/world.py:OTHER", "alone.py", "alone"]
)
def test_a_world_of_the_current_folder_is_found(shop: Path, name: str) -> None:
    assert cli.main(["world", name, "--count", "1"]) == 0


def test_a_world_in_a_file_elsewhere_is_found(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert cli.main(["world", str(shop / "kiosk/world.py"), "--count", "1"]) == 0


def test_a_name_is_looked_for_in_tests_worlds_of_the_current_folder(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "worlds"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()  # the checkout under test has a package `tests` too
    shutil.copy(Path(__file__).parents[2] / "examples" / "worlds" / "tickets.py", folder / "shop.py")
    command = [sys.executable, "-m", "sekkei", "world", "shop", "--count", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((name, "has no world") for name in ("", ":X", ".", ".a", "a..b", "..", "no_world", "no_world.py", "no.py")),
        ("kiosk.world:NONE", "has no world"),
        ("wrong_import", "No module named 'not_installed_anywhere'"),
        ("wrong_syntax", "SyntaxError"),
        ("raises.py", "ZeroDivisionError: division by zero ("),
        ("raises", "raises.py:1)"),
        ("ends", "ends the program when it is imported"),
    ],
)
def test_a_name_that_is_wrong_is_told(shop: Path, name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["world", name, "--count", "1"]) == 2
    assert said in capsys.readouterr().err


def _bank(folder: Path, more: str) -> str:
    """The sound bank in a file of the current folder, and one more line or more."""
    lines = ["from tests.worlds.bank import Bank, script", "WORLD = script(Bank)", more]
    (folder / "mistaken.py").write_text("\n".join(lines))
    return "mistaken.py"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("@WORLD.does('custmer')\nasync def looks(me): ...", "looks is done by custmer, and no such role"),
        ("WORLD.roles.clear()", "no such role is declared: there is none"),
        ("WORLD.operations.clear()", "nobody does anything in it"),
        ("@WORLD.always\nasync def ours(world): ...", "ours is called and not awaited"),
        ("@WORLD.finally_\nasync def ours(world): ...", "ours is called and not awaited"),
        ("@WORLD.finally_\ndef ours(world): yield", "ours is called and not awaited"),
        ("@WORLD.always_in('acounts')\ndef ours(world): ...", "ours looks at the table acounts, which is in no design"),
        ("@WORLD.does('customer', weight=0)\nasync def looks(me): ...", "looks has the weight 0"),
        ("@WORLD.role(0)\nasync def clerk(me): ...", "there is no clerk"),
        ("WORLD.processes = 0", "it needs a process"),
    ],
)
def test_a_world_in_which_nothing_happens_is_refused(
    shop: Path, more: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["world", _bank(shop, more), "--count", "1"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("@WORLD.always\ndef ours(world): {}['a']", "ours: its own code failed: KeyError: 'a' (mistaken.py:4)"),
        ("@WORLD.finally_\ndef ours(world): {}['a']", "ours: its own code failed: KeyError: 'a' (mistaken.py:4)"),
        ("@WORLD.always\ndef ours(world):\n  world.items('acounts')", "ours: its own code failed: ResourceNotFound"),
        (
            "@WORLD.always\ndef ours(world):\n  world.decoded('acounts')",
            "no design of this world has a table 'acounts'",
        ),
        ("@WORLD.does('customer', 9)\nasync def ours(me): {}['a']", "ours: its own code failed: KeyError: 'a'"),
        ("@WORLD.does('customer', 9)\ndef ours(me): return 'x'", "ours: its own code failed: TypeError"),
        ("@WORLD.role(1)\nasync def ours(me): {}['a']", "ours: its own code failed: KeyError: 'a' (mistaken.py:4)"),
        ("@WORLD.lives\nasync def ours(world): {}['a']", "ours: its own code failed: KeyError: 'a' (mistaken.py:4)"),
        ("@WORLD.prepares\ndef ours(world): {}['a']", "ours: its own code failed: KeyError: 'a' (mistaken.py:4)"),
    ],
)
def test_an_error_of_the_worlds_own_is_told_as_one(
    shop: Path, more: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends a seed, and not the whole run."""
    saved, noted = shop / "failed.json", ["--count", "2", "--record", "noted.log"]
    assert cli.main(["world", _bank(shop, more), *noted, "--save", str(saved)]) == 2
    told = capsys.readouterr()
    assert f"seed 0: {said}" in told.out or f"seed 0: ours: its own code failed: LookupError: {said}" in told.out
    assert "2 seeds" in told.out
    assert "world's own code failed: mend it first" in told.err
    assert cli.main(["world", "mistaken.py", "--replay", str(saved)]) == 2
    assert cli.main(["world", "mistaken.py", *noted]) == 2


def test_notes_that_are_none_are_left_alone(careless: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes = tmp_path / "diary.txt"
    notes.write_text("Dear diary,\n")
    assert cli.main(["world", careless, "--count", "1", "--record", str(notes)]) == 2
    assert "has no notes of seeds" in capsys.readouterr().err
    assert notes.read_text() == "Dear diary,\n"


def test_a_story_is_told_again_in_the_world_it_is_of(
    careless: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, digest = tmp_path / "failed.json", re.compile(r"digest \w+")
    arguments = ["--focus", "moves_money", "--count", "3", "--trace", "--save", str(saved)]
    assert cli.main(["world", careless, *arguments]) == 1
    told = digest.findall(capsys.readouterr().out)
    assert cli.main(["world", careless, "--replay", str(saved)]) == 1
    again = digest.findall(capsys.readouterr().out)
    assert again
    assert set(again) <= set(told)
    assert cli.main(["world", "tasks", "--replay", str(saved)]) == 2
    assert "one of bank, not of tasks" in capsys.readouterr().err


def test_notes_of_other_runs_are_told_apart(careless: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes = tmp_path / "careless.log"
    cli.main(["world", careless, "--count", "1", "--record", str(notes)])
    kept = notes.read_text()
    capsys.readouterr()
    for arguments in (["tasks"], [careless, "--focus", "moves_money"]):
        assert cli.main(["world", *arguments, "--count", "1", "--record", str(notes)]) == 2
        assert "has notes of bank. Give another file." in capsys.readouterr().err
    assert notes.read_text() == kept
    older = [{name: each for name, each in json.loads(line).items() if name != "world"} for line in kept.splitlines()]
    notes.write_text("".join(json.dumps(each) + "\n" for each in older))
    assert cli.main(["world", careless, "--count", "1", "--record", str(notes)]) in (0, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "has no world"),
        (["careless_world", "--count", "0"], "--count"),
        (["careless_world", "--focus", "sleeps"], "Nobody does sleeps"),
        (["careless_world", "--replay", "no-such-file"], "is no file of failed seeds"),
        (["careless_world", "--replay", "wrong.json"], "is no file of failed seeds"),
    ],
)
def test_mistakes(
    careless: str,
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.json").write_text('[{"seed": 1, "skip": [], "moments": 3, "broken": ""}]')
    assert cli.main(["world", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_the_operations_of_the_examples_are_there() -> None:
    from tests.worlds.tasks import WORLD

    (named,) = re.findall(r"sekkei world tasks --focus (\S+)", EXAMPLES)
    assert set(named.split(",")) <= {each.name for each in WORLD.operations}
