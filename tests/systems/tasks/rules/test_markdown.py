"""What somebody wrote, as HTML that is safe."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei_systems.tasks.rules.markdown import Writer, mentioned

WRITER = Writer("/tasks/teams/t1", {"DEV"}, ["佐藤 葵", "佐藤"])

TABLE = "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n</tr>\n</tbody>\n</table>"


def link(address: str, text: str, after: str = "") -> str:
    return f'<p><a href="{address}" rel="noopener noreferrer nofollow">{text}</a>{after}</p>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("一行目\n二行目", "<p>一行目<br>\n二行目</p>"),
        ("甲\n\n乙", "<p>甲</p>\n<p>乙</p>"),
        ("# 見出し\n本文", "<h3>見出し</h3>\n<p>本文</p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"),
        ("- [x] a", '<ul>\n<li><input type="checkbox" disabled checked> a</li>\n</ul>'),
        ("> 引用", "<blockquote>\n<p>引用</p>\n</blockquote>"),
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


PLAIN = "p br hr h3 h4 h5 h6 ul li blockquote strong em code pre table thead tbody tr th td"
ALLOWED = {"a": {"href", "rel"}, "ol": {"start"}, "span": {"class"}, "input": {"type", "disabled", "checked"}}


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
        if tag not in ("br", "hr", "input"):
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
        ("*a **b** c*", "<p><em>a <strong>b</strong> c</em></p>"),
        ("**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"),
        ("__太__ _斜_ a_b_c", "<p><strong>太</strong> <em>斜</em> a_b_c</p>"),
        (r"\*a\* 1\. b", "<p>*a* 1. b</p>"),
        ("3. c\n4. d", '<ol start="3">\n<li>c</li>\n<li>d</li>\n</ol>'),
        ("- a\n  - b", "<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>"),
        ("- a\n\n  b", "<ul>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n</ul>"),
        ("> a\n> > b", "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</blockquote>"),
        ("a\n---", "<h4>a</h4>"),
        ("***", "<hr>"),
        ("~~~py\nx\n~~~", "<pre><code>x</code></pre>"),
        ("    x", "<pre><code>x</code></pre>"),
        ("`` a`b ``", "<p><code>a`b</code></p>"),
        ("####### x", "<p>####### x</p>"),
        ("#x", "<p>#x</p>"),
        ("|a|\n|:-:|\n|1|", TABLE),
        ("[x](https://a.example/A_(b))", link("https://a.example/A_(b)", "x")),
        ("[x](<https://a.example/> 'title')", link("https://a.example/", "x")),
        ("<https://a.example>", link("https://a.example", "https://a.example")),
        ("https://a.example/A_(b)).", link("https://a.example/A_(b)", "https://a.example/A_(b)", ").")),
        ("[**x** DEV-1](https://a.example)", link("https://a.example", "<strong>x</strong> DEV-1")),
        # Ours: what is different from CommonMark on purpose
        ("これは**「太」**です", "<p>これは<strong>「太」</strong>です</p>"),
        ("**太。**次", "<p><strong>太。</strong>次</p>"),
        ("&amp; &#65;", "<p>&amp;amp; &amp;#65;</p>"),
        ("[a]: //x.example\n[a]", "<p>[a]: //x.example<br>\n[a]</p>"),
        ("![絵](//a.example/x.png)", "<p>![絵](//a.example/x.png)</p>"),
        ("<b>x</b> <!-- y -->", "<p>&lt;b&gt;x&lt;/b&gt; &lt;!-- y --&gt;</p>"),
        ("<a@b.example>", "<p>&lt;a@b.example&gt;</p>"),
        ("**DEV-1**", '<p><strong><a href="/tasks/teams/t1/n/1">DEV-1</a></strong></p>'),
    ],
)
def test_as_commonmark_has_it_and_where_it_differs(text: str, html: str) -> None:
    assert str(WRITER.html(text)) == html


@pytest.mark.parametrize("text", ["*a" * 5000, "[" * 10_000, "> " * 5000, "- " * 5000, "[a](" * 2500, "**a" * 3300])
def test_deep_nesting_ends(text: str) -> None:
    checked = Checked()
    checked.feed(str(WRITER.html(text)))
    checked.close()
    assert checked.depth == []


# Who is called in a comment.


NAMES = {"a": "佐藤 葵", "b": "佐藤 葵子", "c": "Ren Suzuki", "d": "ren"}


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("@佐藤 葵 さん、お願いします", {"a"}),
        ("＠佐藤葵さん", {"a"}),
        ("@佐藤葵子 さん", {"b"}),
        ("@佐藤葵 と @佐藤葵子", {"a", "b"}),
        ("@ren suzuki and @REN", {"c", "d"}),
        ("@RenSuzuki", {"c"}),
        ("mail to ren@example.com", set()),
        ("佐藤 葵", set()),
        ("@", set()),
    ],
)
def test_by_name_however_it_is_written(text: str, called: set[str]) -> None:
    assert mentioned(text, NAMES) == called
