"""What we stand on: the bill of materials and the licences fit the lock, and the wheel carries the bill."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = re.compile(r"MIT|BSD|Apache|ISC|PSF|MPL|Mozilla|Zlib|any-OSI|HPND")


@pytest.fixture(scope="module")
def supply() -> ModuleType:
    spec = importlib.util.spec_from_file_location("supply", ROOT / "requirements" / "supply.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_stale_bill_is_noticed(supply: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "run.txt"
    lock.write_text(supply.LOCK.read_text().replace("anyio==", "anyio==9"))
    monkeypatch.setattr(supply, "LOCK", lock)
    assert supply.stale() == ["sbom.cdx.json", "licences.md"]


def test_every_licence_lets_us_ship(supply: ModuleType) -> None:
    components = json.loads(supply.SBOM.read_text())["components"]
    named = {one["name"]: one["licenses"][0]["license"]["name"] for one in components}
    assert {name: licence for name, licence in named.items() if not ALLOWED.search(licence)} == {}


def test_without_an_advisory_source_it_says_so(
    supply: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(supply, "SOURCE", "http://127.0.0.1:9/")
    assert supply.main("audit") == 0
    assert "no advisory source" in capsys.readouterr().out


def test_the_wheel_carries_the_bill(tmp_path: Path) -> None:
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=100
    )
    with zipfile.ZipFile(tmp_path / done.stdout.split()[-1]) as wheel:
        assert [name for name in wheel.namelist() if name.endswith(".dist-info/sboms/sbom.cdx.json")] != []
