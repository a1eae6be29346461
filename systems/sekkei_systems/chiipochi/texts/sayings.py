"""The bot's own words, in Japanese and in English. Pages have theirs in `texts.py`."""

from __future__ import annotations

from typing import Literal

Language = Literal["ja", "en"]
LANGUAGES: tuple[Language, ...] = ("ja", "en")

SAYINGS: dict[str, dict[Language, str]] = {
    # Whole answers
    "nothing-pending": {
        "ja": "いま確認待ちの寄付はありません🐾\n特産品の名前（例: ピーナッツ）を送ってください。",
        "en": "Nothing is waiting for your answer🐾\nSend me a speciality of Japan, such as “peanuts”.",
    },
    "expired": {
        "ja": "確認の時間（10分）が過ぎたので、この寄付は取り消されました。もう一度、特産品の名前を送ってください🐾",
        "en": "Ten minutes have passed, so that donation was dropped. Please send the speciality again🐾",
    },
    "old-card": {
        "ja": "このカードは古くなっています。いちばん新しいカードのボタンを押してください🐾",
        "en": "That card is an old one. Please use the buttons of the newest card🐾",
    },
    "out-of-range": {
        "ja": "寄付できる金額は {low}〜{high}です。もう一度、金額を送ってください🐾",
        "en": "You can donate from {low} to {high}. Please send the amount again🐾",
    },
    "unknown": {
        "ja": "ごめんなさい、その言葉はまだ知りません🐾\n"
        "特産品や都道府県の名前を送ってください。例: ピーナッツ、りんご、沖縄",
        "en": "Sorry, I do not know that word yet🐾\n"
        "Send a speciality or a prefecture, such as peanuts, apple or Okinawa.",
    },
    "one-to-one": {
        "ja": "ちいポチ🐾への寄付は、1対1のトークでお願いします。",
        "en": "Please donate in a chat with Chiipochi🐾 alone.",
    },
    "too-old": {
        "ja": "お返事が届くのが遅れたため、寄付は行っていません。お手数ですが、もう一度お試しください🐾",
        "en": "Your answer reached me late, so nothing was donated. Please try once more🐾",
    },
    "pledge-how": {
        "ja": "毎月の寄付は「毎月 ピーナッツ 300」のように送ってください🐾\nやめるときは「毎月をやめる」です。",
        "en": "For a monthly donation send “monthly peanuts 300”🐾\nTo end it, send “stop monthly”.",
    },
    "cancelled": {
        "ja": "わかりました。今回の寄付は取り消しました🐾",
        "en": "All right, this donation is cancelled🐾",
    },
    "welcome": {
        "ja": "はじめまして、ちいポチ🐾です！\nふるさとの特産品を送ると、その都道府県へ100円から寄付できます。\n"
        "まずは「ピーナッツ」と送ってみてください。\n(For English, send “English”.)",
        "en": "Hello, I am Chiipochi🐾!\nSend me a speciality of Japan and donate to the prefecture it comes from, "
        "from ¥100.\nTry “peanuts” first.\n（日本語は「日本語」と送ってください）",
    },
    "help": {
        "ja": "🐾 ちいポチの使い方\n"
        "・特産品や県の名前を送る → 「はい」で寄付\n・金額を変える → 300 のように数字を送る\n"
        "・今日の合計 / みんなの合計 / ランキング\n・履歴 / スタンプ / 年間まとめ\n・毎月 ピーナッツ 300 → 毎月の寄付\n"
        "・友だちに教える\n・English → 英語で話す",
        "en": "🐾 How to use Chiipochi\n"
        "・Send a speciality or a prefecture, then “yes”\n・Another amount: send a number, such as 300\n"
        "・today / total / ranking\n・history / stamps / year\n・monthly peanuts 300: every month\n"
        "・share\n・日本語: speak Japanese",
    },
    "language": {
        "ja": "これからは日本語でお話しします🐾",
        "en": "I will speak English from now on🐾",
    },
    "pledge-stopped": {
        "ja": "毎月の寄付をやめました。これまでのご支援、ありがとうございました🐾",
        "en": "Your monthly donation has ended. Thank you for your support🐾",
    },
    "no-pledge": {
        "ja": "毎月の寄付の約束はありません🐾",
        "en": "You have no monthly donation🐾",
    },
    "failed": {
        "ja": "決済が完了しなかったため、今回の寄付は取り消されました。お金はいただいていません🐾",
        "en": "The payment was not completed, so the donation is cancelled. Nothing was charged🐾",
    },
    "refunded": {
        "ja": "{place}への寄付 {yen}を返金しました。口座への反映には数日かかることがあります🐾",
        "en": "Your {yen} for {place} have been given back. It can take some days until you see it🐾",
    },
    # The card that asks
    "confirm.label": {"ja": "寄付の確認", "en": "Your donation"},
    "confirm.body": {
        "ja": "{place}に{yen}を寄付しますか？（10分以内にお返事ください）",
        "en": "Donate {yen} to {place}? (Please answer within 10 minutes.)",
    },
    "confirm.alt": {
        "ja": "{place}に{yen}を寄付しますか？「はい」か「いいえ」で答えてください。",
        "en": "Donate {yen} to {place}? Please answer “yes” or “no”.",
    },
    "confirm.yes": {"ja": "はい、寄付する", "en": "Yes, donate"},
    "confirm.amount": {"ja": "{amount}円にする", "en": "Make it ¥{amount}"},
    "yes": {"ja": "はい", "en": "Yes"},
    "no": {"ja": "いいえ", "en": "No"},
    "choose": {
        "ja": "いくつかの都道府県の特産品です。どちらに寄付しますか？🐾",
        "en": "Several prefectures are known for this. Which one do you mean?🐾",
    },
    # Paying
    "pay.label": {"ja": "お支払い", "en": "Payment"},
    "pay.title": {"ja": "ありがとうございます！", "en": "Thank you!"},
    "pay.body": {
        "ja": "{place}への寄付 {yen}のお支払いに進んでください。",
        "en": "Please go on to pay your {yen} for {place}.",
    },
    "pay.button": {"ja": "支払いへ進む", "en": "Go on to pay"},
    "pay.description": {"ja": "ちいポチ {place}への寄付", "en": "Chiipochi: donation to {place}"},
    # Thanks
    "thanks.label": {"ja": "スタンプをもらいました🐾", "en": "You got a stamp🐾"},
    "thanks.body": {
        "ja": "{yen}の寄付が届きました。集めた都道府県は {prefectures} / 47 です。",
        "en": "Your {yen} have arrived. You have {prefectures} of 47 prefectures.",
    },
    "thanks.button": {"ja": "スタンプカードを見る", "en": "See my stamp card"},
    "thanks.alt": {
        "ja": "{place}への{yen}の寄付が届きました。ありがとうございます🐾",
        "en": "Your {yen} for {place} have arrived. Thank you🐾",
    },
    "thanks.times": {
        "ja": "🎉 これで{times}回目の寄付です。いつもありがとうございます！",
        "en": "🎉 This was donation number {times}. Thank you for coming back!",
    },
    "thanks.region": {
        "ja": "🎉 {prefectures}都道府県を達成しました！",
        "en": "🎉 You have reached {prefectures} prefectures!",
    },
    "thanks.all": {
        "ja": "🏆 47都道府県を制覇しました！日本中からありがとう！",
        "en": "🏆 All 47 prefectures! Thank you from all of Japan!",
    },
    # What is looked up
    "today": {"ja": "今日のあなたの寄付は {count}件・{yen}です🐾", "en": "You have donated {yen} today ({count})🐾"},
    "today.pending": {"ja": "（お支払い待ち {yen}）", "en": "({yen} waiting to be paid)"},
    "everyone": {
        "ja": "今日のみんなの寄付は {count}件・{yen}です🐾",
        "en": "Everybody together has donated {yen} today ({count})🐾",
    },
    "ranking": {"ja": "今日の県別ランキング🐾", "en": "Prefectures today🐾"},
    "ranking.none": {
        "ja": "今日はまだ寄付がありません。一番乗りになりませんか？🐾",
        "en": "Nobody has donated yet today. Will you be the first?🐾",
    },
    "history": {"ja": "最近の寄付🐾", "en": "Your last donations🐾"},
    "history.none": {"ja": "まだ寄付はありません🐾", "en": "No donations yet🐾"},
    "history.more": {"ja": "くわしくはこちら:", "en": "More:"},
    "stamps": {"ja": "スタンプカード🐾 {n} / 47", "en": "Stamp card🐾 {n} / 47"},
    "stamps.none": {"ja": "スタンプはまだありません🐾", "en": "No stamps yet🐾"},
    "year": {
        "ja": "{year}年のまとめ🐾\n{count}件・{yen}を、{prefectures}の都道府県に届けました。",
        "en": "Your {year}🐾\n{yen} ({count}) to {prefectures} prefectures.",
    },
    "year.receipts": {"ja": "領収書はこちら:", "en": "Receipts:"},
    "share": {
        "ja": "特産品をつぶやくだけで、ふるさとに100円から寄付できるLINEボット「ちいポチ🐾」\n今日の様子: {url}",
        "en": "Chiipochi🐾, a LINE bot: say a speciality of Japan and donate to where it comes from, from ¥100.\n"
        "Today: {url}",
    },
    "pledged": {
        "ja": "毎月{day}日に、{place}へ{yen}の寄付をご案内します🐾\nやめるときは「毎月をやめる」と送ってください。",
        "en": "On day {day} of every month I will ask you for {yen} to {place}🐾\nTo end it, send “stop monthly”.",
    },
    # What people tap instead of typing; each is a word that the conversation knows
    "tap.donate": {"ja": "ピーナッツ", "en": "peanuts"},
    "tap.today": {"ja": "今日の合計", "en": "today"},
    "tap.ranking": {"ja": "ランキング", "en": "ranking"},
    "tap.stamps": {"ja": "スタンプ", "en": "stamps"},
    "tap.share": {"ja": "友だちに教える", "en": "share"},
    "tap.help": {"ja": "ヘルプ", "en": "help"},
}


def words(key: str, language: Language, **values: object) -> str:
    """A saying with its places filled."""
    found = SAYINGS[key][language]
    return found.format(**values) if values else found


def yen(amount: int, language: Language) -> str:
    return f"{amount:,}円" if language == "ja" else f"¥{amount:,}"
