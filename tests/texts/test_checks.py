"""Whatever is wrong with a package's texts is said in a sentence, and its keys are known to mypy."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest
from mypy import api as mypy

from sekkei.texts.__main__ import keys_file
from sekkei.texts.checks import missing_texts

ROOT = Path(__file__).parents[2]
SYSTEMS = sorted(path.parent.parent.name for path in ROOT.glob("systems/sekkei_systems/*/texts/ja.toml"))
PACKAGES = ["sekkei.runtime", "tests.web.example", *(f"sekkei_systems.{name}" for name in SYSTEMS)]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_text_is_there_in_both_languages_and_used(package: str) -> None:
    assert missing_texts(package) == []


def test_the_shell_has_what_it_and_the_systems_say() -> None:
    assert missing_texts("sekkei.web", users=["sekkei_systems"]) == []


@pytest.mark.parametrize("package", ["sekkei.publish", "sekkei.web", *PACKAGES])
def test_the_keys_are_up_to_date(package: str) -> None:
    written = Path(import_module(f"{package}.texts.keys").__file__ or "").read_text("utf-8")
    assert written == keys_file(package), "run `make texts`"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "half_said"
    (folder / "texts").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "texts" / "ja.toml").write_text('here = "{a}"\nhalf = "x"\nidle = "x"\n[state]\nold = "x"\nnew = "x"\n')
    (folder / "texts" / "en.toml").write_text('here = "{b}"\nidle = "x"\n[state]\nold = "x"\nnew = "x"\n')
    (folder / "page.html").write_text('{{ t("here") }} {{ t("nowhere", n=1) }} {{ t("state." ~ x) }}')
    (folder / "code.py").write_text('t(request, "gone")\nt("half")\nRedirect("x:y").flash("lost", name=1)\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "half_said"
    sys.modules.pop("half_said", None)


def test_each_fault_is_a_sentence(package: str) -> None:
    assert missing_texts(package) == [
        "here: the languages fill in different values: ja ['a']; en ['b']",
        "half: no text in en",
        "nowhere: used in page.html but not defined",
        "gone: used in code.py but not defined",
        "lost: used in code.py but not defined",
        "idle: nothing uses it; delete it from texts/*.toml",
    ]


def test_mypy_refuses_a_key_without_a_text(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from sekkei.web.texts import say\n"
        'say("en", "shell.save")\nsay("en", "shell.sav")\nsay.here("shell.save")\nsay.here("nowhere", n=1)\n'
    )
    report, _, _ = mypy.run(["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path), str(program)])
    assert [line.split(":")[1] for line in report.splitlines() if ": error:" in line] == ["3", "5"]
