"""What we ship stands on: a bill of materials and a list of licences, both made out of the lock.

python requirements/supply.py write      requirements/sbom.cdx.json and docs/licences.md
python requirements/supply.py check      fails when they are stale
python requirements/supply.py audit      pip-audit, where it can be had and an advisory source answers

The bill of materials (CycloneDX) goes into the wheel; `make renew WHAT=lock` renews both files.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

HERE = Path(__file__).parent
ROOT = HERE.parent
LOCK = HERE / "run.txt"
SBOM = HERE / "sbom.cdx.json"
LICENCES = ROOT / "docs" / "licences.md"
AUDIT_ENVIRONMENT = ROOT / ".audit-venv"
SOURCE = "https://api.osv.dev/v1/query"
_PACKAGE = re.compile(r"^([A-Za-z0-9][\w.-]*)==(\S+)(?: ; (.*?))? \\$")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def locked(text: str) -> dict[str, tuple[str, list[str]]]:
    """Version and hashes of every package of a lock, by name."""
    found: dict[str, tuple[str, list[str]]] = {}
    name = ""
    for line in text.splitlines():
        if match := _PACKAGE.match(line):
            name = match[1]
            found[name] = (match[2], [])
        elif (digest := _HASH.search(line)) and name:
            found[name][1].append(digest[1])
    return found


def licence_of(name: str) -> str:
    """As the package itself says: its SPDX expression, its classifiers, or the first line of the old field."""
    said = metadata.metadata(name)
    if expression := said.get("License-Expression"):
        return str(expression)
    classifiers = [
        one.rpartition(" :: ")[2] for one in said.get_all("Classifier") or [] if one.startswith("License :: ")
    ]
    named = [one for one in classifiers if one != "OSI Approved"]
    return " OR ".join(named) or (said.get("License") or "not stated").splitlines()[0]


def licences(names: list[str], before: dict[str, str]) -> dict[str, str]:
    """Of packages that are not installed on this machine, what was written down before."""
    found = {}
    for name in names:
        try:
            found[name] = licence_of(name)
        except metadata.PackageNotFoundError:
            found[name] = before.get(name, "not installed here")
    return found


def bill(packages: dict[str, tuple[str, list[str]]], known: dict[str, str]) -> str:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{name}@{number}",
            "name": name,
            "version": number,
            "purl": f"pkg:pypi/{name}@{number}",
            "licenses": [{"license": {"name": known[name]}}],
            "properties": [{"name": "sekkei:sha256", "value": digest} for digest in sorted(hashes)],
        }
        for name, (number, hashes) in sorted(packages.items())
    ]
    ours = {
        "type": "application",
        "name": "sekkei",
        "version": version,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    whole = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": ours},
        "components": components,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def listed(packages: dict[str, tuple[str, list[str]]], known: dict[str, str]) -> str:
    rows = [f"| {name} | {number} | {known[name]} |" for name, (number, _) in sorted(packages.items())]
    head = (
        "# Licences of what we stand on\n\nSekkei itself is under the Apache License 2.0. These packages are installed "
        "with it (`requirements/run.txt`);\n`make renew WHAT=lock` renews this list and the bill of materials in "
        "`requirements/sbom.cdx.json`, which the wheel carries.\n\n"
        "| package | version | licence, as the package states it |\n|---|---|---|\n"
    )
    return head + "\n".join(rows) + "\n"


def written() -> dict[Path, str]:
    packages = locked(LOCK.read_text())
    before = {}
    if SBOM.exists():
        for one in json.loads(SBOM.read_text())["components"]:
            before[one["name"]] = one["licenses"][0]["license"]["name"]
    known = licences(sorted(packages), before)
    return {SBOM: bill(packages, known), LICENCES: listed(packages, known)}


def write() -> None:
    for path, text in written().items():
        path.write_text(text)


def stale() -> list[str]:
    """Which of the files do not fit the lock; licences are the business of whoever renews it."""
    packages = locked(LOCK.read_text())
    billed = {
        one["name"]: (one["version"], [each["value"] for each in one["properties"]])
        for one in json.loads(SBOM.read_text())["components"]
    }
    expected = {name: (version, sorted(hashes)) for name, (version, hashes) in packages.items()}
    rows = set(re.findall(r"^\| (\S+) \| (\S+) \|", LICENCES.read_text(), re.MULTILINE)) - {("package", "version")}
    found = [] if billed == expected else [SBOM.name]
    return found if rows == {(name, one[0]) for name, one in packages.items()} else [*found, LICENCES.name]


def source_answers() -> bool:
    try:
        urlopen(Request(SOURCE, b"{}", {"Content-Type": "application/json"}), timeout=5).close()
    except HTTPError:
        return True  # it is there, and does not like the question
    except OSError:
        return False
    return True


def audit() -> int:
    if not source_answers():
        print("Known vulnerabilities are not looked up: no advisory source (osv.dev) can be reached from here.")
        return 0
    python = AUDIT_ENVIRONMENT / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(AUDIT_ENVIRONMENT)], check=True)
        installing = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pip-audit"]
        if subprocess.run(installing, check=False).returncode:
            print("Known vulnerabilities are not looked up: pip-audit could not be installed.")
            return 0
    options = ["--disable-pip", "--no-deps", "--vulnerability-service", "osv", "--progress-spinner", "off"]
    asked = [str(python), "-m", "pip_audit", *options, "-r", str(LOCK)]
    return subprocess.run(asked, check=False).returncode


def main(action: str) -> int:
    if action == "write":
        write()
    elif action == "audit":
        return audit()
    elif old := stale():
        print(f"{' and '.join(old)} do not fit the lock; `make renew WHAT=lock` renews them.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
