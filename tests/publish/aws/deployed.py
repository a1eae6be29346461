"""A system deployed by its own template and package to Ministack, which here asks IAM for every call (AUTH=true)."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import boto3
import requests
from botocore.config import Config

from bench import peers
from sekkei.commands.described import described
from sekkei.publish.aws.package import build
from sekkei.publish.aws.system import template

REGION = "us-east-1"
KEYS = {"aws_access_key_id": "owner", "aws_secret_access_key": "secret-of-the-owner"}
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
"""Ministack runs functions with the interpreter it runs on, whatever their runtime is called."""
SETTLE_SECONDS = 240.0
LEAST_ASKED = 8
MOST_PAGES = 40
LONG_AGO = "2020-01-01T00:00:00.000Z"
OF_A_TRY = ("attempts", "last_error", "lease_by", "lease_until")
"""What a schedule remembers of one that failed or was left in the middle."""
PATIENCE_SECONDS = 300
"""For one answer: a function starts cold, on a machine that has other things to do."""

PEER = replace(
    peers.MINISTACK,
    environ=lambda port: {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "MINISTACK_HOST": "localhost",
        "MINISTACK_REGION": REGION,
        "AUTH": "true",
        "AWS_ACCESS_KEY_ID": KEYS["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": KEYS["aws_secret_access_key"],
        "LOG_LEVEL": "ERROR",
        "PERSIST_STATE": "0",
    },
)


@dataclass
class Cloud:
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, service: str) -> Any:
        config = Config(
            s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}, read_timeout=PATIENCE_SECONDS
        )
        return boto3.client(service, endpoint_url=self.url, region_name=REGION, config=config, **KEYS)

    def mails(self) -> list[dict[str, Any]]:
        answer = requests.get(f"{self.url}/_ministack/ses/messages", timeout=10)
        by_account: dict[str, list[dict[str, Any]]] = answer.json()["messages"]
        return [mail for mails in by_account.values() for mail in mails]


@contextmanager
def cloud(folder: Path) -> Iterator[Cloud]:
    with PEER.serve(folder) as port:
        made = Cloud(port)
        made.client("s3").create_bucket(Bucket="code")
        made.client("sesv2").create_email_identity(EmailIdentity="studio@example.com")
        yield made


def package(system: str, folder: Path) -> Path:
    return build(system, folder / f"{system}.zip", "x86_64", PYTHON)


Attempt = Callable[[str, Callable[[], Any]], Any]


@dataclass
class Stack:
    cloud: Cloud
    name: str
    outputs: Mapping[str, str]
    attempt: Attempt = lambda function, ask: ask()
    """Asks a function for something; whoever takes permissions away asks again with one more of them."""

    @property
    def host(self) -> str:
        return self.outputs["Console"].split("/")[2]

    def invoke(self, function: str, event: Any = None) -> Any:
        client, name = self.cloud.client("lambda"), f"{self.name}-{function}"
        answer = self.attempt(function, lambda: client.invoke(FunctionName=name, Payload=json.dumps(event or {})))
        content = json.loads(answer["Payload"].read() or "null")
        assert "FunctionError" not in answer, content
        return content

    def renew(self, function: str) -> None:
        """Let the function start cold: what it remembers from earlier calls is gone."""
        name = f"{self.name}-{function}"
        self.cloud.client("lambda").update_function_configuration(FunctionName=name, Description=str(time.time()))

    def rows(self, table: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.cloud.client("dynamodb").scan(TableName=table)["Items"]
        return found

    def waiting(self, kind: str) -> dict[str, dict[str, Any]]:
        """Rows of the runtime's table by what they are called: messages (OUTBOX), or what waits for its time."""
        found = ((row["PK"]["S"], row) for row in self.rows(f"{self.name}-sekkei-runtime"))
        return {unquote(key.removeprefix(f"{kind}#")): row for key, row in found if key.startswith(f"{kind}#")}

    def bring_forward(self, name: str) -> None:
        """Put a schedule back to a time that is over, so that the clock's next call sees to it."""
        kept = {key: value for key, value in self.waiting("SCHEDULE")[name].items() if key not in OF_A_TRY}
        row = {**kept, "due_at": {"S": LONG_AGO}}
        self.cloud.client("dynamodb").put_item(TableName=f"{self.name}-sekkei-runtime", Item=row)


def deploy(cloud: Cloud, system: str, zipped: Path, change: Any = None, **parameters: str) -> Stack:
    """Create the stack, or update the one that is there; `change` may alter the template first."""
    published = described(system)
    assert published is not None
    made = template(published, "prod")
    if change is not None:
        change(made)
    s3 = cloud.client("s3")
    s3.upload_file(str(zipped), "code", f"{system}.zip")
    s3.put_object(Bucket="code", Key=f"{system}.json", Body=json.dumps(made).encode())
    given = {"CodeBucket": "code", "CodeKey": f"{system}.zip", "Architecture": "x86_64", **parameters}
    request = {
        "StackName": system,
        "TemplateURL": f"{cloud.url}/code/{system}.json",
        "Parameters": [{"ParameterKey": key, "ParameterValue": value} for key, value in given.items()],
        "Capabilities": ["CAPABILITY_IAM"],
    }
    client = cloud.client("cloudformation")
    known = {stack["StackName"] for stack in client.describe_stacks()["Stacks"]}
    (client.update_stack if system in known else client.create_stack)(**request)
    stack = until(lambda: ended(client, system))
    assert stack["StackStatus"] in ("CREATE_COMPLETE", "UPDATE_COMPLETE"), stack
    return Stack(cloud, system, {one["OutputKey"]: one["OutputValue"] for one in stack.get("Outputs", [])})


