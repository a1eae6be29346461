"""`sekkei lessons migrate`, as somebody uses it in a shell."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from sekkei.cli import main
from sekkei.errors import ResourceNotFoundException
from sekkei.runtime.design import design as runtime_design
from sekkei.store import Embedded, Retries, open_store
from sekkei_lessons_migration.progress import Progress, line
from sekkei_lessons_migration.report import LISTED_MAX, Report, Tally
from sekkei_systems.lessons.design import design


class Shell:
    """The command on one store; what it printed last."""

    def __init__(self, store: str, capsys: pytest.CaptureFixture[str]) -> None:
        self._store = store
        self._capsys = capsys
        self.out = self.err = ""

    def __call__(self, *arguments: str) -> int:
        try:
            code = main(["lessons", "migrate", *arguments, "--store", self._store])
        except SystemExit as ended:
            code = int(ended.code or 0)
        self.out, self.err = self._capsys.readouterr()
        return code


@pytest.fixture(params=["file", "ministack"])
def shell(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    if request.param == "file":
        return Shell(str(tmp_path / "sekkei.db"), capsys)
    url = str(request.getfixturevalue("ministack_endpoint"))
    _empty(url)
    return Shell(url, capsys)


def _empty(url: str) -> None:
    """Other tests of this session may have left tables of these names."""

    async def drop() -> None:
        store = open_store(url)
        for one in (design, runtime_design):
            for name in [*(one.table_name(table, "dev") for table in one.tables.values()), "waitlistTable"]:
                with contextlib.suppress(ResourceNotFoundException):
                    await store.call("DeleteTable", {"TableName": name})
        await store.close()

    asyncio.run(drop())


def test_the_whole_move_from_a_shell(shell: Shell, tmp_path: Path) -> None:
    assert shell("sample", "--rows", "120") == 0
    assert "waitlistTable: 120 rows" in shell.out
    assert shell("status") == 0
    assert "no move has begun" in shell.out
    assert shell("plan", "--format", "json") == 0
    plan = json.loads(shell.out)
    assert (plan["stage"], plan["rows"], plan["drift"]) == ("plan", 120, 0)
    assert shell("verify") == 2
    assert "Run the copy to its end first" in shell.err
    report = tmp_path / "run.json"
    assert shell("run", "--report", str(report)) == 0
    assert f"{plan['written']:,}" in shell.out
    assert json.loads(report.read_text())["listed"]["unusable"][0]["reason"]
    assert shell("run") == 0
    assert shell.out.splitlines()[1].split() == ["written", "0"]
    assert shell("follow", "--once") == 0
    assert shell("cutover") == 2
    assert shell("verify") == 0
    assert shell("cutover") == 1
    assert "nobody could tell them" in shell.err
    assert shell("cutover", "--allow-silent") == 0
    assert "rollback leads back" in shell.err
    assert shell("rollback") == 0
    assert shell("run") == shell("verify") == shell("cutover", "--allow-silent") == shell("cutover", "--final") == 0
    assert "final" in shell.err
    assert shell("rollback") == 2
    assert "There is no way back" in shell.err
    backup = tmp_path / "old.jsonl"
    assert shell("retire", "--backup", str(backup)) == 0
    assert len(backup.read_text().splitlines()) == 120
    assert shell("plan") == 2
    assert "There is no table waitlistTable" in shell.err
    assert shell("status") == 0
    assert "waitlistTable: final" in shell.out


@pytest.fixture
def local(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(str(tmp_path / "sekkei.db"), capsys)


def test_drift_ends_with_1_and_says_where(local: Shell, tmp_path: Path) -> None:
    assert local("sample", "--rows", "30") == local("run") == 0
    _spoil(tmp_path / "sekkei.db")
    assert local("verify") == 1
    assert "drift" in local.out
    assert "missing in the new table" in local.out
    assert local("verify", "--format", "json") == 1
    assert json.loads(local.out)["listed"]["drift"][0]["what"] == "missing in the new table"


def _spoil(file: Path) -> None:
    async def spoil() -> None:
        store = Embedded(file)
        item = (await store.call("Scan", {"TableName": "user_lessons", "Limit": 1}))["Items"][0]
        await store.call(
            "DeleteItem", {"TableName": "user_lessons", "Key": {name: item[name] for name in ("PK", "SK")}}
        )
        await store.close()

    asyncio.run(spoil())


def test_a_store_that_is_not_there_is_not_made(local: Shell, tmp_path: Path) -> None:
    assert local("plan") == 2
    assert "There is no store" in local.err
    assert not (tmp_path / "sekkei.db").exists()


@pytest.mark.parametrize("store", ["README.md", "gopher://x", "http://127.0.0.1:9"])
def test_a_store_that_cannot_be_used_is_an_error_in_words(
    store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Retries, "delay", lambda self, failures, clock: 0.0)
    shell = Shell(store, capsys)
    assert shell("plan") == 2
    assert shell.err.startswith("sekkei: ")
    assert "Traceback" not in shell.err


def test_a_sample_is_put_into_no_table_that_is_there(local: Shell) -> None:
    assert local("sample", "--rows", "3") == 0
    assert local("sample", "--rows", "3") == 2
    assert "There is a table waitlistTable already" in local.err


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "No such file"), ("{", "it is not JSON"), ('{"usr": "u"}', 'did you mean "user"?')],
)
def test_a_mapping_that_cannot_be_used_changes_nothing(
    local: Shell, tmp_path: Path, content: str | None, said: str
) -> None:
    file = tmp_path / "old.json"
    if content is not None:
        file.write_text(content)
    assert local("sample", "--rows", "3") == 0
    assert local("run", "--mapping", str(file)) == 2
    assert said in local.err
    assert local("status") == 0
    assert "no move has begun" in local.out


def test_the_mapping_of_the_documentation_can_be_used(local: Shell, tmp_path: Path) -> None:
    text = Path("docs/lessons-migration.md").read_text()
    file = tmp_path / "old.json"
    file.write_text(text.split("```json\n", 1)[1].split("```", 1)[0])
    assert local("sample", "--rows", "50", "--mapping", str(file)) == 0
    assert local("run", "--mapping", str(file)) == 0


@pytest.mark.parametrize("rows", ["0", "-1", "x", "99999999999"])
def test_a_number_of_rows_that_is_none_is_refused(local: Shell, rows: str) -> None:
    assert local("sample", "--rows", rows) == 2
    assert "no number of rows" in local.err


def test_an_old_table_without_a_stream_says_what_to_do(local: Shell, tmp_path: Path) -> None:
    async def turn_off() -> None:
        store = Embedded(tmp_path / "sekkei.db")
        request = {"TableName": "waitlistTable", "StreamSpecification": {"StreamEnabled": False}}
        await store.call("UpdateTable", request)
        await store.close()

    assert local("sample", "--rows", "5") == local("run") == 0
    asyncio.run(turn_off())
    assert local("follow", "--once") == 2
    assert "has no stream" in local.err
    assert local("follow", "--once", "--enable-stream") == 0
    assert local("follow", "--once") == 0


def test_a_backup_file_that_is_there_is_not_touched(local: Shell, tmp_path: Path) -> None:
    for stage in (
        ["sample", "--rows", "5"],
        ["run"],
        ["verify"],
        ["cutover", "--allow-silent"],
        ["cutover", "--final"],
    ):
        assert local(*stage) == 0
    backup = tmp_path / "old.jsonl"
    backup.write_text("mine")
    assert local("retire", "--backup", str(backup)) == 2
    assert backup.read_text() == "mine"
    assert local("retire", "--backup", str(tmp_path / "no" / "folder.jsonl")) == 2
    assert "waitlistTable stays" in local.err
    assert local("retire", "--backup", str(tmp_path / "other.jsonl")) == 0


@pytest.mark.parametrize("stage", ["plan", "run", "verify", "cutover", "rollback", "follow", "retire", "sample"])
def test_help_has_examples(local: Shell, stage: str) -> None:
    assert local(stage, "--help") == 0
    assert "sekkei lessons migrate verify" in local.out
    assert "Exit code: 0 well, 1 the tables differ, 2 could not run" in local.out


# Progress


def test_progress_says_how_fast_and_how_long_still() -> None:
    assert line(12_000, 50_000, 10_000, 2.0) == "12,000 of about 50,000 rows, 5,000 a second, 8 s left"
    assert line(60_000, 50_000, 10_000, 2.0) == "60,000 rows, 5,000 a second"
    assert line(0, 0, 0, 0.0) == "0 of about 0 rows"


def test_progress_is_quiet_in_a_pipe() -> None:
    out = io.StringIO()
    progress = Progress(out)
    progress(5, 10)
    progress.close()
    assert out.getvalue() == ""


def test_progress_is_shown_on_a_terminal(local: Shell, tmp_path: Path) -> None:
    assert local("sample", "--rows", "600") == 0
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "sekkei.cli", "lessons", "migrate", "run", "--store", str(tmp_path / "sekkei.db")]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=slave, check=True)
    os.close(slave)
    shown = os.read(master, 100_000).decode()
    os.close(master)
    assert "of about 600 rows" in shown
    assert b"of about" not in ended.stdout


# Reports


def test_a_report_counts_what_it_no_longer_lists() -> None:
    tally = Tally()
    for number in range(LISTED_MAX + 5):
        tally.add(place=str(number))
    report = Report("verify", "t", drift=tally)
    assert (len(tally), len(tally.listed)) == (LISTED_MAX + 5, LISTED_MAX)
    assert report.as_json()["drift"] == LISTED_MAX + 5
    assert any("more; --report FILE lists them" in text for text in report.lines())


def test_a_report_goes_on_counting_after_a_run_was_cut_off() -> None:
    first = Report("run", "t", rows=5, written=3)
    first.unusable.add(reason="x")
    second = Report("run", "t")
    second.resume(first.counts())
    second.take(Report("run", "t", rows=2, written=1))
    assert {name: number for name, number in second.counts().items() if number} == {
        "rows": 7,
        "written": 4,
        "unusable": 1,
    }
