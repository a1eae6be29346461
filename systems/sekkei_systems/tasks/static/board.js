// The board: cards move by drag and drop, by keys and by menu; what others do arrives by itself.
import { send, toast } from "../app.js";
import { fragment, key, offer, surely, tell, untouched, say as words } from "./client.js";
import { keepDraft } from "./drafts.js";

const board = document.querySelector("[data-board]");
const columns = [...board.querySelectorAll(".column")];
const aloud = document.querySelector("[data-say]");

const columnOf = (status) => columns.find((column) => column.dataset.status === status);
const listOf = (status) => columnOf(status).querySelector("[data-list]");
const cardOf = (id) => board.querySelector(`.task-card[data-task="${CSS.escape(id)}"]`);
const titleOf = (card) => card.querySelector(".task-link").textContent;

// Where a card belongs: columns run by hand, or by date; what is done, from the latest back.
const byHand = board.hasAttribute("data-by-hand");
function place(card, status) {
  const list = listOf(status);
  const backwards = status === "done";
  const later = [...list.querySelectorAll(".task-card")].find((other) => {
    if (other === card) return false;
    return backwards ? other.dataset.sort < card.dataset.sort : other.dataset.sort > card.dataset.sort;
  });
  card.dataset.status = status;
  list.insertBefore(card, later ?? list.querySelector(".more"));
}

async function fresh(id) {
  const found = await fragment(`${board.dataset.cards}/${encodeURIComponent(id)}${location.search}`);
  return found?.querySelector(".task-card");
}

// The card as the server shows it now, in its place; the focus stays where it was.
async function renew(id, mark) {
  const card = await fresh(id);
  await untouched();
  if (toCome.get(id)) return;
  const old = cardOf(id);
  if (card && Number(old?.dataset.version) > Number(card.dataset.version)) return; // a later answer came first
  const focused = old?.contains(document.activeElement);
  const said = old?.querySelector("[data-comments]");
  old?.remove();
  if (!card) return;
  surely(`plan ${id}`, () => showPlans([card]));
  if (said) card.querySelector("[data-comments]").replaceWith(said);
  else surely(`comments ${id}`, () => count([card]));
  place(card, card.dataset.status);
  if (mark) card.classList.add("arrived");
  if (focused) card.querySelector(".task-link").focus();
}

// What is done to cards is told to the server one after the other, as it was done. A card with more to come is shown
// as whoever moves it has left it.
const toCome = new Map();
let told = Promise.resolve();
async function tellInTurn(id, ...request) {
  toCome.set(id, (toCome.get(id) ?? 0) + 1);
  const answer = told.then(() => send(...request));
  told = answer.catch(() => {}).then(() => toCome.set(id, toCome.get(id) - 1));
  return answer;
}

async function move(card, status) {
  const before = card.dataset.status;
  if (before === status) return;
  const id = card.dataset.task;
  const focused = card.contains(document.activeElement);
  if (status === "done") card.dataset.sort = "~"; // just now
  place(card, status);
  if (focused) card.querySelector(".task-link").focus();
  const said = board.dataset.textMoved
    .replace("{title}", titleOf(card))
    .replace("{status}", columnOf(status).dataset.name);
  aloud.textContent = said;
  try {
    const task = await tellInTurn(id, "PATCH", `${board.dataset.api}/${encodeURIComponent(id)}`, { status });
    card.dataset.version = task.version;
    offer(said, words("undo"), () => undo(id, task.version));
    warn(task);
    await renew(id, false);
  } catch (problem) {
    if (cardOf(id) === card) place(card, before);
    returned(card);
    tell(problem);
  }
}

// Whoever closes a task with open subtasks is told, and not stopped.
function warn({ status, subtasks }) {
  const left = subtasks.all - subtasks.done;
  if (status === "done" && left) toast(words("subtasks.open", { n: left }), "warning");
}

// What could not be done is seen: the card is back where it was, and shakes.
function returned(card) {
  card.classList.remove("saving");
  card.classList.add("returned");
}
board.addEventListener("animationend", ({ target }) => target.classList.remove("returned"));

async function change(card, body) {
  const id = card.dataset.task;
  card.classList.add("saving");
  try {
    const task = await tellInTurn(id, "PATCH", `${board.dataset.api}/${encodeURIComponent(id)}`, body);
    card.dataset.version = task.version;
    offer(words("changed", { title: task.title }), words("undo"), () => undo(id, task.version));
    await renew(id, false);
  } catch (problem) {
    returned(card);
    tell(problem);
  }
}

