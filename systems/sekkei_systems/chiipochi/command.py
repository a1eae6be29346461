"""`sekkei chiipochi`: what is set up at LINE once, and tried before going live."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from sekkei.commands import FINDINGS, OK, CouldNotRun

if TYPE_CHECKING:
    from sekkei.runtime.transports.line import LineApi

SUMMARY = "ちいポチ at LINE: the rich menu, a check of all messages, a test of the webhook."

EXAMPLES = """\
examples:
  sekkei chiipochi richmenu --dry-run              what would be made and removed; nothing is changed
  sekkei chiipochi richmenu                        make the menu, show it to everybody, remove our older ones
  sekkei chiipochi richmenu --language en
  sekkei chiipochi picture menu.png                the menu's picture, to look at
  sekkei chiipochi labels --font NotoSansCJK-Bold.ttc
                                                   draw the menu's words anew, after they were changed
  sekkei chiipochi messages                        have LINE check everything that the bot can say; sends nothing
  sekkei chiipochi webhook                         have LINE call our webhook, and say what it got
  sekkei chiipochi webhook --set https://example.org/chiipochi/webhook
                                                   tell LINE where our webhook is first
  sekkei chiipochi quota                           pushes of this month
  sekkei chiipochi rehearse                        LINE and Stripe as strict counterparts, and you type

SEKKEI_LINE_CHANNEL_TOKEN is the channel's access token.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(
        dest="what", required=True, metavar="richmenu|picture|labels|messages|webhook|quota|rehearse"
    )
    menu = what.add_parser("richmenu", help="make the menu at LINE, show it, remove our older ones")
    menu.add_argument("--language", choices=("ja", "en"), default="ja")
    menu.add_argument("--dry-run", action="store_true", help="say what would be done; change nothing")
    picture = what.add_parser("picture", help="write the menu's picture to a file")
    picture.add_argument("file", metavar="FILE")
    picture.add_argument("--language", choices=("ja", "en"), default="ja")
    labels = what.add_parser("labels", help="draw the menu's words with a font")
    labels.add_argument("--font", required=True, metavar="FILE")
    labels.add_argument("--index", type=int, default=0, help="which font of a collection (.ttc)")
    what.add_parser("messages", help="have LINE check everything that the bot can say")
    webhook = what.add_parser("webhook", help="have LINE call our webhook")
    webhook.add_argument("--set", metavar="URL", help="tell LINE first where our webhook is")
    what.add_parser("quota", help="pushes of this month")
    rehearse = what.add_parser("rehearse", help="LINE and Stripe as strict counterparts, and you type")
    rehearse.add_argument("--bot", metavar="URL", default="http://127.0.0.1:8000", help="where the bot runs")
    rehearse.add_argument("--line-port", type=int, default=12110)
    rehearse.add_argument("--stripe-port", type=int, default=12111)


def run(arguments: argparse.Namespace) -> int:
    from sekkei.runtime.outbox import Undeliverable
    from sekkei.store import NoAnswer

    if arguments.what == "picture":
        return _picture(arguments)
    if arguments.what == "labels":
        return _labels(arguments)
    if arguments.what == "rehearse":
        return _rehearse(arguments)
    try:
        return asyncio.run(_at_line(arguments))
    except (Undeliverable, OSError, NoAnswer) as error:
        raise CouldNotRun(str(error)) from error


def _picture(arguments: argparse.Namespace) -> int:
    from sekkei_systems.chiipochi.ports.rich_menu import picture

    try:
        Path(arguments.file).write_bytes(picture(arguments.language))
    except OSError as error:
        raise CouldNotRun(f"the picture cannot be written: {error}") from error
    print(f"{arguments.file}: {len(picture(arguments.language)):,} bytes")
    return OK


