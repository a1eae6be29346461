"""Each fault in the texts of a package is a sentence."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from sekkei.texts.checks import missing_texts

ROOT = Path(__file__).parents[2]
SYSTEMS = sorted(path.parent.parent.name for path in ROOT.glob("systems/sekkei_systems/*/texts/ja.toml"))
PACKAGES = ["sekkei.publish", "sekkei.runtime", "tests.web.example", *(f"sekkei_systems.{name}" for name in SYSTEMS)]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_text_is_there_in_both_languages_and_used(package: str) -> None:
    assert missing_texts(package, users=["sekkei_fakes", "sekkei_lessons_migration"]) == []


def test_the_shell_has_what_it_and_the_systems_say() -> None:
    assert missing_texts("sekkei.web", users=["sekkei_systems"]) == []


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


@pytest.mark.parametrize(
    ("folder", "line", "unknown"),
    [
        ("", 'words("titel")', ["titel"]),
        ("", 'self.words("titel", n=1)', ["titel"]),
        ("", 'words("state.neww" if new else "state.oldd")', ["state.neww", "state.oldd"]),
        ("", 'key = "state.neww" if new else "state.old"', ["state.neww"]),
        ("", 'HEADS = {"a": (1, "state.oldd")}', ["state.oldd"]),
        ("", 'text = f"state.{value}"; say(language, f"state.{value}.about")', []),
        ("", 'open("state.json"); connect("state.example"); words("state." + value)', []),
        ("design", 'EVENT = "state.changed"', []),
    ],
)
def test_a_key_without_a_text_is_noticed_wherever_it_is_written(
    package: str, folder: str, line: str, unknown: list[str]
) -> None:
    file = Path(import_module(package).__file__ or "").parent / folder / "more.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(line)
    noticed = [sentence for sentence in missing_texts(package) if "more.py" in sentence]
    assert noticed == [f"{key}: used in more.py but not defined" for key in unknown]
