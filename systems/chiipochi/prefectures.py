"""The 47 prefectures, their specialities, and how a word that somebody types finds its prefecture.

One line each: number (JP-nn), code, name, English name, place on the tile map (column, row), specialities. A speciality
that several prefectures have is ambiguous on purpose: the bot asks which one is meant.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass

_DATA = """
01 HOKKAIDO 北海道 Hokkaido 12,0 じゃがいも とうもろこし うに いくら ほたて かに ジンギスカン 夕張メロン ラベンダー
02 AOMORI 青森 Aomori 12,2 りんご にんにく ほたて 大間まぐろ せんべい汁 ねぶた
03 IWATE 岩手 Iwate 12,3 わんこそば 盛岡冷麺 南部鉄器 うに わかめ 前沢牛 じゃじゃ麺
04 MIYAGI 宮城 Miyagi 12,4 牛タン 笹かまぼこ ずんだ 牡蠣 はらこ飯 萩の月
05 AKITA 秋田 Akita 11,3 きりたんぽ 稲庭うどん いぶりがっこ あきたこまち 比内地鶏 なまはげ
06 YAMAGATA 山形 Yamagata 11,4 さくらんぼ 米沢牛 芋煮 ラフランス 玉こんにゃく だだちゃ豆
07 FUKUSHIMA 福島 Fukushima 11,5 桃 喜多方ラーメン 赤べこ 円盤餃子 こづゆ ままどおる
08 IBARAKI 茨城 Ibaraki 13,6 納豆 メロン れんこん 干し芋 あんこう鍋 栗
09 TOCHIGI 栃木 Tochigi 12,6 いちご とちおとめ 宇都宮餃子 餃子 かんぴょう ゆば 益子焼
10 GUNMA 群馬 Gunma 11,6 こんにゃく 下仁田ねぎ だるま 焼きまんじゅう 水沢うどん キャベツ おっきりこみ
11 SAITAMA 埼玉 Saitama 11,7 草加せんべい 深谷ねぎ 狭山茶 川越いも ゼリーフライ 盆栽
12 CHIBA 千葉 Chiba 13,7 ピーナッツ 落花生 なめろう 梨 びわ 伊勢海老 醤油 房総ひじき
13 TOKYO 東京 Tokyo 12,7 もんじゃ焼き 江戸前寿司 雷おこし 人形焼 東京ばな奈 くさや 佃煮
14 KANAGAWA 神奈川 Kanagawa 12,8 シウマイ 崎陽軒 しらす 鳩サブレー サンマーメン かまぼこ 湘南ゴールド
15 NIIGATA 新潟 Niigata 10,5 コシヒカリ 笹団子 へぎそば 米 日本酒 柿の種 タレカツ丼
16 TOYAMA 富山 Toyama 9,5 ます寿司 白えび ほたるいか ぶり 富山ブラック 薬売り
17 ISHIKAWA 石川 Ishikawa 8,5 金箔 加賀野菜 のどぐろ 九谷焼 輪島塗 治部煮
18 FUKUI 福井 Fukui 8,6 越前がに 恐竜 ソースカツ丼 越前そば へしこ 羽二重餅 水ようかん
19 YAMANASHI 山梨 Yamanashi 10,7 ぶどう 桃 ほうとう ワイン 信玄餅 シャインマスカット 鳥もつ煮
20 NAGANO 長野 Nagano 10,6 信州そば おやき りんご 野沢菜 わさび 五平餅 レタス
21 GIFU 岐阜 Gifu 9,6 飛騨牛 五平餅 さるぼぼ 鮎 朴葉味噌 栗きんとん 鵜飼
22 SHIZUOKA 静岡 Shizuoka 10,8 お茶 うなぎ わさび みかん 富士宮やきそば 桜えび おでん
23 AICHI 愛知 Aichi 9,7 ひつまぶし 味噌カツ 手羽先 きしめん ういろう 八丁味噌 うなぎ えびせんべい
24 MIE 三重 Mie 9,8 伊勢海老 松阪牛 赤福 伊勢うどん 真珠 はまぐり てこね寿司
25 SHIGA 滋賀 Shiga 8,7 近江牛 鮒ずし 信楽焼 赤こんにゃく サラダパン 琵琶湖
26 KYOTO 京都 Kyoto 7,6 八ツ橋 宇治抹茶 お茶 湯豆腐 九条ねぎ 京野菜 西陣織 千枚漬け
27 OSAKA 大阪 Osaka 7,7 たこ焼き お好み焼き 串カツ 豚まん イカ焼き 泉州水なす たこせん
28 HYOGO 兵庫 Hyogo 6,7 神戸牛 明石焼き 玉ねぎ 黒豆 いかなご 灘の酒 そばめし
29 NARA 奈良 Nara 8,8 柿の葉寿司 奈良漬 三輪そうめん 柿 鹿せんべい 鹿 葛餅
30 WAKAYAMA 和歌山 Wakayama 7,8 梅干し みかん 柿 クエ 高野豆腐 めはり寿司 金山寺味噌
31 TOTTORI 鳥取 Tottori 5,6 二十世紀梨 梨 松葉がに らっきょう 砂丘 牛骨ラーメン
32 SHIMANE 島根 Shimane 4,6 出雲そば しじみ のどぐろ ぜんざい あご野焼き どじょう掬い
33 OKAYAMA 岡山 Okayama 5,7 きびだんご 桃 白桃 マスカット ままかり デミカツ丼 備前焼
34 HIROSHIMA 広島 Hiroshima 4,7 もみじ饅頭 牡蠣 お好み焼き レモン 尾道ラーメン 熊野筆 あなごめし
35 YAMAGUCHI 山口 Yamaguchi 3,7 ふぐ 瓦そば 萩焼 ういろう 夏みかん 岩国れんこん
36 TOKUSHIMA 徳島 Tokushima 5,10 すだち 阿波踊り 鳴門金時 徳島ラーメン 鳴門わかめ わかめ 半田そうめん
37 KAGAWA 香川 Kagawa 5,9 讃岐うどん うどん オリーブ 骨付鳥 和三盆 しょうゆ豆 醤油
38 EHIME 愛媛 Ehime 4,9 みかん いよかん 鯛めし じゃこ天 今治タオル 坊っちゃん団子 タルト
39 KOCHI 高知 Kochi 4,10 かつおのたたき かつお ゆず 皿鉢料理 芋けんぴ しょうが よさこい
40 FUKUOKA 福岡 Fukuoka 1,8 明太子 博多ラーメン もつ鍋 あまおう いちご 水炊き 八女茶 博多通りもん
41 SAGA 佐賀 Saga 0,8 佐賀牛 有田焼 呼子のイカ 海苔 嬉野茶 小城羊羹 シシリアンライス
42 NAGASAKI 長崎 Nagasaki 0,9 カステラ ちゃんぽん 皿うどん びわ トルコライス 佐世保バーガー からすみ
43 KUMAMOTO 熊本 Kumamoto 1,9 馬刺し くまモン いきなり団子 からし蓮根 デコポン スイカ 太平燕
44 OITA 大分 Oita 2,8 とり天 かぼす 関さば 温泉 しいたけ だんご汁 地獄蒸し
45 MIYAZAKI 宮崎 Miyazaki 2,9 マンゴー チキン南蛮 宮崎牛 日向夏 地鶏 冷や汁 ピーマン
46 KAGOSHIMA 鹿児島 Kagoshima 1,10 黒豚 さつまいも 桜島大根 芋焼酎 さつま揚げ うなぎ お茶 かるかん
47 OKINAWA 沖縄 Okinawa 0,11 ゴーヤ ゴーヤーチャンプルー ソーキそば ちんすこう 泡盛 さんしん 黒糖 シークヮーサー 紅芋
"""

CONTAINED_LENGTH_MIN = 3
"""A shorter word is only known when it is all that was typed."""


@dataclass(frozen=True, slots=True)
class Prefecture:
    number: int
    code: str
    ja: str
    """Without 県, 府 or 都: 千葉."""
    en: str
    column: int
    row: int
    specialities: tuple[str, ...]

    @property
    def iso(self) -> str:
        return f"JP-{self.number:02d}"

    @property
    def full(self) -> str:
        """With its suffix: 千葉県."""
        suffix = {"HOKKAIDO": "", "TOKYO": "都", "KYOTO": "府", "OSAKA": "府"}.get(self.code, "県")
        return self.ja + suffix

    def name(self, language: str) -> str:
        return self.full if language == "ja" else self.en


def _parse(line: str) -> Prefecture:
    number, code, ja, en, place, *specialities = line.split()
    column, row = place.split(",")
    return Prefecture(int(number), code, ja, en, int(column), int(row), tuple(specialities))


PREFECTURES = {found.code: found for found in map(_parse, _DATA.strip().split("\n"))}
BY_ISO = {prefecture.iso: prefecture for prefecture in PREFECTURES.values()}

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_SPACES = re.compile(r"\s+")


def normalised(text: str) -> str:
    """What two spellings of a word have in common: width, case, kana, spaces and marks around it do not count."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = "".join(chr(ord(letter) - 0x60) if "ァ" <= letter <= "ヶ" else letter for letter in text)
    return _EDGES.sub("", _SPACES.sub("", text))


@functools.cache
def _words() -> dict[str, tuple[str, ...]]:
    """Every known word in its normal form, and the codes of the prefectures that it stands for."""
    found: dict[str, list[str]] = {}
    for prefecture in PREFECTURES.values():
        names = (prefecture.ja, prefecture.full, prefecture.en, prefecture.iso)
        for word in (*names, *prefecture.specialities):
            codes = found.setdefault(normalised(word), [])
            if prefecture.code not in codes:
                codes.append(prefecture.code)
    return {word: tuple(codes) for word, codes in found.items()}


def find(text: str) -> tuple[Prefecture, ...]:
    """The prefectures that a message may mean: none, one, or several to choose from."""
    word = normalised(text)
    known = _words()
    codes = known.get(word)
    if codes is None:
        inside = [key for key in known if len(key) >= CONTAINED_LENGTH_MIN and key in word] if len(word) <= 100 else []
        codes = known[max(inside, key=len)] if inside else ()
    return tuple(PREFECTURES[code] for code in codes)


def pending_text(code: str) -> str:
    """How the state spells a prefecture that waits to be confirmed: CHIBA_pending."""
    return f"{code}_pending"


def code_of(pending: str) -> str:
    return pending.removesuffix("_pending")
