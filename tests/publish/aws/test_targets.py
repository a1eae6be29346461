"""One system in the words of several tools: the same functions, tables, streams and clock in each."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sekkei.cli import main
from sekkei.commands.described import described
from sekkei.publish.aws import sam, terraform_system
from sekkei.publish.aws.parts import Published
from sekkei.publish.aws.system import template
from tests.publish.aws import provider

SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")


@pytest.fixture(scope="module", params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> Published:
    found = described(request.param)
    assert found is not None
    return found


def of_type(content: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: each["Properties"] for key, each in content["Resources"].items() if each["Type"] == name}


def test_sam_has_every_function_with_what_calls_it(system: Published) -> None:
    stack, made = template(system, "prod"), sam.template(system, "prod")
    functions = of_type(made, "AWS::Serverless::Function")
    assert functions.keys() == of_type(stack, "AWS::Lambda::Function").keys()
    called = {name: event["Type"] for each in functions.values() for name, event in each.get("Events", {}).items()}
    streams = of_type(stack, "AWS::Lambda::EventSourceMapping")
    assert called == {**dict.fromkeys(streams, "DynamoDB"), "Clock": "ScheduleV2"}
    for name, function in functions.items():
        assert function["CodeUri"] == "package.zip"
        assert function["Environment"] == stack["Resources"][name]["Properties"]["Environment"]
    assert "CodeBucket" not in json.dumps(made)


@pytest.mark.timeout(600)
def test_sam_translated_is_the_stack(system: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By SAM's own translator, where it is at hand: the source alone hides cycles, which cfn-lint finds."""
    pytest.importorskip("samtranslator", reason="install aws-sam-translator to translate the templates")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    from samtranslator.translator.transform import transform

    made = sam.template(system, "prod")
    for resource in of_type(made, "AWS::Serverless::Function").values():
        resource["CodeUri"] = "s3://bucket/package.zip"

    class NoPolicies:
        def load(self) -> dict[str, str]:
            return {}

    translated = transform(made, {}, NoPolicies())
    stack = template(system, "prod")
    for kind in ("AWS::Lambda::Function", "AWS::DynamoDB::Table", "AWS::Lambda::EventSourceMapping", "AWS::IAM::Role"):
        assert len(of_type(translated, kind)) >= len(of_type(stack, kind))
    lint = shutil.which("cfn-lint")
    if lint is not None:
        path = tmp_path / "translated.template.json"
        path.write_text(json.dumps(translated))
        done = subprocess.run([lint, str(path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_terraform_speaks_of_nothing_that_is_not_there(system: Published) -> None:
    made = terraform_system.configuration(system, "prod")
    known = {f"{kind}.{name}" for kind, named in made["resource"].items() for name in named}
    known |= {f"var.{name}" for name in made["variable"]} | {"local.system", "local.base", "data.aws_region"}
    used = set(re.findall(r"\$\{(?:length\(|filebase64sha256\()?([a-z_0-9]+\.[a-z_0-9]+)", json.dumps(made)))
    assert used <= known, used - known
    assert len(made["resource"]["aws_dynamodb_table"]) == sum(len(design.tables) for design in system.designs)


def test_terraform_has_the_stacks_permissions(system: Published) -> None:
    stack, made = template(system, "prod"), terraform_system.configuration(system, "prod")
    for kind in ("Http", "Work", *(["Stream"] if system.streams else [])):
        (policy,) = stack["Resources"][f"{kind}Role"]["Properties"]["Policies"]
        wanted = [each["Action"] for each in policy["PolicyDocument"]["Statement"]]
        written = json.loads(made["resource"]["aws_iam_role_policy"][kind.lower()]["policy"])
        assert [each["Action"] for each in written["Statement"]] == wanted


def test_terraforms_provider_takes_every_argument(system: Published) -> None:
    """By the schema of its AWS provider, where a package that is made of it is at hand."""
    if provider.folder() is None:
        pytest.skip("install cdktf-cdktf-provider-aws to check the arguments of Terraform's resources")
    made = terraform_system.configuration(system, "prod")
    said = [
        each
        for kind, named in made["resource"].items()
        for content in named.values()
        for each in provider.problems(kind, content)
    ]
    assert said == []


def test_the_provider_refuses_what_it_does_not_know() -> None:
    if provider.folder() is None:
        pytest.skip("install cdktf-cdktf-provider-aws to check the arguments of Terraform's resources")
    queue = {"message_retention_seconds": "long", "colour": "red"}
    assert provider.problems("aws_sqs_queue", queue) == [
        "aws_sqs_queue: SqsQueueConfig takes no colour",
        "aws_sqs_queue: SqsQueueConfig.message_retention_seconds: 'long' is not (<class 'int'>, <class 'float'>)",
    ]
    table = {"name": "x", "global_secondary_index": [{"name": "i"}]}
    said = provider.problems("aws_dynamodb_table", table)
    assert any("GlobalSecondaryIndex needs hash_key" in each for each in said)
    assert provider.problems("aws_teapot", {}) == ["there is no resource aws_teapot"]


def test_no_secret_is_written_for_terraform(system: Published) -> None:
    made = terraform_system.configuration(system, "prod")
    for name in ("secret", *system.settings.secret):
        assert made["variable"][name]["sensitive"] is True
        assert not made["variable"][name].get("default")


def test_a_cdk_app_is_its_owners_after_the_first_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["publish", "tasks", "--to", "cdk", "--out", str(tmp_path)]
    assert main(command) == 0
    app = tmp_path / "app.py"
    compile(app.read_text(), "app.py", "exec")
    app.write_text("# mine\n")
    (tmp_path / "tasks.template.json").write_text("{}")
    assert main([*command, "--check"]) == 1
    assert main(command) == 0
    assert main([*command, "--check"]) == 0
    assert app.read_text() == "# mine\n"
    assert "as it is" in capsys.readouterr().out


@pytest.mark.timeout(600)
def test_cdk_synthesises_the_template_resource_by_resource(tmp_path: Path) -> None:
    pytest.importorskip("aws_cdk", reason="install aws-cdk-lib (and node) to synthesise the app")
    main(["publish", "tasks", "--to", "cdk", "--out", str(tmp_path)])
    import os
    import sys

    environ = {**os.environ, "CDK_OUTDIR": str(tmp_path / "out")}
    subprocess.run([sys.executable, "app.py"], cwd=tmp_path, env=environ, check=True, capture_output=True)
    written = json.loads((tmp_path / "tasks.template.json").read_text())["Resources"]
    made = json.loads((tmp_path / "out/tasks.template.json").read_text())["Resources"]
    assert {name: made[name] for name in written} == written


def test_a_design_alone_has_nothing_for_sam(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "sekkei.runtime", "--to", "sam"]) == 2
    assert "--to cloudformation" in capsys.readouterr().err


def test_addresses_for_providers_are_outputs() -> None:
    found = described("chiipochi")
    assert found is not None
    outputs = template(found, "prod")["Outputs"]
    assert outputs["Webhook"]["Value"]["Fn::Sub"][0] == "${Base}/chiipochi/webhook"
    assert outputs["WebhookPaymentsProvider"]["Value"]["Fn::Sub"][0].endswith("/chiipochi/payments/{provider}")
    quiet = described("q")
    assert quiet is not None
    assert not [name for name in template(quiet, "prod")["Outputs"] if name.startswith("Webhook")]


def test_a_domain_of_ones_own_is_where_everybody_comes(system: Published) -> None:
    """Links, cookies and what providers call: all of it by the same name, in every target."""
    made = template(system, "prod")
    named = {"Fn::Sub": "https://${Domain}"}
    for function in of_type(made, "AWS::Lambda::Function").values():
        assert function["Environment"]["Variables"]["SEKKEI_PUBLIC_URL"]["Fn::If"][:2] == ["HasDomain", named]
    for name, output in made["Outputs"].items():
        assert name == "DomainTarget" or output["Value"]["Fn::Sub"][1]["Base"]["Fn::If"][1] == named
    assert {made["Resources"][each]["Condition"] for each in ("ApiDomain", "ApiMapping")} == {"HasDomain"}
    assert sam.template(system, "prod")["Resources"]["ApiDomain"] == made["Resources"]["ApiDomain"]
    other = terraform_system.configuration(system, "prod")
    assert other["resource"]["aws_apigatewayv2_domain_name"]["api"]["count"] == '${var.domain == "" ? 0 : 1}'
    for function in other["resource"]["aws_lambda_function"].values():
        assert function["environment"]["variables"]["SEKKEI_PUBLIC_URL"] == "${local.base}"
    assert "api_endpoint" not in json.dumps(other["output"])


@pytest.mark.torture
@pytest.mark.timeout(600)
def test_terraform_reads_and_validates_it(system: Published, tmp_path: Path) -> None:
    """Its syntax wherever Terraform is at hand; every argument where its AWS provider is too."""
    terraform = shutil.which("terraform")
    if terraform is None:
        pytest.skip("install Terraform to validate the configurations")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(terraform), *words, "-no-color"], cwd=tmp_path, capture_output=True, text=True)

    (tmp_path / "main.tf.json").write_text(json.dumps(terraform_system.configuration(system, "prod")))
    (tmp_path / "package.zip").write_bytes(b"")
    read = subprocess.run([terraform, "providers"], cwd=tmp_path, capture_output=True, text=True)
    assert "provider[registry.terraform.io/hashicorp/aws]" in read.stdout, read.stderr
    run("init", "-backend=false", "-input=false")  # not needed where the provider is set by dev_overrides
    validated = run("validate")
    if "terraform init" in validated.stderr:
        pytest.skip("Terraform's AWS provider cannot be had here; its syntax is well")
    assert validated.returncode == 0, validated.stderr + validated.stdout
