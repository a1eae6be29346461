// Today: the question, the answer, and what the others say.
import { EMOJI, avatar, change, clock, counted, dayName, dialog, doing, empty, get, h, menu, name, say, t, toast, viewer } from "./parts.js";
import { block, report } from "./people.js";

export async function today(view, again) {
  let found;
  try {
    found = await get("/today");
  } catch (error) {
    if (error.code !== "no-question") throw error;
    view.replaceChildren(empty(t("q.none-yet.title"), t("q.none-yet")));
    return;
  }
  const look = h("div");
  const timeline = h("section", { class: "q-timeline", "aria-label": t("q.timeline") });
  view.replaceChildren(card(found, again), look, timeline);
  await Promise.all([showTimeline(timeline, again), showLookBack(look)]);
}

async function showLookBack(place) {
  const found = await get("/me/look-back");
  const streak = document.getElementById("streak");
  streak.hidden = found.streak < 2;
  streak.textContent = `🔥 ${t("q.streak", { n: found.streak })}`;
  if (found.yearAgo) {
    place.replaceChildren(h("article", { class: "q-year" }, h("h2", {}, t("q.year-ago")),
      h("p", { class: "muted" }, found.yearAgo.question), h("p", { class: "q-text" }, found.yearAgo.answer.text)));
  }
}

function card({ question, answer }, again) {
  return h("section", { class: "q-card", "aria-labelledby": "question" },
    h("p", { class: "q-when" }, h("span", {}, dayName(question.date, true)), h("span", {}, t("q.card.from", { time: clock(question.publishedAt) }))),
    h("h1", { id: "question", class: "q-question" }, question.text),
    answer ? mine(answer, again) : answerForm(question, again));
}

function mine(answer, again) {
  if (answer.isDeleted) {
    const undo = answer.canRestore && h("button", { class: "q-button light", type: "button", onclick: doing(async () => {
      await change("POST", `/answers/${answer.date}/restore`);
      again();
    }) }, t("q.answer.restore"));
    return h("div", { class: "q-mine" }, h("p", {}, t("q.answer.deleted")), undo);
  }
  return h("div", { class: "q-mine" }, h("p", { class: "q-label" }, t("q.answer.mine"), " ", punctuality(answer)),
    h("p", { class: "q-text" }, answer.text), answer.isFlagged && h("p", { class: "q-note" }, t("q.answer.flagged")));
}

export function punctuality(answer) {
  return answer.isOnTime ? h("span", { class: "q-badge on" }, t("q.on-time")) : h("span", { class: "q-badge" }, t("q.late", { n: answer.lateMinutes }));
}

function answerForm(question, again) {
  const { box, count } = counted(80, { id: "answer", rows: 2, required: true, placeholder: t("q.answer.placeholder"), enterkeyhint: "send" });
  const button = h("button", { class: "q-button", type: "submit", disabled: true }, t("q.answer.send"));
  box.addEventListener("counted", (event) => (button.disabled = !event.detail.good));
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault(); // an answer is one line
    if (!button.disabled) form.requestSubmit();
  });
  const form = h("form", { class: "q-answer", "data-again": true, onsubmit: doing(() => post(question, box, again)) },
    h("label", { class: "visually-hidden", for: "answer" }, t("q.answer.label")), box,
    h("div", { class: "q-row" }, count, button));
  return h("div", {}, remaining(question), form);
}

async function post(question, box, again) {
  try {
    await change("POST", "/answers", { text: box.value, date: question.date });
    toast(t("q.answer.sent"), "ok");
  } catch (error) {
    if (!["question-closed", "already-answered"].includes(error.code)) throw error;
    say(error);
  }
  again();
}

// How long one is still on time, as words and as a line that grows shorter.
function remaining(question) {
  const words = h("p", { class: "q-left", role: "timer", "aria-live": "off" });
  const line = h("div", { class: "q-line", "aria-hidden": "true" }, h("i"));
  const [from, until] = [Date.parse(question.publishedAt), Date.parse(question.onTimeUntil)];
  const tick = () => {
    const left = until - Date.now();
    const seconds = Math.max(0, Math.ceil(left / 1000));
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    words.textContent = left > 0 ? t("q.card.left", { time }) : t("q.card.late", { n: Math.ceil(-left / 60000) || 1 });
    line.firstChild.style.width = `${Math.max(0, Math.min(1, left / (until - from))) * 100}%`;
    if (!words.isConnected && words.dataset.shown) clearInterval(timer);
    if (words.isConnected) words.dataset.shown = "1";
  };
  const timer = setInterval(tick, 1000);
  tick();
  return h("div", {}, words, line);
}

