// Today: the question, the answer, and what the others say.
import { button, counted, empty, h } from "./parts.js";
import { ownMenu, post, punctuality, undo } from "./posts.js";
import { after, change, doing, get, now, say, toast } from "./requests.js";
import { clock, dayName, duration, t, viewer } from "./words.js";

const ANSWER_MAX = 80;

export async function today(view, again) {
  let found;
  try {
    found = await get("/today", { keep: true });
  } catch (error) {
    if (error.code !== "no-question") throw error;
    view.replaceChildren(
      empty(
        t("none-yet.title"),
        t("none-yet"),
        h("a", { class: "q-button soft", href: "#/people" }, t("timeline.find")),
      ),
    );
    return;
  }
  const look = h("div");
  const timeline = h("section", { class: "q-timeline", "aria-labelledby": "timeline" });
  view.classList.add("two");
  view.replaceChildren(h("div", { class: "q-side" }, card(found, again), look), timeline);
  await Promise.all([showTimeline(timeline, again), showLookBack(look)]);
}

async function showLookBack(place) {
  const found = await get("/me/look-back", { keep: true });
  const streak = document.getElementById("streak");
  streak.hidden = found.streak < 2;
  streak.textContent = `🔥 ${t("streak", { n: found.streak })}`;
  if (found.yearAgo) place.replaceChildren(yearAgo(found.yearAgo));
}

export function yearAgo({ question, answer }) {
  return h(
    "a",
    { class: "q-year", href: `#/a/${answer.date}/${answer.userId}` },
    h("h2", {}, t("year-ago")),
    h("p", { class: "muted" }, question),
    h("p", { class: "q-text" }, answer.text),
  );
}

function card({ question, answer }, again) {
  return h(
    "section",
    { class: "q-card", "aria-labelledby": "question" },
    h(
      "p",
      { class: "q-when" },
      h("span", {}, dayName(question.date, { year: false })),
      h("span", {}, t("card.from", { time: clock(question.publishedAt) })),
    ),
    h("h1", { id: "question", class: "q-question" }, question.text),
    answer ? mine(answer, again) : answerForm(question, again),
  );
}

function mine(answer, again) {
  if (answer.isDeleted) {
    return h(
      "div",
      { class: "q-mine", id: "mine", tabindex: "-1" },
      h("p", {}, t("answer.deleted")),
      h("p", { class: "q-label" }, t(answer.canRestore ? "answer.undo" : "answer.gone")),
      undo(answer, again),
    );
  }
  return h(
    "div",
    { class: "q-mine", id: "mine", tabindex: "-1" },
    h(
      "div",
      { class: "q-row" },
      h("p", { class: "q-label" }, t("answer.mine"), " ", punctuality(answer)),
      ownMenu(answer, again),
    ),
    h("p", { class: "q-text" }, answer.text),
    answer.isFlagged && h("p", { class: "q-note" }, t("answer.flagged")),
  );
}

function answerForm(question, again) {
  const draft = `q-draft-${question.date}`;
  const { box, count, update } = counted(ANSWER_MAX, {
    id: "answer",
    name: "text",
    rows: 2,
    required: true,
    placeholder: t("answer.placeholder"),
    enterkeyhint: "send",
    value: localStorage.getItem(draft) ?? "",
  });
  const send = h("button", { class: "q-button", type: "submit" }, t("answer.send"));
  box.addEventListener("counted", (event) => {
    send.disabled = !event.detail.good;
    // A text that was not sent is still there after a reload, a sign-in or a flat battery.
    if (box.value) localStorage.setItem(draft, box.value);
    else localStorage.removeItem(draft);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault(); // an answer is one line
    if (!send.disabled) form.requestSubmit();
  });
  const form = h(
    "form",
    { class: "q-answer", "data-again": true, onsubmit: doing(() => answerIt(question, box, draft, again)) },
    h("label", { class: "visually-hidden", for: "answer" }, t("answer.label")),
    box,
    h("p", { class: "q-note", "data-error": "", role: "alert" }),
    h("p", { class: "q-note", "data-error": "text", role: "alert" }),
    h("div", { class: "q-row" }, count, send),
  );
  update();
  return h("div", {}, remaining(question), form);
}

async function answerIt(question, box, draft, again) {
  try {
    await change("POST", "/answers", { text: box.value, date: question.date });
    toast(t("answer.sent"), "ok");
  } catch (error) {
    if (!["question-closed", "already-answered"].includes(error.code)) throw error;
    say(error); // it is another question now, or was answered elsewhere: the page shows which
  }
  localStorage.removeItem(draft);
  await again("mine");
}

// How long one is still on time, as words and as a line that grows shorter; afterwards, how late one is.
function remaining(question) {
  const words = h("p", { class: "q-left" });
  const line = h("div", { class: "q-line", "aria-hidden": "true" }, h("i"));
  const [from, until] = [Date.parse(question.publishedAt), Date.parse(question.onTimeUntil)];
  let shown = false;
  const tick = () => {
    if (shown && !words.isConnected) clearInterval(timer);
    shown = words.isConnected;
    const left = until - now();
    const seconds = Math.max(0, Math.ceil(left / 1000));
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    words.textContent =
      left > 0 ? t("card.left", { time }) : t("card.late", { time: duration(Math.ceil(-left / 60000) || 1) });
    words.classList.toggle("over", left <= 0);
    line.hidden = left <= 0;
    line.firstChild.style.width = `${Math.max(0, Math.min(1, left / (until - from))) * 100}%`;
  };
  const timer = setInterval(tick, 1000);
  tick();
  return h("div", {}, words, line);
}

async function showTimeline(place, again) {
  const first = await get("/timeline", { keep: true });
  const count = `${first.total}${first.more ? "+" : ""}`;
  const heading = h("h2", { id: "timeline" }, t("timeline"), " ", h("span", { class: "count" }, count));
  if (first.locked) {
    place.replaceChildren(heading, locked(first.total && count));
    return;
  }
  const list = h("div", { class: "q-list" });
  let [cursor, late] = [null, false];
  const add = (page) => {
    for (const one of page.items) {
      if (!one.answer.isOnTime && !late && list.children.length)
        list.append(h("p", { class: "q-divide" }, t("timeline.late")));
      late ||= !one.answer.isOnTime;
      list.append(post(one, again));
    }
    cursor = page.cursor;
    more.hidden = !cursor;
  };
  const more = button(
    t("more"),
    async () => {
      const seen = list.children.length;
      add(await get(`/timeline${after(cursor)}`));
      list.children[seen]?.querySelector("a")?.focus();
    },
    "soft wide",
  );
  add(first);
  const nobody = first.items.every((one) => one.author.userId === viewer);
  const hint =
    nobody &&
    empty(
      t("timeline.empty.title"),
      t("timeline.empty"),
      h("a", { class: "q-button", href: "#/people" }, t("timeline.find")),
    );
  place.replaceChildren(heading, list, hint || "", more);
}

function locked(count) {
  const veil = [1, 2, 3].map(() => h("div", { class: "q-post veiled", "aria-hidden": "true" }, h("i"), h("i"), h("i")));
  return h(
    "div",
    { class: "q-locked" },
    veil,
    h(
      "div",
      { class: "q-lock" },
      h("p", { class: "empty-title" }, count ? t("locked.title", { n: count }) : t("locked.none")),
      h("p", {}, t("locked")),
      button(t("locked.answer"), () => document.getElementById("answer")?.focus(), "small"),
    ),
  );
}
