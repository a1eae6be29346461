"""`sekkei tasks`: tasks out of other programs' files."""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path

from sekkei.commands import OK, CouldNotRun

SUMMARY = "Team tasks: take in a board that Trello or Vikunja exported."

EXAMPLES = """\
examples:
  sekkei tasks import board.json --team TEAM --as aoi@example.com --dry-run    what would be added, and what not
  sekkei tasks import export.zip --team TEAM --as aoi@example.com              add it; the same file again adds nothing

TEAM is what stands in the address of its board: /tasks/teams/TEAM. On a page: Settings, Import from Trello or Vikunja.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", required=True, metavar="import")
    taking = what.add_parser("import", help="a board's JSON out of Trello, or an export of Vikunja")
    taking.add_argument("file", metavar="FILE")
    taking.add_argument("--team", required=True, help="the team's id, as in the address of its board")
    taking.add_argument(
        "--as", dest="who", required=True, metavar="MAIL", help="a member, who is said to have added it"
    )
    taking.add_argument("--dry-run", action="store_true", help="say what would be added; write nothing")
    taking.add_argument("--data", metavar="DIR", help="folder of the data (default: ./data, or SEKKEI_DATA)")
    taking.add_argument("--store", default=os.environ.get("SEKKEI_STORE", ""), help="default: the data folder's")
    taking.add_argument("--env", default=os.environ.get("SEKKEI_ENV", "dev"), help="fills {env} in table names")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.design import SekkeiError
    from sekkei.errors import DynamoDBError, NotOurFile
    from sekkei.runtime.refusals import Refusal
    from sekkei.store import ConfigurationError, CredentialsError, NoAnswer

    try:
        return asyncio.run(_import(arguments, Path(arguments.file).read_bytes()))
    except DynamoDBError as error:
        raise CouldNotRun(f"the store refused: {error.code}: {error.message}") from error
    except Refusal as refusal:
        raise CouldNotRun(refusal.text("en")) from refusal
    except (OSError, SekkeiError, ConfigurationError, CredentialsError, NoAnswer, NotOurFile, ValueError) as error:
        raise CouldNotRun(str(error)) from error


async def _import(arguments: argparse.Namespace, content: bytes) -> int:
    from sekkei.clock import SYSTEM as CLOCK
    from sekkei.commands.startup import open_to_look, store_named
    from sekkei.runtime.deployment import assemble
    from sekkei.runtime.settings import from_environment
    from sekkei_systems.tasks.rules.imports import read
    from sekkei_systems.tasks.system import SYSTEM

    board = read(content)
    store = open_to_look(store_named(arguments.store, arguments.data), write=True)
    settings = from_environment(data=arguments.data, env=arguments.env)
    try:
        deployment = assemble([SYSTEM], store, settings, CLOCK)
        service = deployment.systems["tasks"].parts.service
        user = await service.people.by_email(arguments.who)
        if user is None:
            raise CouldNotRun(f"nobody has the address {arguments.who}.")
        member = await service.access.member(user.user_id, arguments.team)
        _show(await service.imports.preview(member, board))
        if not arguments.dry_run:
            print(f"{await service.imports.take_in(member, board)} tasks were added.")
        return OK
    finally:
        await store.close()


def _show(preview: object) -> None:
    from sekkei_systems.tasks.service.imports import Preview
    from sekkei_systems.tasks.texts import say

    assert isinstance(preview, Preview)
    print(f"{preview.program}: {preview.name}")
    print(f"  {len(preview.new)} tasks to add, {preview.there} were added before")
    for found in preview.new:
        print(f"  {found.draft.status.value:5}  {found.draft.title}")
    if preview.new_tags:
        print(f"  tags to add: {', '.join(preview.new_tags)}")
    for why, count in preview.left.items():
        print(f"  left out: {say('en', f'import.left.{why}', n=count)}")
