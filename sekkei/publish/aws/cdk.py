"""A design or a system as an app of the AWS CDK, in Python: the published template, taken into a stack of yours.

`CfnInclude` keeps every logical name, so a stack that was deployed by CloudFormation goes on as it is; what you add in
`app.py` may use its resources (`stack.table("TaskTableV3Table")`). Publish writes the template again after a change of
the design, and leaves an `app.py` that is there alone.
"""

from __future__ import annotations

import json

_CDK_VERSION = ">=2.170,<3"

APP = '''"""The stack {name}. Yours to change: `sekkei publish` writes {template} again, and never this file."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk.cloudformation_include import CfnInclude


class Published(cdk.Stack):
    """Everything that the design says; add resources of your own below it."""

    def __init__(self, scope: cdk.App, name: str) -> None:
        super().__init__(scope, name)
        self.published = CfnInclude(self, "Published", template_file=str(Path(__file__).parent / "{template}"))

    def table(self, logical_name: str) -> dynamodb.CfnTable:
        """One of its tables, such as {table}."""
        return self.published.get_resource(logical_name)


app = cdk.App()
stack = Published(app, "{name}")
app.synth()
'''


def files(name: str, template_name: str, table: str) -> dict[str, str]:
    """What stands beside the template: how to start the app, what it needs, and the app itself."""
    start = {"app": "python3 app.py", "context": {"@aws-cdk/core:newStyleStackSynthesis": True}}
    return {
        "cdk.json": json.dumps(start, indent=2) + "\n",
        "requirements.txt": f"aws-cdk-lib{_CDK_VERSION}\n",
        "app.py": APP.format(name=name, template=template_name, table=table),
    }
