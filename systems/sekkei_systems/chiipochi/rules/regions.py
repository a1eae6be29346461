"""Japan's regions, for whoever looks for a prefecture instead of naming one; their names stand in the texts."""

from __future__ import annotations

REGIONS: dict[str, tuple[str, ...]] = {
    "hokkaido": ("HOKKAIDO",),
    "tohoku": ("AOMORI", "IWATE", "MIYAGI", "AKITA", "YAMAGATA", "FUKUSHIMA"),
    "kanto": ("IBARAKI", "TOCHIGI", "GUNMA", "SAITAMA", "CHIBA", "TOKYO", "KANAGAWA"),
    "chubu": ("NIIGATA", "TOYAMA", "ISHIKAWA", "FUKUI", "YAMANASHI", "NAGANO", "GIFU", "SHIZUOKA", "AICHI"),
    "kinki": ("MIE", "SHIGA", "KYOTO", "OSAKA", "HYOGO", "NARA", "WAKAYAMA"),
    "chugoku": ("TOTTORI", "SHIMANE", "OKAYAMA", "HIROSHIMA", "YAMAGUCHI"),
    "shikoku": ("TOKUSHIMA", "KAGAWA", "EHIME", "KOCHI"),
    "kyushu": ("FUKUOKA", "SAGA", "NAGASAKI", "KUMAMOTO", "OITA", "MIYAZAKI", "KAGOSHIMA", "OKINAWA"),
}
