"""What this system will not do, each with its words."""

from __future__ import annotations

from sekkei.runtime.refusals import Conflict, Gone, Invalid, NotAllowed, NotThere, Refusal, say


class NoSuchLesson(NotThere):
    code = "no-such-lesson"
    words = say("そのレッスンは見つかりません。", "There is no such lesson.")


class NoSuchTie(NotThere):
    code = "not-registered"
    words = say("このレッスンには登録していません。", "You are not registered for this lesson.")


class BadSlot(Invalid):
    code = "bad-slot"
    words = say(
        "スタジオは英小文字と数字（# は使えません）、日付は YYYY-MM-DD、時刻は 09:30 のように書いてください。",
        "Write the studio in lower-case letters and digits (no #), the day as YYYY-MM-DD and the time like 09:30.",
    )


class LessonOver(Conflict):
    code = "lesson-over"
    words = say("このレッスンはもう始まっています。", "This lesson has already begun.")


class Full(Conflict):
    code = "full"
    words = say("満席です。キャンセル待ちに登録できます。", "The lesson is full. You can join the waitlist.")


class NotFull(Conflict):
    code = "not-full"
    words = say("空席があります。そのまま予約できます。", "There are free places: you can book at once.")


class Held(Conflict):
    code = "held"
    words = say(
        "空いた席は、先に待っている方のために取り置かれています。",
        "The free place is held for somebody who waited longer.",
    )


class Closed(Conflict):
    code = "closed"
    words = say("このレッスンは受付を終了しました。", "This lesson takes no bookings.")


class AlreadyRegistered(Conflict):
    code = "already-registered"
    words = say("すでに登録しています。", "You are already registered.")


class TooLateToCancel(Conflict):
    code = "too-late-to-cancel"
    words = say(
        "開始 {hours} 時間前を過ぎたため取り消せません。", "It can be cancelled until {hours} h before it begins."
    )


class SlotTaken(Conflict):
    code = "slot-taken"
    words = say(
        "同じスタジオの同じ時刻に、別のレッスン（{name}）があります。",
        "Another lesson ({name}) is at the same studio at the same time.",
    )


class CalledOff(Conflict):
    code = "called-off"
    words = say(
        "休講のままです。予約を受け付けるには、休講も取り消してください。",
        "It is called off and stays so. To take bookings, say as well that it takes place after all.",
    )


class NoteTooLong(Invalid):
    code = "note-too-long"
    words = say("メモは {limit} 文字までです。", "A note has at most {limit} characters.")


class NotStaff(NotAllowed):
    code = "not-staff"
    words = say("この操作はスタジオの担当者だけができます。", "Only the studio's staff may do this.")


class NoSuchStudio(NotThere):
    code = "no-such-studio"
    words = say("そのスタジオは見つかりません。", "There is no such studio.")


class BadSignature(Refusal):
    code = "bad-signature"
    status = 401
    words = say("署名か時刻が正しくありません。", "The signature or its time is not right.")


class Replayed(Conflict):
    code = "replayed"
    words = say("この通知はすでに受け取っています。", "This push has been received before.")


class LinkOver(Gone):
    code = "link-over"
    words = say("このリンクは期限が切れたか、無効になりました。", "This link is over, or was made void.")


class BadAddress(Invalid):
    code = "bad-address"
    words = say("宛先の形になっていません。", "This is not an address of that kind.")


class WrongCode(Invalid):
    code = "wrong-code"
    words = say("コードが違います。", "The code is wrong.")


class CodeOver(Gone):
    code = "code-over"
    words = say(
        "コードの期限が切れたか、回数を超えました。新しいコードを送ってください。",
        "The code has expired or was tried too often. Ask for a new one.",
    )


class NotProven(Invalid):
    code = "not-proven"
    words = say("先に宛先を確認してください。", "Prove the address first.")


class BadSearch(Invalid):
    code = "bad-search"
    words = say(
        "スタジオ、プログラム、インストラクターのどれかを選んでください。",
        "Choose a studio, a programme or an instructor.",
    )


class TooManySearches(Conflict):
    code = "too-many-searches"
    words = say("保存できる条件は {limit} 件までです。", "You can save {limit} searches.")


class NoSuchSearch(NotThere):
    code = "no-such-search"
    words = say("その条件は見つかりません。", "There is no such search.")


class TooEarly(Conflict):
    code = "too-early"
    words = say(
        "出欠は開始 {minutes} 分前からつけられます。", "Attendance is taken from {minutes} minutes before the start."
    )


class BadLesson(Invalid):
    code = "bad-lesson"
    words = say("レッスンの内容を確認してください。", "Please check the lesson.")


class KeyReused(Conflict):
    code = "key-reused"
    words = say(
        "この Idempotency-Key は別の要求に使われています。", "This Idempotency-Key was used for a different request."
    )
