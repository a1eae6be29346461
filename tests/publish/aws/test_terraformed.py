"""Deployed by Terraform, where it and its AWS provider are at hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from sekkei.commands.described import described
from sekkei.publish.aws import terraform_system
from tests.publish.aws import walks
from tests.publish.aws.deployed import KEYS, REGION, Cloud, Stack, Visitor, package
from tests.publish.aws.test_deployed import differences, ministack

__all__ = ["ministack"]
pytestmark = [pytest.mark.torture, pytest.mark.timeout(900)]
NOT_THERE = ("aws_cloudwatch_metric_alarm", "aws_cloudwatch_dashboard")
"""What the provider asks in a protocol that Ministack does not speak."""


def test_terraform_deploys_it(ministack: Cloud, tmp_path: Path) -> None:
    if shutil.which("terraform") is None:
        pytest.skip("install Terraform to deploy with it")
    _write(tmp_path)
    environ = {
        **os.environ,
        "AWS_ENDPOINT_URL": ministack.url,
        "AWS_ACCESS_KEY_ID": KEYS["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": KEYS["aws_secret_access_key"],
    }
    _run(tmp_path, environ, "init", "-input=false")
    if "terraform init" in _run(tmp_path, environ, "validate").stderr:
        pytest.skip("Terraform's AWS provider cannot be had here")
    applied = _run(tmp_path, environ, "apply", "-auto-approve", "-input=false")
    assert applied.returncode == 0, applied.stderr
    assert _run(tmp_path, environ, "plan", "-detailed-exitcode", "-input=false").returncode == 0, (
        "nothing is left to do"
    )
    assert differences(ministack, "tasks") == []
    outputs = json.loads(_run(tmp_path, environ, "output", "-json").stdout)
    person = Visitor(Stack(ministack, "tasks", {"Console": outputs["console"]["value"]}))
    person.sign_up(walks.operator("tasks", 0))
    assert person.get("/account").status_code == 200


def _write(folder: Path) -> None:
    system = described("tasks")
    assert system is not None
    made = terraform_system.configuration(system, "prod")
    made["resource"] = {kind: named for kind, named in made["resource"].items() if kind not in NOT_THERE}
    made["provider"] = {"aws": {"region": REGION}}
    given = {
        "package": str(package("tasks", folder)),
        "architecture": "x86_64",
        "secret": "s" * 32,
        "mail_from": "studio@example.com",
        "ses_region": REGION,
    }
    (folder / "main.tf.json").write_text(json.dumps(made))
    (folder / "terraform.tfvars.json").write_text(json.dumps(given))


def _run(folder: Path, environ: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = ["terraform", *words, "-no-color"]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)
