"""Other implementations of DynamoDB: installed under `.peers/` at a pinned version, started on a free port.

Each is installed by the tool of its own language and left out, with the reason, where that tool or the network is
missing. The tests that hold answers up against a peer use this module too.
"""

from __future__ import annotations

import fcntl
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / ".peers"
INSTALL_SECONDS = 1800
START_SECONDS = 30

HEADERS: Mapping[str, str] = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date;x-amz-target, Signature=" + "0" * 64,
}
"""Signed in form only: no peer verifies, and ours does not either unless it is given keys."""


class Unavailable(Exception):
    """The peer cannot be had on this machine; the text says why."""


@dataclass(frozen=True)
class Peer:
    name: str
    version: str
    executable: str
    """Under its own folder in `.peers/`; there when the peer is installed."""
    install: Callable[[Path], None]
    arguments: Callable[[int, Path], list[str]]
    """Of the command, given a port and an empty folder for data."""
    environ: Callable[[int], dict[str, str]] = field(default=lambda port: {})
    variant: str = ""
    """How it is run, where there is more than one way."""

    @property
    def title(self) -> str:
        return " ".join(filter(None, (self.name, self.version, self.variant)))

    @property
    def home(self) -> Path:
        return PEERS / f"{self.name}-{self.version}"

    @property
    def command(self) -> Path:
        return self.home / self.executable

    @property
    def installed(self) -> bool:
        return (self.home / ".ready").exists()

    def ensure(self) -> None:
        """Install it if need be, or say why not. Only one process at a time does so."""
        PEERS.mkdir(exist_ok=True)
        with (PEERS / f".{self.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self.installed:
                self._install()

    def _install(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir(parents=True)
        try:
            self.install(self.home)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as error:
            raise Unavailable(f"{self.name} {self.version} is skipped: {_reason(error)}") from error
        (self.home / ".ready").touch()

    @contextmanager
    def serve(self, folder: Path) -> Iterator[int]:
        """Run it until the block ends; the port that it listens on."""
        self.ensure()
        port = free_port()
        command = [str(self.command), *self.arguments(port, folder)]
        with running(command, port, {**os.environ, **self.environ(port)}, folder / "server.log"):
            yield port


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def running(command: list[str], port: int, environ: Mapping[str, str], log: Path) -> Iterator[None]:
    """A server in a process of its own, from its first answer to the end of the block."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=dict(environ), stdout=output, stderr=output, cwd=log.parent)
        try:
            _await_answer(process, port, log)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _await_answer(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Unavailable(f"{process.args!r} ended at once: {log.read_text(errors='replace')[-500:]}")
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("POST", "/", "{}", {**HEADERS, "X-Amz-Target": "DynamoDB_20120810.ListTables"})
            if connection.getresponse().status < 500:
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise Unavailable(f"{process.args!r} did not answer within {START_SECONDS} s")


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{error.filename} is not on this machine"
    if isinstance(error, subprocess.CalledProcessError):
        lines = (error.stderr or b"").decode(errors="replace").strip().splitlines() or [str(error)]
        return f"{Path(error.cmd[0]).name} could not install it ({lines[-1][:200]})"
    return str(error)


def _run(*command: str | Path) -> None:
    subprocess.run([str(part) for part in command], check=True, capture_output=True, timeout=INSTALL_SECONDS)


def _python(home: Path, *requirements: str | Path) -> None:
    _run(sys.executable, "-m", "venv", home)
    _run(home / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements)


MINISTACK = Peer(
    "ministack",
    "1.5.33",
    "bin/ministack",
    install=lambda home: _python(
        home, "--only-binary", ":all:", "--require-hashes", "-r", ROOT / "requirements/ministack.txt"
    ),
    arguments=lambda port, folder: [],
    environ=lambda port: {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "SERVICES": "dynamodb,dynamodbstreams",
        "LOG_LEVEL": "ERROR",
        "PERSIST_STATE": "0",
    },
)
MOTO = Peer(
    "moto",
    "5.2.5",
    "bin/moto_server",
    install=lambda home: _python(home, "moto[dynamodb,server]==5.2.5"),
    arguments=lambda port, folder: ["-H", "127.0.0.1", "-p", str(port)],
)
DYNALITE = Peer(
    "dynalite",
    "4.0.0",
    "node_modules/.bin/dynalite",
    install=lambda home: _run("npm", "install", "--prefix", home, "--no-audit", "--no-fund", "dynalite@4.0.0"),
    arguments=lambda port, folder: ["--port", str(port), *_dynalite_delays()],
)
DYNOXIDE = Peer(
    "dynoxide",
    "3.2.0",
    "bin/dynoxide",
    install=lambda home: _run("cargo", "install", "dynoxide-rs", "--version", "3.2.0", "--locked", "--root", home),
    arguments=lambda port, folder: ["serve", "--port", str(port), "--log", "quiet"],
)
DYNALITE_ON_DISK = replace(
    DYNALITE,
    variant="on disk",
    arguments=lambda port, folder: ["--port", str(port), "--path", str(folder / "data"), *_dynalite_delays()],
)
DYNOXIDE_ON_DISK = replace(
    DYNOXIDE,
    variant="on disk",
    arguments=lambda port, folder: [
        *("serve", "--port", str(port), "--log", "quiet"),
        *("--db-path", str(folder / "data.db")),
    ],
)
ALL = (DYNALITE, DYNALITE_ON_DISK, MOTO, MINISTACK, DYNOXIDE, DYNOXIDE_ON_DISK)
"""In memory unless they say otherwise. On disk, dynalite does not wait for the disk (no fsync)."""


def main() -> None:
    """`python -m bench.peers`: install all that can be had here."""
    for peer in ALL:
        try:
            peer.ensure()
        except Unavailable as error:
            print(error)
        else:
            print(f"{peer.title} is in {peer.home.relative_to(ROOT)}")


def _dynalite_delays() -> list[str]:
    return [part for name in ("create", "update", "delete") for part in (f"--{name}TableMs", "0")]


if __name__ == "__main__":
    main()
