"""A package as Lambda gets it: its size for both architectures, and what the first request costs a fresh function.

The zip is unpacked into an empty folder and imported by a bare interpreter that sees nothing else and may write
nothing, as on Lambda; the store is our engine over HTTP. Processor time, of one core.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from statistics import median

from bench.idle import served
from bench.markdown import table
from sekkei.design import provisioning
from sekkei.design.loading import load
from sekkei.publish.aws.package import CannotBuild, build
from sekkei.store import open_store

SYSTEMS = os.environ.get("SEKKEI_BENCH_SHIP_SYSTEMS", "chiipochi,eventbot,lessons,q,tasks").split(",")
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
REPEATS = int(os.environ.get("SEKKEI_BENCH_SHIP_REPEATS", "5"))
FIRST_REQUEST = """
import json, sys, time
sys.path[:] = [sys.argv[1], *(each for each in sys.path if "site-packages" not in each)]
bare = time.process_time()
from sekkei.web import on_lambda
imported = time.process_time()
event = {
    "version": "2.0", "rawPath": sys.argv[2], "rawQueryString": "", "headers": {"host": "shop.example.com"},
    "requestContext": {"http": {"method": "GET", "path": sys.argv[2], "sourceIp": "192.0.2.1"}},
}
answers = []
for _ in range(2):
    answer = on_lambda.http(event, None)
    answers.append(time.process_time())
print(json.dumps([answer["statusCode"], bare, imported - bare, answers[0] - imported, answers[1] - answers[0]]))
"""


def run() -> None:
    try:
        rows = asyncio.run(_rows())
    except CannotBuild as reason:
        print(reason)
        return
    head = [
        "system",
        "arm64",
        "x86_64",
        "import",
        "first answer",
        "cold in all",
        "next answer",
        "without bytecode, cold in all",
    ]
    print(table(head, rows))


async def _rows() -> list[list[str]]:
    async with served() as url:
        return [await _row(system, url) for system in SYSTEMS]


async def _row(system: str, url: str) -> list[str]:
    store = open_store(url)
    for name in (system, "sekkei.runtime", "sekkei.web.identity"):
        await provisioning.create(store, load(name), "bench")
    await store.close()
    with tempfile.TemporaryDirectory() as folder:
        sizes = [build(system, Path(folder, f"{arch}.zip"), arch).stat().st_size for arch in ("arm64", "x86_64")]
        unpacked = Path(folder, "task")
        zipfile.ZipFile(build(system, Path(folder, "here.zip"), _machine(), HERE)).extractall(unpacked)
        bare, imported, first, following = await asyncio.to_thread(_cold, system, unpacked, url)
        for compiled in unpacked.rglob("*.pyc"):
            compiled.unlink()
        without = await asyncio.to_thread(_cold, system, unpacked, url)
    shown = [f"{size / 1e6:.1f} MB" for size in sizes]
    seconds = [imported, first, bare + imported + first, following, sum(without[:3])]
    return [system, *shown, *(f"{each:.2f} s" for each in seconds)]


def _machine() -> str:
    return {"aarch64": "arm64", "arm64": "arm64"}.get(os.uname().machine, "x86_64")


def _cold(system: str, unpacked: Path, url: str) -> list[float]:
    """Processor seconds of the bare interpreter, the import, the first answer and the next one: medians."""
    given = {
        "SEKKEI_STORE": url,
        "SEKKEI_ENV": "bench",
        "SEKKEI_SYSTEMS": system,
        "SEKKEI_SECRET": "a secret of the benchmark",
        "SEKKEI_PUBLIC_URL": "https://shop.example.com",
        "SEKKEI_ALLOW_LOCAL": "mail,line,payments,discord",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [getattr(sys, "_base_executable", sys.executable), "-S", "-s", "-c", FIRST_REQUEST]
    command += [str(unpacked), f"/{system}/"]
    found = []
    for _ in range(REPEATS):
        done = subprocess.run(command, env=given, capture_output=True, text=True, cwd=unpacked, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
        status, *seconds = json.loads(done.stdout.splitlines()[-1])
        assert status < 400, status
        found.append(seconds)
    return [median(each) for each in zip(*found, strict=True)]
