"""What somebody wrote, as HTML that is safe."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei_systems.tasks.rules.markdown import Writer

WRITER = Writer("/tasks/teams/t1", {"DEV"}, ["佐藤 葵", "佐藤"])


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("一行目\n二行目", "<p>一行目<br>二行目</p>"),
        ("甲\n\n乙", "<p>甲</p>\n<p>乙</p>"),
        ("# 見出し\n本文", "<h3>見出し</h3>\n<p>本文</p>"),
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("- [x] a", '<ul><li><input type="checkbox" disabled checked> a</li></ul>'),
        ("> 引用", "<blockquote>引用</blockquote>"),
        ("**太** と *斜*", "<p><strong>太</strong> と <em>斜</em></p>"),
        ("2 * 3 * 4 と a_b_c", "<p>2 * 3 * 4 と a_b_c</p>"),
        ("`**x**`", "<p><code>**x**</code></p>"),
        ("```\n<b> *x*\n```", "<pre><code>&lt;b&gt; *x*</code></pre>"),
        ("```\nopen", "<pre><code>open</code></pre>"),
        ("DEV-12 と ABC-1", '<p><a href="/tasks/teams/t1/n/12">DEV-12</a> と ABC-1</p>'),
        ("@佐藤 葵 と @佐藤", '<p><span class="mention">@佐藤 葵</span> と <span class="mention">@佐藤</span></p>'),
        (
            "[説明](https://a.example/x?y=1&z=2)",
            '<p><a href="https://a.example/x?y=1&amp;z=2" rel="noopener noreferrer nofollow">説明</a></p>',
        ),
        (
            "https://a.example/DEV-12.",
            '<p><a href="https://a.example/DEV-12" rel="noopener noreferrer nofollow">https://a.example/DEV-12</a>.</p>',
        ),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("[x](//evil.example)", "<p>[x](//evil.example)</p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ('[x](https://a.example/"onclick="y)', None),
    ],
)
def test_marks(text: str, html: str | None) -> None:
    found = str(WRITER.html(text))
    assert 'onclick="' not in found
    if html is not None:
        assert found == html


PLAIN = "p br h3 h4 h5 h6 ul ol li blockquote strong em code pre"
ALLOWED = {"a": {"href", "rel"}, "span": {"class"}, "input": {"type", "disabled", "checked"}}


class Checked(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.depth: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in PLAIN.split() or tag in ALLOWED
        assert {name for name, _ in attrs} <= ALLOWED.get(tag, set())
        href = dict(attrs).get("href")
        assert href is None or re.match(r"https?://|/tasks/teams/t1/n/\d+$", href)
        if tag not in ("br", "input"):
            self.depth.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.depth.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


SIGNS = st.text("*`[]()<>\"'&#-+1. \n>@佐藤 葵DEV-12https://a.example!javascript:_x", max_size=60)


@given(SIGNS | st.text(max_size=60))
def test_whatever_is_written_only_known_elements_come_out_and_no_letter_is_lost(text: str) -> None:
    found = str(WRITER.html(text))
    checked = Checked()
    checked.feed(found)
    checked.close()
    letters = re.sub(r"[^\w]", "", unescape(checked.text))
    written = iter(re.sub(r"[^\w]", "", text))
    assert all(sign in written for sign in letters), "nothing is invented, and all is in its order"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*a **b* c**", "<p>*a <strong>b* c</strong></p>"),
        ("**a *b** c*", "<p><strong>a *b</strong> c*</p>"),
        ("*a **b** c*", "<p><em>a <strong>b</strong> c</em></p>"),
        ("**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"),
    ],
)
def test_marks_that_cross_are_text(text: str, html: str) -> None:
    assert str(WRITER.html(text)) == html