def _labels(arguments: argparse.Namespace) -> int:
    from sekkei_systems.chiipochi.ports.rich_menu import draw_labels, labels_file
    from sekkei_systems.chiipochi.texts import LANGUAGES

    try:
        drawn = {language: draw_labels(language, arguments.font, arguments.index) for language in LANGUAGES}
    except OSError as error:
        raise CouldNotRun(f"the font cannot be used: {error}") from error
    for language, mask in drawn.items():
        labels_file(language).write_bytes(mask)
        print(f"{labels_file(language).name}: {len(mask):,} bytes")
    return OK


def _rehearse(arguments: argparse.Namespace) -> int:
    from sekkei.runtime.fakes import fake

    try:
        asyncio.run(fake("rehearsal")(arguments.bot, arguments.line_port, arguments.stripe_port))
    except KeyboardInterrupt:
        pass
    except OSError as error:
        raise CouldNotRun(f"the counterparts cannot be served: {error}") from error
    return OK


async def _at_line(arguments: argparse.Namespace) -> int:
    from secrets import token_bytes

    from sekkei.clock import SYSTEM
    from sekkei.runtime.http import Http
    from sekkei.runtime.settings import Secrets, from_environment
    from sekkei.runtime.transports.line import LineApi

    http = Http()
    settings = from_environment(secrets=Secrets(token_bytes(32)))  # nothing is sealed here: none is kept
    line = LineApi.configured(settings, http, SYSTEM)
    if line is None:
        raise CouldNotRun("SEKKEI_LINE_CHANNEL_TOKEN is not set: there is no channel of LINE's to talk to")
    try:
        if arguments.what == "richmenu":
            return await _rich_menu(line, arguments)
        if arguments.what == "messages":
            return await _messages(line)
        return await (_webhook(line, arguments.set) if arguments.what == "webhook" else _quota(line))
    finally:
        http.close()


async def _rich_menu(line: LineApi, arguments: argparse.Namespace) -> int:
    """The new one is shown before the old ones go, so that nobody is ever without."""
    from sekkei_systems.chiipochi.ports.rich_menu import NAME, picture, rich_menu

    menu, image = rich_menu(arguments.language), picture(arguments.language)
    old = [found for found in await line.rich_menus() if str(found.get("name", "")).startswith(f"{NAME} ")]
    print(f"new: {menu['name']}, {len(menu['areas'])} areas, picture of {len(image):,} bytes")
    for found in old:
        print(f"old: {found['richMenuId']} ({found['name']}), to be removed")
    if arguments.dry_run:
        print("dry run: nothing was changed")
        return OK
    menu_id = await line.create_rich_menu(menu, image)
    await line.show_rich_menu(menu_id)
    print(f"shown to everybody: {menu_id}")
    for found in old:
        await line.delete_rich_menu(str(found["richMenuId"]))
    print(f"removed: {len(old)}")
    return OK


async def _messages(line: LineApi) -> int:
    from sekkei_systems.chiipochi.rules.messages import everything
    from sekkei_systems.chiipochi.texts import LANGUAGES

    wrong = 0
    for language in LANGUAGES:
        for found in everything(language):
            problem = await line.validate(found)
            if problem:
                wrong += 1
                print(f"{language}: {problem}: {found}")
    print("LINE takes everything that the bot can say" if not wrong else f"LINE would refuse {wrong}")
    return FINDINGS if wrong else OK


async def _webhook(line: LineApi, url: str | None) -> int:
    if url:
        await line.set_webhook(url)
    known = await line.webhook()
    if known is None:
        print("LINE does not know our webhook yet: sekkei chiipochi webhook --set https://…/chiipochi/webhook")
        return FINDINGS
    print(f"{known['endpoint']}: {'in use' if known['active'] else 'switched off in the LINE Developers Console'}")
    found = await line.test_webhook(known["endpoint"])
    print(f"{found.get('statusCode')} {found.get('reason')}: {found.get('detail')}")
    return OK if found.get("success") and known["active"] else FINDINGS


async def _quota(line: LineApi) -> int:
    found = await line.quota()
    assert found is not None
    print(f"{found.used:,} pushes of {f'{found.limit:,}' if found.limit is not None else 'any number'} this month")
    return OK
