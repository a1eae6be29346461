"""Names that nobody may take, and names that only look different."""

from __future__ import annotations

import re

from sekkei.kit.text import half_width
from sekkei_systems.q.rules.ng_words import normalised

_LOOKS = {
    **dict(zip("абвекмнорстухіїјѕԁһԛԝ", "abbekmhopctyxiijsdhqw", strict=True)),
    **dict(zip("αβεζηικμνορτυχγω", "abeznikmvoptuxyw", strict=True)),
    **dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True)),
    **dict(zip("ᎪᏴᏟᎠᎬᏀᎻᏆᎫᏦᏞᎷᏢᏒᏚᎢᏙᏔᎽᏃ", "abcdeghijklmprstvwyz", strict=True)),
    **dict(zip("ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ", "abcdefghijklmnoprstuvwxyz", strict=True)),
    **dict(zip("օոսհցզ", "onuhgq", strict=True)),
    **dict(zip("ıɑɡøđłħ", "iagodlh", strict=True)),
    **dict(zip("013457|", "oleast" + "l", strict=True)),
    "營": "営",
    "i": "l",
    "l": "l",
}
_FOLD = str.maketrans(_LOOKS)
_KANA = str.maketrans(
    {
        **dict(zip("口囗力二夕工卜八三千才匕厶又丿乂〆一", "ろろかにたえとはみちおひむぬのめめー", strict=True)),
        **dict(zip("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ", strict=True)),
        **dict(
            zip(
                "入士曰已巳末弍籐髙﨑𠮷邊邉斉齊齋澤嶋濱眞惠廣",
                "人土日己己未式藤高崎吉辺辺斎斎斎沢島浜真恵広",
                strict=True,
            )
        ),
        "〇": "o",
    }
)
"""Kanji that are kana to the eye, small kana, and kanji that differ by a hair or are old forms. Katakana are hiragana
already."""
_DASH = re.compile(r"(?<=[\u3041-\u30ff\uff66-\uff9f])[-\u2010-\u2015\u2212\u2500\u2501\u31d0\uff0d]")
_BOXED = {first + at: ord("a") + at for first in (0x1F150, 0x1F170, 0x1F1E6) for at in range(26)}
"""Letters in discs and squares, and those that flags are made of: signs to Unicode, and letters to the eye."""
_REMARK = re.compile(r"[(（\[［【〔〈《「『{].*?[)）\]］】〕〉》」』}]")
_PARTS = re.compile(r"[\W_]+")
_HUMPS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DIGITS = "0123456789"


def skeleton(name: str) -> str:
    """What is left when letters that look alike are one: `Adm1n` and `аdmin` with a Cyrillic а are `admin`, and サト一
    with the kanji for one is サトー."""
    return normalised(name.translate(_BOXED)).translate(_FOLD).translate(_FOLD).translate(_KANA)


def skeletons(name: str) -> frozenset[str]:
    """All that it can be taken for: a dash after a kana is nothing, or the mark of a long vowel."""
    return frozenset({skeleton(name), skeleton(_DASH.sub("ー", name))})


def without_remark(name: str) -> str:
    """A name without what stands in brackets: somebody (本人) is not more that somebody."""
    return _REMARK.sub("", name)


_SPEAKING = ("admin", "administrator", "moderator", "official", "staff", "support")
_IN_KANA = (
    "うんえい",
    "こうしき",
    "かんりしゃ",
    "かんりにん",
    "じむきょく",
    "スタッフ",
    "サポート",
    "アドミン",
    "オフィシャル",
    "モデレーター",
)
_ALONE = (
    "q",
    "qteam",
    "お知らせ",
    "qお知らせ",
    "qからのお知らせ",
    "help",
    "info",
    "mod",
    "root",
    "security",
    "system",
    "unei",
)
_OF_A_DESK = ("", "担当", "担当者", "係", "チーム", "センター", "デスク", "窓口", "一同", "からのお知らせ")
_WHOLE = frozenset(
    skeleton(form)
    for form in (*_ALONE, *(f"{q}{one}{desk}" for q in ("", "q") for one in _IN_KANA for desk in _OF_A_DESK))
)
_PART = frozenset(skeleton(form) for one in _SPEAKING for form in (one, f"q{one}", f"{one}q", f"{one}team"))
_WITHIN = tuple(map(skeleton, ("管理者", "管理人", "運営", "公式", "事務局")))


def is_reserved(name: str) -> bool:
    """Does it say that its owner speaks for Q.?"""
    whole = skeletons(name)
    parts = [name, *_PARTS.split(name), *_HUMPS.split(half_width(name))]
    said = {skeleton(form).replace("rn", "m") for part in parts for form in (part, part.strip(_DIGITS))}
    return bool(whole & _WHOLE or said & _PART) or any(each in form for each in _WITHIN for form in whole)
