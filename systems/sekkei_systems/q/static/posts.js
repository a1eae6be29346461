// Answers, wherever they are shown: a post with its reactions, one of one's memories, a page of its own.
import { avatar, back, button, dialog, empty, h, linkTo, menu, sure, who } from "./parts.js";
import { blockFrom, mute, report } from "./people.js";
import { change, doing, get, say, toast } from "./requests.js";
import { clock, dayName, duration, name, t, viewer } from "./words.js";

const CARD = { width: 1080, height: 1350 };
const EMOJI = ["❤️", "🔥", "😂", "🤔", "👀"];

export function punctuality(answer) {
  return answer.isOnTime
    ? h("span", { class: "q-badge on" }, t("on-time"))
    : h("span", { class: "q-badge" }, t("late", { time: duration(answer.lateMinutes) }));
}

export const addressOf = (answer) => `/answers/${answer.date}/${answer.userId}`;

export function post({ answer, author, reactions }, again) {
  const own = author.userId === viewer;
  return h(
    "article",
    { class: `q-post${own ? " own" : ""}`, "aria-label": t("post", { name: name(author) }) },
    h(
      "header",
      {},
      who(author, clock(answer.createdAt)),
      punctuality(answer),
      own ? ownMenu(answer, again) : theirMenu(answer, author, again),
    ),
    h("p", { class: "q-text" }, answer.text),
    answer.isFlagged && h("p", { class: "q-note" }, t("answer.flagged")),
    reactionBar(addressOf(answer), reactions),
  );
}

export function ownMenu(answer, again) {
  return menu(t("menu"), [
    [t("card"), () => shareCard(answer)],
    [
      t("answer.delete"),
      async () => {
        if (!(await sure(t("answer.delete"), t("answer.delete.sure"), t("delete")))) return;
        await change("DELETE", `/answers/${answer.date}`);
        toast(t("answer.deleted"), "ok");
        again();
      },
      "danger",
    ],
  ]);
}

function theirMenu(answer, author, again) {
  return menu(t("menu.of", { name: name(author) }), [
    [t("mute"), () => mute(author, again)],
    [t("report"), () => report("answer", `${answer.date}#${answer.userId}`)],
    [t("block"), () => blockFrom(author, again), "danger"],
  ]);
}

// The answer as a picture, to send on or to keep.
async function shareCard(answer) {
  const picture = await drawn(`/q/cards/${answer.date}.svg`);
  const file = new File([picture], `q-${answer.date}.png`, { type: "image/png" });
  const url = URL.createObjectURL(picture);
  const share =
    navigator.canShare?.({ files: [file] }) &&
    button(t("card.share"), () => navigator.share({ files: [file] }).catch(() => {}), "wide");
  const box = dialog(
    t("card"),
    h("img", { class: "q-shared", src: url, alt: answer.text, width: CARD.width, height: CARD.height }),
    share,
    h("a", { class: `q-button wide ${share ? "soft" : ""}`, href: url, download: file.name }, t("card.save")),
  );
  box.addEventListener("close", () => URL.revokeObjectURL(url));
}

async function drawn(address) {
  const image = h("img", { src: address, width: CARD.width, height: CARD.height });
  await image.decode();
  const canvas = h("canvas", CARD);
  canvas.getContext("2d").drawImage(image, 0, 0, CARD.width, CARD.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

export function undo(answer, again) {
  return (
    answer.isDeleted &&
    answer.canRestore &&
    button(
      t("answer.restore"),
      async () => {
        await change("POST", `/answers/${answer.date}/restore`);
        again();
      },
      "light small",
    )
  );
}

// Shows at once what was chosen, then what the server says; when it says no, what was there before.
function reactionBar(path, given) {
  let known = given;
  let chosen = given.mine;
  let queue = Promise.resolve();
  const press = (emoji) => {
    chosen = chosen === emoji ? null : emoji;
    const wanted = chosen;
    draw(assumed(known, wanted));
    queue = queue.then(async () => {
      try {
        known = wanted
          ? await change("PUT", `${path}/reaction`, { reaction: wanted })
          : await change("DELETE", `${path}/reaction`);
      } catch (error) {
        if (chosen === wanted) chosen = known.mine;
        say(error);
      }
      draw(assumed(known, chosen));
    });
  };
  const buttons = EMOJI.map((emoji) =>
    h(
      "button",
      { type: "button", class: "q-reaction", onclick: () => press(emoji) },
      h("span", { "aria-hidden": "true" }, emoji),
      h("b"),
    ),
  );
  const all = h("button", { type: "button", class: "q-who", onclick: doing(() => reactors(path)) });
  const draw = (now) => {
    EMOJI.forEach((emoji, at) => {
      const count = now.counts[emoji] ?? 0;
      buttons[at].setAttribute("aria-pressed", String(now.mine === emoji));
      buttons[at].setAttribute("aria-label", count ? t("react.count", { emoji, n: count }) : t("react", { emoji }));
      buttons[at].lastChild.textContent = count || "";
    });
    const total = Object.values(now.counts).reduce((sum, one) => sum + one, 0);
    all.hidden = total === 0;
    all.textContent = t("reactors.count", { n: `${total}${now.more ? "+" : ""}` });
  };
  draw(given);
  return h("div", { class: "q-reactions", role: "group", "aria-label": t("reactors") }, buttons, all);
}

function assumed({ counts, mine, more }, chosen) {
  const next = { ...counts };
  if (mine) next[mine] = Math.max(0, (next[mine] ?? 1) - 1);
  if (chosen) next[chosen] = (next[chosen] ?? 0) + 1;
  return { counts: next, mine: chosen, more };
}

async function reactors(path) {
  const found = await get(`${path}/reactions`);
  dialog(
    t("reactors"),
    found.map((one) =>
      h(
        "a",
        { class: "q-person", href: linkTo(one.user), "data-close": true },
        avatar(one.user),
        h("span", {}, h("strong", {}, name(one.user))),
        h("span", { class: "q-emoji" }, one.reaction),
      ),
    ),
  );
}

// In a history: leads to the answer's own page.
export function memory({ question, answer }, again) {
  return h(
    "article",
    { class: `q-memory${answer.isDeleted ? " gone" : ""}` },
    h(
      "a",
      { class: "q-whole", href: `#/a/${answer.date}/${answer.userId}` },
      h("p", { class: "muted" }, dayName(answer.date), " · ", question),
      h("p", { class: "q-text" }, answer.text),
    ),
    h(
      "p",
      { class: "q-row start" },
      punctuality(answer),
      answer.isDeleted && h("span", { class: "q-badge" }, t("deleted")),
      answer.isFlagged && h("span", { class: "q-badge" }, t("reviewing")),
      answer.userId === viewer && undo(answer, again),
    ),
  );
}

export async function answerPage(view, again, day, id) {
  const from = id === viewer ? "#/me" : `#/u/${id}`;
  try {
    const { question, answer, author, reactions } = await get(`/answers/${day}/${id}`);
    view.replaceChildren(
      back(from),
      h(
        "section",
        { class: "q-card" },
        h("p", { class: "q-when" }, h("span", {}, dayName(day))),
        h("h1", { class: "q-question" }, question),
      ),
      post({ answer, author, reactions }, again),
    );
  } catch (error) {
    if (error.code !== "no-such-answer") throw error;
    view.replaceChildren(back(from), empty(t("answer.unseen"), t("answer.unseen.about")));
  }
}
