"""Pictures: whatever comes in, what is stored is a square JPEG of our own that tells nothing."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

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
