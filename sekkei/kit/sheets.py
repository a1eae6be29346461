"""Tables as CSV files: written so that spreadsheets open them as they are meant, and read as spreadsheets write them.

No text starts a formula: an apostrophe stands before one that could, and reading takes it away again.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping

from sekkei.kit.text import half_width, is_seen

SIGNS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""What starts a formula; a spreadsheet in Japanese takes the wide ones too."""
BOM = b"\xef\xbb\xbf"
"""Tells Excel that a file is UTF-8."""


class BadSheet(ValueError):
    """A file cannot be read; `line` is where."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line, self.why = line, why


class ColumnsMissing(BadSheet):
    """The first line does not name the columns that are needed."""

    def __init__(self, columns: Collection[str]) -> None:
        super().__init__(1, f"the first line must name the columns; {', '.join(columns)} missing")
        self.columns = columns


class Number(str):
    """A number as it is written, which starts no formula though a sign stands before it."""


def write(rows: Iterable[Iterable[object]]) -> bytes:
    """Return a whole file: texts without formulas, None as nothing, and anything else as Python writes it."""
    return BOM + lines(rows)


def lines(rows: Iterable[Iterable[object]]) -> bytes:
    """Return further lines of a file that is written in parts; `BOM` comes before the first."""
    file = io.StringIO(newline="")
    csv.writer(file).writerows([_cell(value) for value in row] for row in rows)
    return file.getvalue().encode()


def _cell(value: object) -> str:
    if isinstance(value, str) and not isinstance(value, Number):
        return f"'{value}" if _needs_apostrophe(value) else value
    return "" if value is None else str(value)


def _text(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _needs_apostrophe(cell[1:]) else cell


def _needs_apostrophe(text: str) -> bool:
    """Also before invisible characters, and before an apostrophe of the text's own, so that reading is exact."""
    if text.startswith(("\t", "\r", "\n", "'")):
        return True
    return next(filter(is_seen, text), "") in SIGNS


def read(
    content: bytes, columns: Mapping[str, str], needed: Collection[str] = ()
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number of each line that holds something, and its texts by the names of their columns.

    `columns` maps headings, as `heading` writes them, to names; other columns are skipped. Raises BadSheet.
    """
    rows = csv.reader(io.StringIO(_decoded(content), newline=""), strict=True)
    try:
        headings = [columns.get(heading(cell)) for cell in next(rows, [])]
        if missing := [name for name in needed if name not in headings]:
            raise ColumnsMissing(missing)
        for row in rows:
            if any(cell.strip() for cell in row):
                pairs = zip(headings, row, strict=False)
                yield rows.line_num, {name: _text(cell).strip() for name, cell in pairs if name is not None}
    except csv.Error as error:
        raise BadSheet(rows.line_num, str(error)) from None


def heading(text: str) -> str:
    """Return a heading in the form in which headings are compared: narrow, small, without blanks around it."""
    return half_width(text).casefold()


def _decoded(content: bytes) -> str:
    """Decode UTF-8, or the Shift_JIS that Excel in Japan writes by default."""
    for encoding in ("utf-8-sig", "cp932"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise BadSheet(1, "UTF-8 / Shift_JIS")
