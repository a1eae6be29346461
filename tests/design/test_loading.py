"""A design is found by name; one that cannot be imported says why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sekkei.design import DesignError
from sekkei.design.loading import find, load

FILES = {
    "wrong_name.py": "import not_installed_anywhere\n",
    "wrong_syntax.py": "design = (\n",
    "wrong_design.py": "from sekkei.design import Design\ndesign = Design('x', tables='same')\n",
    "raises.py": "1 / 0\n",
    "shop/__init__.py": "import not_installed_either\n",
    "shop/design.py": "",
    "empty.py": "",
    "inside/kiosk.py": "from sekkei.design import Design\ndesign = Design('kiosk', tables='kiosk-{table}')\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("wrong_name", r"SK160: wrong_name could not be loaded: ModuleNotFoundError: .*not_installed_anywhere.*:1\)"),
        ("wrong_syntax", r"SK160: wrong_syntax .*SyntaxError.*wrong_syntax.py"),
        ("wrong_design", r"SK138"),
        ("raises", r"SK160: raises .*ZeroDivisionError.*raises.py:1\)"),
        ("shop", r"SK160: shop.* could not be loaded: ModuleNotFoundError: .*not_installed_either"),
        ("empty", r"SK148"),
        ("nowhere", r"SK148"),
        ("nowhere.at.all:x", r"SK148"),
        ("not a name", r"SK148"),
        ("nowhere.py:design", r"SK148: 'nowhere.py:design' names no design: there is no such file\.$"),
        ("raise.py", r"SK148: 'raise.py' names no design: there is no such file\. Did you mean raises.py\?"),
        ("empty.py", r"SK148"),
        ("raises.py:design", r"SK160: raises.py .*ZeroDivisionError.*raises.py:1\)"),
    ],
)
def test_what_is_wrong_is_told_and_the_command_exits_with_2(folder: Path, name: str, told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sekkei.cli", "docs", name], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    import re

    assert re.search(told, done.stderr), done.stderr


@pytest.mark.parametrize("name", ["q", "sekkei_systems.q", "sekkei_systems.q.design", "sekkei_systems.q.design:design"])
def test_one_design_has_several_names(name: str) -> None:
    assert load(name).name == "q"


@pytest.mark.parametrize("name", ["sekkei.runtime", "sekkei.web"])
def test_the_floors_have_designs_too(name: str) -> None:
    assert load(name).tables


def test_a_system_is_found_by_its_entry_point() -> None:
    assert load("tasks").name == "tasks"
    assert load("tasks") is load("sekkei_systems.tasks.design:design")


def test_the_error_keeps_its_cause(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(DesignError, match="SK160") as refused:
        load("raises")
    assert isinstance(refused.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("name", ["kiosk.py", "kiosk.py:design"])
def test_a_design_is_found_by_its_file(folder: Path, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sekkei.cli", "patterns", f"inside/{name}"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["json", "pytest", "statistics"])
def test_a_file_named_like_another_module_is_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    file = tmp_path / f"{name}.py"
    file.write_text("from sekkei.design import Design\ndesign = Design('own')\n")
    before = sys.modules.get(name)
    found, home = find(str(file))
    assert (found.name, home) == ("own", file)
    assert sys.modules.get(name) is before
    assert find(str(file))[0] is found


def test_two_files_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "twice_named.py").write_text(
            f"from sekkei.design import Design\ndesign = Design('{folder}')\n"
        )
    names = [find(str(tmp_path / folder / "twice_named.py"))[0].name for folder in ("first", "second")]
    assert names == ["first", "second"]
