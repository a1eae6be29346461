"""The package of a function: our code, the system, and the wheels it needs for the function's platform, as one zip.

Only what a function imports: no server, no embedded engine, no event loop of its own; compiled beforehand where an
interpreter of the function's version is at hand. The same input gives the same bytes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution, entry_points, version
from importlib.util import find_spec
from pathlib import Path

PYTHON = "3.12"
_MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}
_GLIBCS = ("manylinux2014", "manylinux_2_17", "manylinux_2_26", "manylinux_2_28", "manylinux_2_34")
"""Lambda's Python 3.12 runs on Amazon Linux 2023, which has glibc 2.34."""
LEFT_OUT = frozenset({"apsw", "uvicorn", "uvloop", "sekkei", "sekkei-systems", "boto3", "botocore"})
"""A function has Amazon's store and is called by Lambda; it needs none of these."""
PLACE = "/var/task"
"""Where Lambda unpacks it."""
MOMENT = (1980, 1, 1, 0, 0, 0)


class CannotBuild(RuntimeError):
    """The package could not be made; the text says why."""


def wheels(roots: Iterable[str]) -> list[str]:
    """`name==version` of everything that these distributions need, as installed here, in the order of their names."""
    waiting, found = list(roots), dict[str, str]()
    while waiting:
        name, _, extra = waiting.pop().partition("[")
        if name in found or name in LEFT_OUT - {"sekkei", "sekkei-systems"}:
            continue
        try:
            found[name] = version(name)
            waiting += _needs(name, extra.rstrip("]"))
        except PackageNotFoundError:
            continue  # of another platform
    return [f"{name}=={found[name]}" for name in sorted(found) if name not in LEFT_OUT]


def _needs(name: str, extra: str) -> list[str]:
    needed = []
    for text in distribution(name).requires or []:
        requirement, _, marker = text.partition(";")
        if "extra ==" in marker and (not extra or f'"{extra}"' not in marker.replace("'", '"')):
            continue
        if "win32" in marker and "!=" not in marker:
            continue
        bare = requirement.strip()
        for sign in "<>=!~ (":
            bare = bare.partition(sign)[0]
        needed.append(bare.lower().replace("_", "-"))
    return needed


def build(system: str, out: Path, architecture: str, python: str = PYTHON) -> Path:
    """Write `out`, the zip; raises CannotBuild."""
    requirements = wheels(["sekkei[web]", "sekkei-systems"])
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        _install(requirements, target, _MACHINES[architecture], python)
        _describe(target, system)
        for name, path in [*_own("sekkei", ()), *_own("sekkei_systems", _others(system))]:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / name)
        _compile(target, python)
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(path for path in target.rglob("*") if path.is_file()):
                entry = zipfile.ZipInfo(path.relative_to(target).as_posix(), MOMENT)
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(entry, path.read_bytes())
    return out


def interpreter(python: str = PYTHON) -> str | None:
    """One of that version on this machine: it can compile what functions import."""
    if python == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return sys.executable
    found = shutil.which(f"python{python}")
    if found is None:
        return None
    runs = subprocess.run([found, "-c", "import compileall"], capture_output=True, check=False)
    return found if runs.returncode == 0 else None


def _compile(target: Path, python: str) -> None:
    """Functions cannot keep bytecode where they run, and would compile everything again at each cold start."""
    found = interpreter(python)
    if found is None:
        return
    command = [found, "-I", "-m", "compileall", "-qq", "--invalidation-mode", "unchecked-hash"]
    command += ["-s", str(target), "-p", PLACE, str(target)]
    subprocess.run(command, capture_output=True, check=False)  # what does not compile is no module that runs


def _describe(target: Path, system: str) -> None:
    """What `importlib.metadata` finds a system by, this one alone."""
    folder = target / f"sekkei_systems-{version('sekkei-systems')}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: sekkei-systems\nVersion: {version('sekkei-systems')}\n"
    )
    points = [point for point in entry_points(group="sekkei.systems") if point.name == system]
    lines = ["[sekkei.systems]", *(f"{point.name} = {point.value}" for point in points), ""]
    (folder / "entry_points.txt").write_text("\n".join(lines))


def _install(requirements: list[str], target: Path, machine: str, python: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--target", str(target), "--python-version", python]
    command += [word for glibc in _GLIBCS for word in ("--platform", f"{glibc}_{machine}")]
    command += ["--implementation", "cp", "--only-binary", ":all:", "--no-compile", *requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"pip could not get wheels for {machine}: {done.stderr.strip().splitlines()[-1]}")


def _own(package: str, without: tuple[str, ...]) -> list[tuple[str, Path]]:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise CannotBuild(f"{package} is not installed here.")
    folder = Path(spec.origin).parent
    found = _files(folder, folder.parent)
    return [
        (name, path) for name, path in found if not name.startswith(tuple(f"{package}/{each}/" for each in without))
    ]


def _others(system: str) -> tuple[str, ...]:
    spec = find_spec("sekkei_systems")
    assert spec is not None
    assert spec.origin is not None
    folders = (path.name for path in Path(spec.origin).parent.iterdir() if path.is_dir())
    return tuple(sorted(name for name in folders if name != system and not name.startswith(system)))


def _files(folder: Path, root: Path) -> list[tuple[str, Path]]:
    return [
        (path.relative_to(root).as_posix(), path)
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    ]
