// What one was told, and how one stands with the moderators: the second also for whoever is locked out.
import { avatar, back, button, counted, dialog, empty, form, h, pages, sure } from "./parts.js";
import { after, change, get, toast } from "./requests.js";
import { clock, dayName, longDate, t } from "./words.js";

const APPEAL_MAX = 500;

export const showUnread = (count) => {
  const dot = document.getElementById("inbox-dot");
  if (dot) dot.hidden = !count;
};

const days = new Intl.DateTimeFormat("sv", { timeZone: "Asia/Tokyo" }); // 2026-11-15
const when = (moment) => `${dayName(days.format(new Date(moment)), { year: false })} ${clock(moment)}`;

export async function inbox(view) {
  const list = await pages(
    (cursor) => get(`/me/inbox${after(cursor)}`),
    notice,
    () => empty(t("inbox.empty"), t("inbox.empty.about")),
  );
  view.replaceChildren(
    h("h1", {}, t("tab.inbox")),
    list,
    h("a", { class: "q-quiet", href: "#/standing" }, t("standing")),
  );
  await change("POST", "/me/inbox/read", {});
  showUnread(0);
}

function notice(one) {
  const picture = one.user ? avatar(one.user) : h("span", { class: "avatar", "aria-hidden": "true" }, "Q");
  return h(
    "a",
    { class: `q-person q-notice${one.isNew ? " new" : ""}`, href: one.url.replace(/^\/q\//, "") || "#/" },
    picture,
    h("span", {}, h("strong", {}, one.text), h("small", {}, when(one.createdAt))),
  );
}

export async function standing(view, again) {
  const found = await get("/me/standing");
  const heading = found.isBanned ? t("banned.title") : t("standing");
  view.replaceChildren(
    ...[
      !found.isBanned && back("#/inbox"),
      h("h1", {}, heading),
      found.isBanned && h("p", { class: "about" }, untilWhen(found)),
      ...found.decisions.map((one) => decision(one, again)),
      !found.decisions.length && !found.isBanned && h("p", { class: "muted" }, t("standing.none")),
      found.isBanned && h("a", { class: "q-button soft", href: "/account" }, t("me.account")),
      found.isBanned && h("a", { class: "q-button soft", href: "/account/export" }, t("me.export")),
      found.isBanned && !found.deletingAt && leaveButton(again),
      found.deletingAt && h("p", { role: "status" }, t("leaving.title")),
    ].filter(Boolean),
  );
}

const leaveButton = (again) =>
  button(
    t("me.leave"),
    async () => {
      if (!(await sure(t("me.leave"), t("me.leave.sure"), t("me.leave.yes")))) return;
      await change("POST", "/me/withdrawal");
      await again();
    },
    "soft wide danger",
  );

const untilWhen = (found) =>
  found.bannedUntil ? t("banned.until", { date: longDate(Date.parse(found.bannedUntil)) }) : t("banned.about");

function decision(one, again) {
  return h(
    "section",
    { class: `q-panel${one.ended ? " past" : ""}` },
    h("h2", {}, t(`standing.${one.kind}`, { day: one.day ?? "" })),
    h("small", { class: "muted" }, when(one.createdAt)),
    one.ended && h("p", {}, h("span", { class: "q-badge" }, t("standing.ended"))),
    one.until && h("p", {}, t("standing.until", { date: longDate(Date.parse(one.until)) })),
    one.reason && h("p", {}, `${t("standing.reason")}: ${one.reason}`),
    one.appeal && h("p", { role: "status" }, t(`appeal.${one.appeal}`)),
    one.canAppeal && button(t("appeal"), () => appeal(one, again), "soft"),
  );
}

function appeal(one, again) {
  const text = counted(APPEAL_MAX, { id: "appeal", name: "text", rows: 4, required: true });
  const made = form(
    async () => {
      await change("POST", `/me/standing/${one.decisionId}/appeal`, { text: text.box.value });
      box.close();
      toast(t("appeal.sent"), "ok");
      await again();
    },
    h("p", {}, t("appeal.about")),
    h("label", { for: "appeal" }, t("appeal.label")),
    text.box,
    text.count,
    h("button", { class: "q-button wide", type: "submit" }, t("appeal.send")),
  );
  const box = dialog(t("appeal"), made);
  text.update();
}
