"""`sekkei q`: what the clock does, by hand; administrators; a backup of all tables before a release."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
from typing import TYPE_CHECKING, Any

from sekkei.commands import FINDINGS, OK, CouldNotRun

if TYPE_CHECKING:
    from sekkei.runtime.deployment import Deployment, Opened

SUMMARY = "Q.: run its jobs by hand, name administrators, back all tables up."

EXAMPLES = """\
examples:
  sekkei q plan                          today's and tomorrow's question, where there is none
  sekkei q publish                       publish today's question, if its minute has come
  sekkei q work                          everything that is due: jobs, pushes, withdrawals
  sekkei q reuse                         questions asked more than 30 days ago may be asked again
  sekkei q reconcile                     compare counters with edges; exits with 1 when some differ
  sekkei q withdraw USER                 finish a withdrawal whose week is over
  sekkei q admin aoi@example.com         make somebody an administrator (--remove: no longer)
  sekkei q push-keys                     a new key for pushes to browsers, as settings
  sekkei q backup before-release-12      an on-demand backup of every table

settings: SEKKEI_STORE, SEKKEI_ENV, SEKKEI_Q_PUBLISH_WINDOW (default 08:00-22:00), SEKKEI_EXPO_URL, SEKKEI_EXPO_TOKEN,
SEKKEI_VAPID_PRIVATE_KEY and SEKKEI_VAPID_SUBJECT (pushes to browsers), SEKKEI_PUSH_HOSTS (further push services),
SEKKEI_Q_FLAGGED (hide: posts with a forbidden word wait for a look; show: they are seen meanwhile),
SEKKEI_Q_ANSWER_FIRST (on: today's answers of others open with one's own; off: they are open to all)
"""

_BACKUP_NAME = re.compile(r"[A-Za-z0-9_.-]{3,200}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", choices=("plan", "publish", "work", "reuse", "reconcile", "withdraw", "admin", "push-keys", "backup")
    )
    parser.add_argument("name", nargs="?", help="a user, a mail address or a backup's name")
    parser.add_argument("--remove", action="store_true", help="with admin: take the role away")
    parser.add_argument("--data", metavar="DIR", help="folder of the data (default: ./data, or SEKKEI_DATA)")
    parser.add_argument("--store", default=os.environ.get("SEKKEI_STORE", ""), help="default: the data folder's")
    parser.add_argument("--env", default=os.environ.get("SEKKEI_ENV", "dev"), help="fills {env} in table names")


def run(arguments: argparse.Namespace) -> int:
    from sekkei.design import SekkeiError
    from sekkei.errors import DynamoDBError
    from sekkei.runtime.refusals import Refusal
    from sekkei.store import ConfigurationError, CredentialsError, NoAnswer

    if arguments.what == "push-keys":
        return _push_keys()
    if arguments.what in ("withdraw", "admin", "backup") and not arguments.name:
        raise CouldNotRun(f"`sekkei q {arguments.what}` needs a name; see --help.")
    try:
        return asyncio.run(_run(arguments))
    except DynamoDBError as error:
        raise CouldNotRun(f"the store refused: {error.code}: {error.message}") from error
    except (SekkeiError, ConfigurationError, CredentialsError, NoAnswer, Refusal, ValueError) as error:
        raise CouldNotRun(str(error)) from error


def _push_keys() -> int:
    """Nothing is kept: the key goes where the operator keeps settings."""
    from sekkei.runtime.transports.web_push import make_key

    print(f"export SEKKEI_VAPID_PRIVATE_KEY={make_key()}")
    print("export SEKKEI_VAPID_SUBJECT=mailto:you@example.com   # how push services reach you")
    return OK


async def _run(arguments: argparse.Namespace) -> int:
    from sekkei.clock import SYSTEM as CLOCK
    from sekkei.commands.startup import open_to_look, store_named
    from sekkei.runtime.deployment import assemble
    from sekkei.runtime.http import Http
    from sekkei.runtime.settings import from_environment
    from sekkei.runtime.transports import configured
    from sekkei.web.identity.design import design as web_design
    from sekkei_systems.q.system import SYSTEM

    store = open_to_look(store_named(arguments.store, arguments.data), write=True)
    settings = from_environment(data=arguments.data, env=arguments.env)
    try:
        deployment = assemble([SYSTEM], store, settings, CLOCK, transports=configured(settings, CLOCK, Http()))
        await deployment.make_tables(web_design)
        return await _do(deployment, deployment.systems["q"], arguments)
    finally:
        await store.close()


async def _do(deployment: Deployment, opened: Opened, arguments: argparse.Namespace) -> int:
    if arguments.what == "work":
        await deployment.worker.run_until_idle()
        return OK
    if arguments.what == "backup":
        return await _backup(opened, arguments.name)
    if arguments.what == "admin":
        return await _admin(opened, arguments.name, not arguments.remove)
    if arguments.what == "withdraw":
        return await _withdraw(opened, arguments.name)
    if arguments.what == "reconcile":
        return await _reconcile(opened)
    if arguments.what == "reuse":
        return await _reuse(opened)
    await opened.parts.scheduled[arguments.what]({})
    return await _show_days(opened)


async def _show_days(opened: Opened) -> int:
    from sekkei_systems import days

    today = days.today(opened.context.clock)
    for day, row in await opened.parts.service.planning.calendar(today, 2):
        if row is None:
            print(f"{day} no question")
        else:
            state = "published" if row.published_at else "planned"
            print(f"{day} {row.scheduled_publish_time:%H:%M} {state}: {row.question_text}")
    return OK


async def _reuse(opened: Opened) -> int:
    freed, cursor = 0, None
    while True:
        count, cursor = await opened.parts.service.planning.reuse(cursor)
        freed += count
        if cursor is None:
            print(f"{freed} questions may be asked again.")
            return OK


async def _reconcile(opened: Opened) -> int:
    from sekkei.runtime.wiring import Wiring
    from sekkei_systems.q.design import all_users
    from sekkei_systems.q.jobs.counters import Counters

    counters = Wiring.of(opened.context).build(Counters)
    wrong: list[dict[str, Any]] = []
    count = 0
    async for user in opened.context.db.each(all_users()):
        count += 1
        drift = await counters.drift(user)
        if drift is not None:
            wrong.append(drift)
            print(
                f"{user.user_id}: following {drift['said_following']}, really {drift['following']}; "
                f"followers {drift['said_follower']}, really {drift['follower']}"
            )
    print(f"{count} users, {len(wrong)} with counters that differ. The nightly job mends what still differs later.")
    return FINDINGS if wrong else OK


async def _withdraw(opened: Opened, user_id: str) -> int:
    from sekkei_systems.q.design.tables import users

    context = opened.context
    found = await context.db.get(users(user_id).consistent())
    if found is None or found.deleting_at is None:
        raise CouldNotRun(f"{user_id} does not leave.")
    await opened.parts.scheduled["begin-withdrawal"]({"user_id": user_id})
    id = f"withdraw/{user_id}/{int(found.deleting_at.timestamp())}"
    if await context.jobs.get(id) is None:
        raise CouldNotRun(f"{user_id} may still change their mind: asked to leave at {found.deleting_at}.")
    run = await context.jobs.run_to_end(opened.parts.jobs, id)
    print(f"{user_id}: done, {run.done} items.")
    return OK


async def _admin(opened: Opened, email: str, is_admin: bool) -> int:
    from sekkei_systems.q.design.models import User
    from sekkei_systems.q.design.tables import unique_email, users
    from sekkei_systems.q.service.people import free_name, keep_name

    db = opened.context.db
    found = await db.holder(unique_email, User.email == email.strip().lower())
    if found is None:
        raise CouldNotRun(f"nobody with the address {email} has joined Q.")
    named = keep_name(found.user_id, found.display_name) if is_admin else free_name(found.display_name)
    await db.transact(users.update(found.user_id).set(User.is_admin, is_admin).set(User.was_admin, True), *named)
    print(f"{email} is {'an administrator' if is_admin else 'no administrator any more'}.")
    return OK


async def _backup(opened: Opened, name: str) -> int:
    if not _BACKUP_NAME.fullmatch(name):
        raise CouldNotRun("a backup's name has 3 to 200 letters, digits, _, . and -.")
    db = opened.context.db
    for table in opened.system.design.tables.values():
        stored = db.table_name(table)
        answer = await db.store.call("CreateBackup", {"TableName": stored, "BackupName": name})
        print(f"{stored}: {answer['BackupDetails']['BackupArn']}")
    return OK
