"""Pictures to show and share, drawn as SVG: the code by which friends find somebody, and the card of an answer."""

from __future__ import annotations

import unicodedata
from datetime import date
from io import BytesIO
from xml.sax.saxutils import escape

from sekkei_systems.q.design.models import Answer
from sekkei_systems.q.rules.writing import clusters

WIDTH, HEIGHT = 1080, 1350
MARGIN = 96
INK, PAPER, GLOW = "#1b1a22", "#faf7f2", "#ff5a36"
"""The colours of the client."""
_FONT = "'Hiragino Sans','Noto Sans JP','Yu Gothic UI','Noto Sans CJK JP',system-ui,sans-serif"


def code(url: str) -> bytes:
    """A QR code with the quiet zone that readers need."""
    import segno  # only who shows a code needs it

    found = BytesIO()
    segno.make(url, error="m", micro=False).save(
        found, kind="svg", scale=8, border=4, dark=INK, light="#ffffff", title="Q.", xmldecl=False
    )
    return found.getvalue()


def card(question: str, answer: Answer, name: str) -> bytes:
    """An answer as a picture of 4:5, as people post it elsewhere."""
    asked = _lines(question, 18, 2)
    said = _lines(answer.text, 11, 8)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" font-family="{_FONT}">',
        f"<title>{escape(question)} — {escape(answer.text)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{INK}"/>',
        f'<rect x="48" y="48" width="{WIDTH - 96}" height="{HEIGHT - 96}" rx="56" fill="{PAPER}"/>',
        _text(MARGIN, 168, 44, "#c93412", _day(answer.day), weight=700),
        *(_text(MARGIN, 264 + 64 * at, 48, "#5b5866", line, weight=600) for at, line in enumerate(asked)),
        *(_text(MARGIN, _middle(len(said)) + 108 * at, 80, INK, line, 800) for at, line in enumerate(said)),
        _text(MARGIN, HEIGHT - 132, 40, "#5b5866", f"{name}　{_when(answer)}"),
        f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - 120}" font-size="104" font-weight="800" fill="{INK}" '
        f'text-anchor="end">Q<tspan fill="{GLOW}">.</tspan></text></svg>',
    ]
    return "".join(parts).encode()


def _text(x: int, y: int, size: int, colour: str, text: str, weight: int = 500) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{colour}">{escape(text)}</text>'


def _day(day: date) -> str:
    return f"{day.year}.{day.month:02}.{day.day:02}"


def _when(answer: Answer) -> str:
    return "オンタイム" if answer.is_on_time else f"{answer.late_minutes}分遅れ"


def _middle(count: int) -> int:
    """Where the first line stands so that all of them are in the middle of what is left."""
    return 780 - 54 * (count - 1)


def _lines(text: str, width: int, most: int) -> list[str]:
    """Broken after so many full-width characters; nothing is torn that people see as one character."""
    lines = [""]
    room = 2.0 * width
    for cluster in clusters(" ".join(text.split())):
        wide = 2.0 if unicodedata.east_asian_width(cluster[0]) in "WFA" else 1.1
        if wide > room:
            lines.append("")
            room = 2.0 * width
        lines[-1] += cluster
        room -= wide
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1]}…"]
    return [line.strip() for line in lines]