def ended(client: Any, name: str) -> Any:
    stack = client.describe_stacks(StackName=name)["Stacks"][0]
    return None if stack["StackStatus"].endswith("IN_PROGRESS") else stack


def until(ask: Any) -> Any:
    """What `ask` finds, once it finds something; on a slow machine it is asked some times in any case."""
    deadline, asked = time.monotonic() + SETTLE_SECONDS, 0
    while time.monotonic() < deadline or asked < LEAST_ASKED:
        found = ask()
        if found:
            return found
        asked += 1
        time.sleep(0.5)
    raise AssertionError(f"nothing within {SETTLE_SECONDS:.0f} s")


class Visitor:
    """Somebody with a browser: cookies, and the token that forms carry."""

    def __init__(self, stack: Stack, number: int = 0) -> None:
        self._stack = stack
        self.number = number
        self.places: list[str] = []
        """Pages to look at, once they are there."""
        self._session = requests.Session()
        self.page = ""

    def get(self, path: str) -> requests.Response:
        return self._keep(self.ask("GET", path, {"Accept": "text/html"}))

    def post(self, path: str, **fields: str) -> requests.Response:
        headers = {"Accept": "text/html", "Origin": f"http://{self._stack.host}"}
        return self._keep(self.ask("POST", path, headers, data={"_csrf": self._token(), **fields}))

    def json(self, method: str, path: str, body: Any) -> Any:
        """Of an API, as its own pages call it."""
        answer = self.api(method, path, body)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def api(self, method: str, path: str, body: Any = None) -> requests.Response:
        """Whatever an API answers."""
        if not self._token():
            self.get("/account")
        headers = {"Origin": f"http://{self._stack.host}", "X-CSRF-Token": self._token()}
        return self.ask(method, path, headers, json=body)

    def send(self, path: str, body: bytes, headers: Mapping[str, str]) -> int:
        """As another program sends it, signed."""
        return self.ask("POST", path, {"Content-Type": "application/json", **headers}, data=body).status_code

    def ask(self, method: str, path: str, headers: Mapping[str, str], **more: Any) -> requests.Response:
        url, given = self._stack.cloud.url + path, {"Host": self._stack.host, **headers}
        more = {"headers": given, "timeout": PATIENCE_SECONDS, "allow_redirects": False, **more}
        answer: requests.Response = self._stack.attempt("http", lambda: self._session.request(method, url, **more))
        return answer

    def _token(self) -> str:
        token = re.search(r'name="csrf-token" content="([^"]+)"', self.page)
        return token.group(1) if token else ""

    def follow(self, answer: requests.Response) -> requests.Response:
        while answer.status_code in (302, 303):
            answer = self.get(answer.headers["Location"])
        return answer

    def look_round(self, path: str) -> None:
        """Open a page and whatever it leads to, one of each kind: ids and numbers do not tell kinds apart."""
        waiting, seen = [path], set[str]()
        while waiting and len(seen) < MOST_PAGES:
            path = unescape(waiting.pop(0)).partition("#")[0]
            kind = re.sub(r"[^/?&=]*[0-9%][^/?&=]*", "0", path)
            if kind in seen or "sign-out" in path or path.endswith("/"):
                continue
            seen.add(kind)
            answer = self.follow(self.get(path))
            assert answer.status_code != 500, path  # 502: the console, which may not look at tables, says so
            waiting += re.findall(r'<a [^>]*href="(/[^/"][^"]*)"', answer.text)

    def sign_up(self, email: str) -> None:
        self.get("/sign-up")
        with self._code(email):
            self.post("/sign-up", name="Hana", email=email, password="correct horse battery")

    def sign_in(self, email: str) -> None:
        self.get("/sign-in")
        with self._code(email):
            self.post("/sign-in/mail", email=email)

    @contextmanager
    def _code(self, email: str) -> Iterator[None]:
        """Asked for in the block, then found in the mail and typed in."""
        before = len(self._mails_to(email))
        yield
        self.get("/sign-in/code")
        mail = until(lambda: self._stack.invoke("work") or self._mails_to(email)[before:])
        code = re.search(r"\b(\d{6})\b", json.dumps(mail, ensure_ascii=False))
        assert code is not None, mail
        answer = self.post("/sign-in/code", code=code.group(1))
        assert answer.status_code == 303, answer.text
        self.page = ""

    def _mails_to(self, email: str) -> list[Any]:
        return [each for each in self._stack.cloud.mails() if each["To"] == [email]]

    def _keep(self, answer: requests.Response) -> requests.Response:
        self.page = answer.text if "html" in answer.headers.get("Content-Type", "") else self.page
        return answer
