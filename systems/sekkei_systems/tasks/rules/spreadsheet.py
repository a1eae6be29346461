"""Tasks as a CSV file that Excel opens, and drafts of tasks out of such a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from datetime import date

from sekkei.runtime.refusals import Refusal
from sekkei_systems.tasks.design import Task
from sekkei_systems.tasks.refusals import BadFile, TooLarge
from sekkei_systems.tasks.rules.drafts import Draft
from sekkei_systems.tasks.rules.statuses import Priority, Status

ROWS_MAX = 1_000
BYTES_MAX = 2_000_000
COLUMNS = ("title", "description", "status", "start", "end", "tags", "assignee", "priority")
HEADERS = {
    "ja": ("タイトル", "説明", "ステータス", "開始日", "終了日", "タグ", "担当者", "優先度"),
    "en": ("Title", "Description", "Status", "Start", "End", "Tags", "Assignee", "Priority"),
}
STATUS_WORDS = {
    "ja": {Status.TODO: "未着手", Status.DOING: "進行中", Status.DONE: "完了"},
    "en": {Status.TODO: "To do", Status.DOING: "Doing", Status.DONE: "Done"},
}
PRIORITY_WORDS = {
    "ja": {Priority.HIGH: "高", Priority.MEDIUM: "中", Priority.LOW: "低"},
    "en": {Priority.HIGH: "High", Priority.MEDIUM: "Medium", Priority.LOW: "Low"},
}
_KNOWN_STATUSES = {
    word.casefold(): status
    for words in (*STATUS_WORDS.values(), {status: status.value for status in Status})
    for status, word in words.items()
}
_KNOWN_PRIORITIES = {word.casefold(): one for words in PRIORITY_WORDS.values() for one, word in words.items()}
_KNOWN_HEADERS = {
    word.casefold(): column
    for words in (*HEADERS.values(), COLUMNS)
    for column, word in zip(COLUMNS, words, strict=True)
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


def write(tasks: Iterable[Task], tag_names: Mapping[str, str], member_names: Mapping[str, str], language: str) -> bytes:
    """UTF-8 with the mark that tells Excel so; tags are separated by semicolons."""
    file = io.StringIO(newline="")
    rows = csv.writer(file, lineterminator="\r\n")
    rows.writerow(HEADERS[language])
    for task in tasks:
        tags = ";".join(sorted(tag_names[ref] for ref in task.tags if ref in tag_names))
        dates = [day.isoformat() if day else "" for day in (task.start, task.end)]
        status, assignee = STATUS_WORDS[language][task.status], member_names.get(task.assignee or "", "")
        priority = PRIORITY_WORDS[language][task.priority] if task.priority else ""
        cells = (task.title, task.description, status, *dates, tags, assignee, priority)
        rows.writerow([_harmless(cell) for cell in cells])
    return b"\xef\xbb\xbf" + file.getvalue().encode()


def _harmless(cell: str) -> str:
    """A cell that begins like a formula is not one; the apostrophe says so to spreadsheets, and to `read`."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _as_written(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def read(content: bytes, tag_ids: Mapping[str, str], member_ids: Mapping[str, str]) -> list[Draft]:
    """Drafts, one for each row. The first thing that is wrong is refused with its line; nothing is half read."""
    if len(content) > BYTES_MAX:
        raise TooLarge(most=ROWS_MAX)
    rows = csv.reader(io.StringIO(_decoded(content), newline=""), strict=True)
    drafts: list[Draft] = []
    try:
        places = _places(next(rows, []))
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(drafts) >= ROWS_MAX:
                raise TooLarge(most=ROWS_MAX)
            cells = {column: _as_written(row[at]).strip() for column, at in places.items() if at < len(row)}
            drafts.append(_draft(cells, tag_ids, member_ids, rows.line_num))
    except csv.Error as error:
        raise BadFile(line=rows.line_num, why=str(error)) from None
    return drafts


def _decoded(content: bytes) -> str:
    """UTF-8, or what Excel in Japan writes when nobody tells it otherwise."""
    for encoding in ("utf-8-sig", "cp932"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise BadFile(line=1, why="UTF-8 / Shift_JIS")


def _places(header: list[str]) -> dict[str, int]:
    found = {_KNOWN_HEADERS[cell.strip().casefold()]: at for at, cell in enumerate(header) if _known(cell)}
    if "title" not in found:
        raise BadFile(line=1, why=" / ".join(words[0] for words in HEADERS.values()))
    return found


def _known(cell: str) -> bool:
    return cell.strip().casefold() in _KNOWN_HEADERS


def _draft(cells: Mapping[str, str], tag_ids: Mapping[str, str], member_ids: Mapping[str, str], line: int) -> Draft:
    names = [name.strip() for name in cells.get("tags", "").split(";") if name.strip()]
    assignee = cells.get("assignee", "")
    for name, known in ((assignee, member_ids), *((tag, tag_ids) for tag in names)):
        if name and name not in known:
            raise BadFile(line=line, why=name[:50])
    status = cells.get("status", "").casefold()
    if status and status not in _KNOWN_STATUSES:
        raise BadFile(line=line, why=cells["status"][:50])
    priority = cells.get("priority", "").casefold()
    if priority and priority not in _KNOWN_PRIORITIES:
        raise BadFile(line=line, why=cells["priority"][:50])
    draft = Draft(
        title=cells.get("title", ""),
        description=cells.get("description", ""),
        status=_KNOWN_STATUSES.get(status, Status.TODO),
        start=_day(cells.get("start", ""), line),
        end=_day(cells.get("end", ""), line),
        tags=frozenset(tag_ids[name] for name in names),
        assignee=member_ids[assignee] if assignee else None,
        priority=_KNOWN_PRIORITIES.get(priority),
    )
    try:
        draft.task("checked", "checked")
    except Refusal as refusal:
        raise BadFile(line=line, why=refusal.text("ja")) from None
    return draft


def _day(text: str, line: int) -> date | None:
    """2025-11-06, or 2025/11/6 as Excel makes it."""
    if not text:
        return None
    try:
        year, month, day = map(int, text.replace("/", "-").split("-"))
        return date(year, month, day)
    except ValueError:
        raise BadFile(line=line, why=text[:50]) from None
