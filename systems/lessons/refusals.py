"""What this system will not do, each with its words."""

from __future__ import annotations

from sekkei.runtime.refusals import Conflict, Invalid, NotAllowed, NotThere, say


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
        "開始 {hours} 時間前を過ぎたため取り消せません。", "It can be cancelled until {hours} hours before it begins."
    )


class SlotTaken(Conflict):
    code = "slot-taken"
    words = say(
        "同じスタジオの同じ時刻に、別のレッスンがあります。", "Another lesson is at the same studio at the same time."
    )


class NoteTooLong(Invalid):
    code = "note-too-long"
    words = say("メモは {limit} 文字までです。", "A note has at most {limit} characters.")


class NotStaff(NotAllowed):
    code = "not-staff"
    words = say("この操作はスタジオの担当者だけができます。", "Only the studio's staff may do this.")


class BadLesson(Invalid):
    code = "bad-lesson"
    words = say("レッスンの内容を確認してください。", "Please check the lesson.")


class KeyReused(Conflict):
    code = "key-reused"
    words = say(
        "この Idempotency-Key は別の要求に使われています。", "This Idempotency-Key was used for a different request."
    )