async function showTimeline(place, again) {
  const first = await get("/timeline");
  const heading = h("h2", {}, t("q.timeline"), " ", h("span", { class: "count" }, String(first.total)));
  if (first.locked) {
    const veil = [1, 2, 3].map(() => h("div", { class: "q-post veiled", "aria-hidden": "true" }, h("i"), h("i"), h("i")));
    place.replaceChildren(heading, h("div", { class: "q-locked" }, veil,
      h("div", { class: "q-lock" }, h("p", { class: "empty-title" }, t("q.locked.title", { n: first.total })), h("p", {}, t("q.locked")))));
    return;
  }
  const list = h("div", { class: "q-list" });
  const more = h("button", { class: "q-button soft wide", type: "button", hidden: true }, t("q.more"));
  let cursor;
  const add = (page) => {
    list.append(...page.items.map((one) => post_(one, again)));
    cursor = page.cursor;
    more.hidden = !cursor;
  };
  more.addEventListener("click", doing(async () => add(await get(`/timeline?after=${encodeURIComponent(cursor)}`))));
  add(first);
  const nobody = first.items.every((one) => one.author.userId === viewer);
  const hint = nobody && empty(t("q.timeline.empty.title"), t("q.timeline.empty"), h("a", { class: "q-button", href: "#/people" }, t("q.timeline.find")));
  place.replaceChildren(heading, list, hint || "", more);
}

function post_({ answer, author, reactions }, again) {
  const own = author.userId === viewer;
  const path = `/answers/${answer.date}/${answer.userId}`;
  const items = own
    ? [[t("q.answer.delete"), doing(async () => {
        if (!confirm(t("q.answer.delete.sure"))) return;
        await change("DELETE", `/answers/${answer.date}`);
        again();
      }), "danger"]]
    : [[t("q.report"), () => report("answer", `${answer.date}#${answer.userId}`)], [t("q.block"), doing(() => block(author, again)), "danger"]];
  return h("article", { class: `q-post${own ? " own" : ""}` },
    h("header", {}, h("a", { class: "q-person", href: own ? "#/me" : `#/u/${author.userId}` }, avatar(author), h("span", {}, h("strong", {}, name(author)), h("small", {}, clock(answer.createdAt)))),
      punctuality(answer), menu(items)),
    h("p", { class: "q-text" }, answer.text),
    answer.isFlagged && h("p", { class: "q-note" }, t("q.answer.flagged")),
    reactionBar(path, reactions));
}

function reactionBar(path, reactions) {
  const bar = h("div", { class: "q-reactions" });
  const show = (now) => {
    const total = Object.values(now.counts).reduce((sum, one) => sum + one, 0);
    bar.replaceChildren(...EMOJI.map((emoji) => h("button", {
      type: "button", class: "q-reaction", "aria-pressed": String(now.mine === emoji), "aria-label": t("q.react", { emoji }),
      onclick: doing(async () => show(now.mine === emoji ? await change("DELETE", `${path}/reaction`) : await change("PUT", `${path}/reaction`, { reaction: emoji }))),
    }, emoji, now.counts[emoji] ? h("b", {}, String(now.counts[emoji])) : "")),
    total ? h("button", { type: "button", class: "q-who", onclick: doing(() => reactors(path)) }, `${total}${now.more ? "+" : ""}`, h("span", { class: "visually-hidden" }, t("q.reactors"))) : "");
  };
  show(reactions);
  return bar;
}

async function reactors(path) {
  const found = await get(`${path}/reactions`);
  dialog(t("q.reactors"), found.map((one) => h("a", { class: "q-person", href: `#/u/${one.user.userId}`, "data-close": true }, avatar(one.user), h("span", {}, h("strong", {}, name(one.user))), h("span", { class: "q-emoji" }, one.reaction))));
}

export function memory({ question, answer }) {
  return h("article", { class: `q-memory${answer.isDeleted ? " gone" : ""}` }, h("p", { class: "muted" }, dayName(answer.date), " · ", question),
    h("p", { class: "q-text" }, answer.text), h("p", {}, punctuality(answer), answer.isDeleted && h("span", { class: "q-badge" }, t("q.answer.deleted"))));
}