async function throwAway(card) {
  const id = card.dataset.task;
  const next = card.nextElementSibling ?? card.previousElementSibling;
  card.hidden = true;
  next?.querySelector(".task-link")?.focus();
  try {
    await tellInTurn(id, "DELETE", `${board.dataset.api}/${encodeURIComponent(id)}`);
    offer(words("deleted", { title: titleOf(card) }), words("undo"), () => takeOut(id));
  } catch (problem) {
    card.hidden = false;
    returned(card);
    tell(problem);
  }
}

async function takeOut(id) {
  try {
    await send("POST", `${board.dataset.api.replace(/tasks$/, "trash")}/${encodeURIComponent(id)}/back`, {});
    await renew(id, true);
  } catch (problem) {
    tell(problem);
  }
}

// What the palette and quick adding ask for

function asked(name, act) {
  document.addEventListener(name, (event) => {
    const card = cardOf(event.detail.task);
    if (!card && name !== "tasks:added") return;
    event.preventDefault();
    act(card, event.detail);
  });
}
asked("tasks:change", (card, detail) =>
  detail.change.status ? move(card, detail.change.status) : change(card, detail.change),
);
asked("tasks:delete", throwAway);
asked("tasks:added", async (_, { task, card }) => {
  await renew(task, true).catch(() => {});
  card?.remove();
});

async function undo(id, version) {
  try {
    await send("POST", `${board.dataset.api}/${encodeURIComponent(id)}/activity/${version}/undo`, {});
    aloud.textContent = words("undone");
    await renew(id, true);
  } catch (problem) {
    tell(problem);
  }
}

// By hand: a card stands between two others, and the server is told which

const cardsIn = (status) => [...listOf(status).querySelectorAll(".task-card")];

async function put(card, status, below, again = false) {
  if (!card) return;
  const before = { status: card.dataset.status, next: card.nextElementSibling };
  const focused = card.contains(document.activeElement);
  const list = listOf(status);
  list.insertBefore(card, below?.parentElement === list ? below : list.querySelector(".more"));
  card.dataset.status = status;
  if (focused) card.querySelector(".task-link").focus();
  const cards = cardsIn(status);
  const at = cards.indexOf(card);
  aloud.textContent = board.dataset.textPlaced.replace("{title}", titleOf(card)).replace("{place}", at + 1);
  const around = { status, above: cards[at - 1]?.dataset.task ?? null, below: cards[at + 1]?.dataset.task ?? null };
  try {
    const address = `${board.dataset.api}/${encodeURIComponent(card.dataset.task)}/place`;
    const task = await tellInTurn(card.dataset.task, "POST", address, around);
    card.dataset.version = task.version;
    if (before.status !== status) warn(task);
    if (!again)
      offer(aloud.textContent, words("undo"), () => put(cardOf(card.dataset.task), before.status, before.next, true));
    await renew(card.dataset.task, false);
  } catch (problem) {
    card.dataset.status = before.status;
    listOf(before.status).insertBefore(card, before.next?.isConnected ? before.next : null);
    returned(card);
    tell(problem);
  }
}

function step(card, by) {
  const others = cardsIn(card.dataset.status);
  const target = others.indexOf(card) + by;
  if (target < 0 || target >= others.length) return;
  put(card, card.dataset.status, by < 0 ? others[target] : others[target + 1]);
}

function cardBelow(column, y) {
  return cardsIn(column.dataset.status).find((card) => {
    const box = card.getBoundingClientRect();
    return card !== dragged && y < box.top + box.height / 2;
  });
}

// Drag and drop

let dragged = null;
board.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.(".task-card");
  if (!dragged) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.dataset.task);
  requestAnimationFrame(() => dragged?.classList.add("dragged"));
});
board.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged");
  dragged = null;
  for (const column of columns) column.classList.remove("drop");
  mark();
});
for (const column of columns) {
  column.addEventListener("dragover", (event) => {
    if (!dragged) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
    for (const other of columns) other.classList.toggle("drop", other === column);
    if (byHand) mark(cardBelow(column, event.clientY), column);
  });
  column.addEventListener("dragleave", (event) => {
    if (!column.contains(event.relatedTarget)) column.classList.remove("drop");
  });
  column.addEventListener("drop", (event) => {
    event.preventDefault();
    column.classList.remove("drop");
    if (dragged && byHand) put(dragged, column.dataset.status, cardBelow(column, event.clientY));
    else if (dragged) move(dragged, column.dataset.status);
  });
}

