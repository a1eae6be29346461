"""Pictures: whatever comes in, what is stored is a square JPEG of our own that tells nothing."""

from __future__ import annotations

import re
import struct
import zlib
from datetime import UTC, date, datetime
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sekkei.design import replace
from sekkei_systems.q.design.models import Answer
from sekkei_systems.q.refusals import BadPicture
from sekkei_systems.q.rules import pictures
from tests.systems.q.conftest import picture, png


def opened(content: bytes) -> Image.Image:
    found = Image.open(BytesIO(content))
    found.load()
    return found


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_a_square_of_every_kind(kind: str) -> None:
    found = opened(pictures.drawn_anew(picture(kind, (900, 700))))
    assert (found.format, found.size, found.mode) == ("JPEG", (512, 512), "RGB")
    red, green, blue = found.getpixel((256, 256))  # type: ignore[misc]
    assert red > 180
    assert green < 60
    assert blue < 60


def test_a_small_one_stays_small() -> None:
    assert opened(pictures.drawn_anew(picture("PNG", (40, 90)))).size == (40, 40)


def test_where_it_was_taken_is_not_kept() -> None:
    exif = Image.Exif()
    exif[0x010F] = "secret camera"
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[2] = (35.0, 41.0, 22.0)
    made = picture("JPEG", (64, 64), exif=exif, comment=b"secret comment", icc_profile=b"secret profile")
    assert b"secret" in made
    clean = pictures.drawn_anew(made + b"secret behind it")
    assert b"secret" not in clean
    assert len(opened(clean).getexif()) == 0
    assert set(opened(clean).info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_upright_as_the_camera_held_it() -> None:
    """A photo taken with the phone on its side says so only in what is dropped."""
    image = Image.new("RGB", (200, 100), (0, 0, 255))
    image.paste((255, 0, 0), (0, 0, 100, 100))
    exif = Image.Exif()
    exif[0x0112] = 6  # turn clockwise to see it upright
    made = BytesIO()
    image.save(made, "JPEG", exif=exif, quality=95)
    found = opened(pictures.drawn_anew(made.getvalue()))
    assert found.size == (100, 100)
    assert found.getpixel((50, 10))[0] > 200  # type: ignore[index]
    assert found.getpixel((50, 90))[2] > 200  # type: ignore[index]


def test_what_is_transparent_is_white() -> None:
    clear = pictures.drawn_anew(picture("PNG", (20, 20), (0, 0, 0, 0), "RGBA"))
    assert opened(clear).getpixel((10, 10)) == (255, 255, 255)


def claims(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it is huge."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = zlib.compress(b"\x00" * 10_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        b"GIF89a",
        b"%PDF-1.7",
        png()[:30],
        picture("JPEG", (50, 50))[:200],
        picture("BMP", (5, 5)),
        picture("TIFF", (5, 5)),
        claims(20_000, 20_000),
        picture("PNG", (8_000, 6_400), 0, "1"),  # a real one, of a few kilobytes
        claims(0, 5),
        b"\x89PNG\r\n\x1a\n" + b"x" * 1000,
    ],
)
def test_what_is_no_picture_is_refused(content: bytes) -> None:
    with pytest.raises(BadPicture):
        pictures.drawn_anew(content)


async def test_five_megabytes_at_most() -> None:
    easel = pictures.Easel()
    padded = png() + b"x" * (pictures.BYTES_MAX - len(png()))
    assert opened(await easel.draw(padded)).format == "JPEG"
    for content in (padded + b"x", b""):
        with pytest.raises(BadPicture):
            await easel.draw(content)


@given(
    st.binary(max_size=200), st.sampled_from((b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF....WEBP"))
)
def test_any_bytes_are_taken_or_refused(content: bytes, begin: bytes) -> None:
    try:
        pictures.drawn_anew(begin + content)
    except BadPicture:
        return


@given(st.integers(0, 600), st.integers(0, 255))
def test_a_damaged_picture_is_taken_or_refused(at: int, value: int) -> None:
    whole = bytearray(picture("JPEG", (60, 60)))
    whole[at % len(whole)] = value
    try:
        pictures.drawn_anew(bytes(whole))
    except BadPicture:
        return


# The card of an answer.


NOW = datetime(2025, 11, 6, 3, tzinfo=UTC)
ANSWER = Answer(
    day=date(2025, 11, 6), user_id="u", question_id="q", text="秋", is_on_time=False, late_minutes=1, created_at=NOW
)


def lines(answer: str, language: str = "ja") -> list[str]:
    drawn = pictures.card("質問？", replace(ANSWER, text=answer), "葵", language, "q.example/q/#/id/aoi").decode()
    return re.findall(r'font-size="80"[^>]*>([^<]*)<', drawn)


def test_a_long_answer_is_broken_into_lines_and_no_character_torn() -> None:
    family = "👨‍👩‍👧‍👦"
    found = lines(family * 30)
    assert "".join(found) == family * 30
    assert len(found) == 3
    assert all(len(line) % len(family) == 0 for line in found)


def test_words_are_not_torn() -> None:
    text = "The quick brown fox jumps over the extraordinarily lazy dog"
    found = lines(text)
    assert " ".join(found) == text
    assert {word for line in found for word in line.split()} == set(text.split())
    assert all(
        "キーボード" in line or "キ" not in line for line in lines("新しく買ったばかりのキーボードの音がたまらなく好き")
    )


def test_japanese_is_broken_between_phrases() -> None:
    assert lines("帰り道の金木犀。香りの出どころを探して一周した") == [
        "帰り道の金木犀。香りの",
        "出どころを探して",
        "一周した",
    ]
    assert lines("商店街の外れにできた、小さな本屋の手書きの看板。")[1:] == ["小さな本屋の手書きの", "看板。"]


def test_nothing_of_a_long_answer_is_lost_to_whole_phrases() -> None:
    text = "朝焼けの海岸線をゆっくりと" * 6
    assert "".join(lines(text)) == text


@pytest.mark.parametrize("mark", ["。", "、", "」", "！", "ー", "っ"])
def test_no_line_begins_with_what_belongs_to_the_one_before(mark: str) -> None:
    assert [line for line in lines("あ" * 11 + mark + "い" * 30) if line.startswith(mark)] == []


def test_a_word_longer_than_a_line_is_broken_after_all() -> None:
    assert "".join(lines("a" * 60)) == "a" * 60


@pytest.mark.parametrize(("language", "said"), [("ja", "1分遅れ"), ("en", "1 minute late")])
def test_in_the_readers_language_and_with_a_link(language: str, said: str) -> None:
    drawn = pictures.card("質問？", ANSWER, "葵", language, "q.example/q/#/id/aoi").decode()
    assert said in drawn
    assert "q.example/q/#/id/aoi" in drawn
