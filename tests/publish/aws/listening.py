"""What deployed functions ask of AWS, heard on the way: each has an ear of its own between itself and the cloud."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from sekkei.publish.aws import calls

SERVICES = ("DYNAMODB", "SESV2")


class Asked(NamedTuple):
    """One action on one resource, as a role allows it."""

    function: str
    action: str
    resource: str
    """The end of its ARN, from the table's name on; a star for what has none."""


class Ears:
    """What was asked, and what was refused since somebody last wanted to know."""

    def __init__(self) -> None:
        self.heard: set[Asked] = set()
        self.refused: list[Asked] = []
        self.addresses: dict[str, str] = {}

    def change(self, template: dict[str, Any]) -> None:
        """Let every function of a stack speak to its own ear."""
        for name, resource in template["Resources"].items():
            if resource["Type"] == "AWS::Lambda::Function":
                address = self.addresses[name.removesuffix("Function").lower()]
                variables = resource["Properties"]["Environment"]["Variables"]
                variables |= {f"AWS_ENDPOINT_URL_{service}": address for service in SERVICES}

    def note(self, function: str, headers: Mapping[str, str], body: bytes, answer: bytes) -> None:
        found = [Asked(function, action, resource) for action, resource in _asked(headers, body)]
        self.heard.update(found)
        if b"not authorized to perform" in answer:
            self.refused += found


def _asked(headers: Mapping[str, str], body: bytes) -> Iterator[tuple[str, str]]:
    target = headers.get("X-Amz-Target", "")
    if not target:
        yield "ses:SendEmail", "*"
        return
    for table, index, action in calls.asked(target.partition(".")[2], json.loads(body)):
        yield f"dynamodb:{action}", f"{table}/index/{index}" if index else table


class Quiet(ThreadingHTTPServer):
    """Functions are frozen, renewed and gone in the middle of a call: nothing to tell anybody."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing."""


@contextmanager
def listening(cloud_port: int, functions: Sequence[str] = ("http", "work", "stream")) -> Iterator[Ears]:
    ears, servers = Ears(), []
    for function in functions:
        server = Quiet(("127.0.0.1", 0), _handler(function, ears, cloud_port))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        ears.addresses[function] = f"http://127.0.0.1:{server.server_port}"
        servers.append(server)
    try:
        yield ears
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def _handler(function: str, ears: Ears, cloud_port: int) -> type[BaseHTTPRequestHandler]:
    class Ear(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            cloud = http.client.HTTPConnection("127.0.0.1", cloud_port, timeout=60)
            cloud.request("POST", self.path, body, dict(self.headers))
            answer = cloud.getresponse()
            content = answer.read()
            cloud.close()
            ears.note(function, self.headers, body, content)
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(ConnectionError):  # a function that was answered late enough is gone
                self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    return Ear