// A line where the card would go.
function mark(below, column) {
  for (const card of board.querySelectorAll(".gap-before, .gap-after"))
    card.classList.remove("gap-before", "gap-after");
  if (below) below.classList.add("gap-before");
  else if (column) cardsIn(column.dataset.status).at(-1)?.classList.add("gap-after");
}

// Keys: arrows go from card to card, with Shift they take the card along

function neighbour(card, key) {
  const cards = [...card.parentElement.querySelectorAll(".task-card")];
  const at = cards.indexOf(card);
  if (key === "ArrowUp") return cards[at - 1];
  if (key === "ArrowDown") return cards[at + 1];
  const step = key === "ArrowLeft" ? -1 : 1;
  for (let next = columns.indexOf(card.closest(".column")) + step; columns[next]; next += step) {
    const others = [...columns[next].querySelectorAll(".task-card")];
    if (others.length) return others[Math.min(at, others.length - 1)];
  }
  return null;
}

board.addEventListener("keydown", (event) => {
  const card = event.target.closest(".task-card");
  if (!card || !event.target.matches(".task-link") || !event.key.startsWith("Arrow")) return;
  event.preventDefault();
  if (!event.shiftKey) {
    neighbour(card, event.key)?.querySelector(".task-link").focus();
    return;
  }
  const aside = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!aside) {
    if (byHand) step(card, event.key === "ArrowUp" ? -1 : 1);
    return;
  }
  const target = columns[columns.indexOf(card.closest(".column")) + aside];
  if (target) move(card, target.dataset.status);
});

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "n") open("todo");
  else if (event.key === "/") document.querySelector("[data-search]")?.focus();
  else return;
  event.preventDefault();
});

// The menu on a card, for fingers; without this script its buttons send a form that does the same

board.addEventListener("click", (event) => {
  const button = event.target.closest("[data-move], [data-step]");
  if (!button) return;
  event.preventDefault();
  button.closest("details").open = false;
  if (button.dataset.step) step(button.closest(".task-card"), Number(button.dataset.step));
  else move(button.closest(".task-card"), button.dataset.move);
});

const dialog = document.getElementById("new-task");
const typed = keepDraft(dialog.querySelector("form"), `new:${board.dataset.team}`);
dialog.querySelector("form").addEventListener("submit", (event) => event.defaultPrevented || typed.drop());

function open(status) {
  dialog.querySelector("[name=status]").value = status;
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("[name=title]").focus();
}
document.addEventListener("click", (event) => {
  // The shell has opened it, with the cursor on the button that closes it.
  if (event.target.closest('[data-dialog="new-task"]')) dialog.querySelector("[name=title]").focus();
});
board.addEventListener("click", (event) => {
  const add = event.target.closest("[data-new-status]");
  if (add) open(add.dataset.newStatus);
  const more = event.target.closest("[data-more]");
  if (!more) return;
  event.preventDefault();
  follow(more).catch(tell);
});

// The next cards of a column: those that a screen does not show at first come as somebody nears them, later ones are
// asked for, so that the end of a column can be reached.
async function follow(more) {
  if (more.dataset.asked) return;
  more.dataset.asked = "1";
  const found = await fragment(more.href).finally(() => delete more.dataset.asked);
  await untouched();
  if (!found || !more.isConnected) return;
  const cards = [...found.querySelectorAll(".task-card")];
  for (const card of cards) {
    const old = cardOf(card.dataset.task); // has come by itself, or was moved here
    if (old && inUse(old)) card.replaceWith(old);
    else old?.remove();
  }
  more.closest(".more").replaceWith(found);
  surely(`beside ${more.href}`, () => beside(cards));
}
const near = new IntersectionObserver(
  (seen) => {
    for (const { target } of seen.filter((one) => one.isIntersecting)) {
      near.unobserve(target);
      follow(target).catch(() => {}); // the link is still there
    }
  },
  { rootMargin: "300px" },
);
for (const more of board.querySelectorAll("[data-more]")) near.observe(more);

// How many comments: items of their own, asked for once the cards stand.

