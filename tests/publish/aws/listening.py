"""What deployed functions ask of AWS, heard on the way: each has an ear of its own between itself and the cloud."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from sekkei.publish.aws import calls

SERVICES = ("DYNAMODB", "SESV2")
DENIED = re.compile(rb"not authorized to perform: (\S+) ")
NOT_PASSED_ON = ("content-length", "transfer-encoding", "connection", "x-amz-crc32")


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
        self.given: frozenset[Asked] = frozenset()
        """What functions may do, while somebody holds permissions back."""

    def change(self, template: dict[str, Any]) -> None:
        """Let every function of a stack speak to its own ear."""
        for name, resource in template["Resources"].items():
            if resource["Type"] == "AWS::Lambda::Function":
                address = self.addresses[name.removesuffix("Function").lower()]
                variables = resource["Properties"]["Environment"]["Variables"]
                variables |= {f"AWS_ENDPOINT_URL_{service}": address for service in SERVICES}

    def note(self, asked: list[Asked], given: frozenset[Asked], answer: bytes) -> bytes:
        """The answer; one that refuses names the resource too, as DynamoDB does and Ministack does not.

        What is missing is the first that was not given when it was asked: IAM goes through them in this order."""
        self.heard.update(asked)
        denied = DENIED.search(answer)
        missing = next((each for each in asked if denied and each not in given), None)
        if denied is None or missing is None:
            return answer
        assert missing.action == denied[1].decode(), f"{missing} was not given, but {denied[1]!r} refused"
        self.refused.append(missing)
        return answer.replace(denied[0], b"%b on resource: %b " % (denied[0].strip(), missing.resource.encode()))


def end(arn: str) -> str:
    """Of an ARN, as permissions name a resource here."""
    return arn.partition(":table/")[2] or arn


def _asked(function: str, headers: Mapping[str, str], body: bytes) -> Iterator[Asked]:
    target = headers.get("X-Amz-Target", "")
    if not target:
        yield Asked(function, "ses:SendEmail", "*")
        return
    for table, index, action in calls.asked(target.partition(".")[2], json.loads(body)):
        yield Asked(function, f"dynamodb:{action}", f"{table}/index/{index}" if index else table)


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
            asked, given = list(_asked(function, self.headers, body)), ears.given
            cloud = http.client.HTTPConnection("127.0.0.1", cloud_port, timeout=60)
            cloud.request("POST", self.path, body, dict(self.headers))
            answer = cloud.getresponse()
            content = ears.note(asked, given, answer.read())
            cloud.close()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in NOT_PASSED_ON:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(ConnectionError):  # a function that was answered late enough is gone
                self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    return Ear