async function about(cards, address) {
  const found = {};
  for (let at = 0; at < cards.length; at += 100) {
    const query = new URLSearchParams(cards.slice(at, at + 100).map((card) => ["task", card.dataset.task]));
    Object.assign(found, await send("GET", `${address}?${query}`));
  }
  return found;
}
async function count(cards) {
  const counts = await about(cards, board.dataset.counts);
  await untouched();
  for (const card of cards) {
    const place = card.querySelector("[data-comments]");
    if (!place) continue; // a newer card has taken its count over
    place.hidden = !counts[card.dataset.task];
    place.querySelector("[data-number]").textContent = counts[card.dataset.task] ?? "";
  }
}
// Checklists and what comes before stand beside the tasks, too.
async function showPlans(cards) {
  const marks = await about(cards, board.dataset.marks);
  await untouched();
  for (const card of cards) {
    const place = card.querySelector("[data-marks]");
    const found = marks[card.dataset.task];
    place.hidden = !found;
    const blocked = found?.blocked ? words("blocked", { n: found.blocked }) : "";
    const parts = found?.subtasks.all ? words("subtasks", found.subtasks) : "";
    place.textContent = [found?.all ? `☑ ${found.done}/${found.all}` : "", parts, blocked].filter(Boolean).join(" · ");
    place.classList.toggle("blocked", Boolean(blocked));
    showParent(place, found?.parent);
  }
}
function showParent(place, parent) {
  if (!parent) return;
  const ref = parent.number ? `${key}-${parent.number}` : parent.title;
  const link = Object.assign(document.createElement("a"), { className: "task-parent", textContent: `↑ ${ref}` });
  link.href = `${board.dataset.cards.replace(/cards$/, "tasks")}/${encodeURIComponent(parent.id)}`;
  link.draggable = false;
  link.title = parent.title;
  link.setAttribute("aria-label", words("parent", { ref }));
  place.prepend(link, place.textContent ? " · " : "");
}
const beside = (cards) => Promise.all([count(cards), showPlans(cards)]);
surely("beside", () => beside([...board.querySelectorAll(".task-card")]));
const shown = (id) => [cardOf(id)].filter(Boolean);
board.addEventListener("live:plan", ({ detail: { task } }) => surely(`plan ${task}`, () => showPlans(shown(task))));
board.addEventListener("live:comment", ({ detail: { task } }) => surely(`comments ${task}`, () => count(shown(task))));

// What others do

board.addEventListener("live:task", ({ detail }) => {
  const card = cardOf(detail.task);
  if (card && Number(card.dataset.version) >= detail.version) return;
  if (card && card === dragged) return;
  surely(`task ${detail.task}`, () => renew(detail.task, true));
});
board.addEventListener("live:gone", async ({ detail }) => {
  await untouched();
  cardOf(detail.task)?.remove();
});
board.addEventListener("live:totals", ({ detail }) => {
  for (const column of columns) {
    const total = column.querySelector("[data-total]");
    const most = column.querySelector("[data-most]")?.dataset.most;
    total.textContent = detail[column.dataset.status];
    total.parentElement.classList.toggle("over", Boolean(most) && detail[column.dataset.status] > Number(most));
  }
});
// Tags or members changed, or a file was taken in: all of it is renewed, except where somebody is at work.
board.addEventListener("live:team", () => surely("team", renewTeam));
async function renewTeam() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok || response.redirected) return location.reload();
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const cards = [...page.querySelectorAll(".task-card"), ...(await laterCards(page))];
  await untouched();
  const renewed = cards.map((card) => [cardOf(card.dataset.task), card]);
  for (const selector of [".filters", "#new-task .dialog-body"])
    renewed.push([document.querySelector(selector), page.querySelector(selector)]);
  for (const [old, fresh] of renewed) if (old && fresh && !inUse(old)) old.replaceWith(fresh);
  for (const { dataset } of columns) add(page, dataset.status);
  await beside(cards.filter((card) => card.isConnected));
}
function add(page, status) {
  for (const card of cardsOf(page, status))
    if (!cardOf(card.dataset.task) && !toCome.get(card.dataset.task)) place(card, status);
  const more = page.querySelector(`.column[data-status="${status}"] .more`);
  if (!more || listOf(status).querySelector(".more")) return;
  listOf(status).append(more);
  near.observe(more.querySelector("[data-more]"));
}
const inUse = (element) =>
  element.contains(document.activeElement) || element.closest("dialog[open]") || element === dragged;
// The cards of later pages that stand here.
async function laterCards(page) {
  const found = [];
  for (const { dataset } of columns) {
    let more = page.querySelector(`.column[data-status="${dataset.status}"] [data-more]`);
    for (let left = cardsIn(dataset.status).length - cardsOf(page, dataset.status).length; more && left > 0; ) {
      const next = await fragment(more.getAttribute("href"));
      const cards = [...(next?.querySelectorAll(".task-card") ?? [])];
      found.push(...cards);
      left -= cards.length;
      more = next?.querySelector("[data-more]");
    }
  }
  return found;
}
const cardsOf = (page, status) => page.querySelectorAll(`.column[data-status="${status}"] .task-card`);
