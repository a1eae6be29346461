// Commands by keyboard: Ctrl+K or ⌘K finds tasks, pages and what can be done; single keys do the same on a card.
import { send, toast } from "../app.js";
import { key, offer, say, takeBack, team, tell, Wish } from "./client.js";

const base = `/tasks/teams/${team}`;
const api = `/tasks/api/teams/${team}`;
const plain = (text) => text.normalize("NFKC").toLowerCase();
const typing = (target) => target.matches("input, select, textarea, [contenteditable]");

// Which task is meant: the card or row with the focus, the one that had it last, or the task that is open.

let recent = null;
document.addEventListener("focusin", ({ target }) => {
  const found = target.closest?.(".task-card, [data-row]");
  if (found) recent = found.dataset.task ?? found.dataset.row;
});

function selected() {
  const form = document.querySelector("[data-task-form]");
  if (form) {
    const ref = document.querySelector("[data-reference]")?.textContent ?? "";
    return { id: form.dataset.task, title: document.querySelector("h1").textContent, ref };
  }
  const name = recent && CSS.escape(recent);
  const shown = recent && document.querySelector(`.task-card[data-task="${name}"]:not([hidden]), [data-row="${name}"]`);
  if (!shown) return null;
  const link = shown.querySelector(".task-link, .task-title a");
  return { id: recent, title: link.textContent, ref: shown.querySelector(".task-number")?.textContent ?? "", link };
}

// What the board does itself it does at once; elsewhere the server is told and the page is shown anew.

function ask(name, detail) {
  return !document.dispatchEvent(new CustomEvent(name, { detail, cancelable: true }));
}

async function change(task, body) {
  if (ask("tasks:change", { task: task.id, change: body })) return;
  try {
    const now = await send("PATCH", `${api}/tasks/${encodeURIComponent(task.id)}`, body);
    const back = `${api}/tasks/${encodeURIComponent(task.id)}/activity/${now.version}/undo`;
    offer(say("changed", { title: task.title }), say("undo"), () => send("POST", back, {}).then(renewed, tell));
    if (document.querySelector("[data-task-form]")) location.reload();
  } catch (problem) {
    tell(problem);
  }
}
const renewed = () => document.querySelector("[data-task-form]") && location.reload();

async function remove(task) {
  if (ask("tasks:delete", { task: task.id })) return;
  try {
    await send("DELETE", `${api}/tasks/${encodeURIComponent(task.id)}`);
    if (document.querySelector("[data-task-form]")) return location.assign(base);
    const back = `${api}/trash/${encodeURIComponent(task.id)}/back`;
    offer(say("deleted", { title: task.title }), say("undo"), () => send("POST", back, {}).catch(tell));
  } catch (problem) {
    tell(problem);
  }
}

const wish = new Wish();
async function create(text) {
  try {
    const made = await wish.send(`${api}/quick`, { text });
    ask("tasks:added", { task: made.id });
    offer(say("added", { title: made.title }), say("undo"), () => remove(made));
  } catch (problem) {
    tell(problem);
  }
}

// What there is to choose from

const PAGES = [
  ["board", base],
  ["list", `${base}/tasks`],
  ["late", `${base}/late`],
  ["burndown", `${base}/burndown`],
  ["settings", `${base}/settings`],
  ["trash", `${base}/trash`],
  ["home", "/tasks/"],
  ["notes", "/tasks/notes"],
];
let known = { members: [], teams: [], views: [] };
let asked = null;
function load() {
  asked ??= send("GET", `${api}/palette`)
    .then((found) => (known = found))
    .catch(() => (asked = null));
  return asked;
}

const go = (address) => () => location.assign(address);
const item = (section, label, run, mode = "") => ({ section, label, run, mode, words: plain(label) });

function ofTask(task) {
  if (!task) return [];
  const found = ["todo", "doing", "done"].map((status) =>
    item("task", say("palette.status", { name: say(`status.${status}`) }), () => change(task, { status }), "status"),
  );
  for (const one of ["high", "medium", "low", "none"]) {
    const priority = one === "none" ? null : one;
    const label = say("palette.priority", { name: say(`name.${one}`) });
    found.push(item("task", label, () => change(task, { priority }), "priority"));
  }
  for (const member of known.members)
    found.push(item("task", say("palette.assign", member), () => change(task, { assignee: member.id }), "assignee"));
  found.push(item("task", say("palette.nobody"), () => change(task, { assignee: null }), "assignee"));
  found.push(item("task", say("palette.no-parent"), () => change(task, { parent: null }), "parent"));
  found.push(item("task", say("palette.delete"), () => remove(task)));
  if (task.ref) found.push(item("task", say("palette.copy", task), () => copy(task.ref)));
  return found;
}

async function copy(ref) {
  await navigator.clipboard.writeText(ref);
  toast(say("copied"), "ok");
}

function everywhere() {
  const found = PAGES.map(([name, address]) =>
    item("go", say("palette.go", { name: say(`page.${name}`) }), go(address)),
  );
  for (const view of known.views) {
    const address = `${view.place === "list" ? `${base}/tasks` : base}?${view.query}`;
    found.push(item("go", say("palette.view", view), go(address)));
  }
  for (const one of known.teams) found.push(item("go", say("palette.team", one), go(`/tasks/teams/${one.id}`)));
  found.push(item("do", say("palette.new"), go(`${base}/tasks/new`)));
  found.push(item("do", say("palette.help"), help));
  return found;
}

// The dialog

const box = document.createElement("dialog");
box.className = "dialog palette";
box.setAttribute("aria-label", say("palette"));
box.innerHTML = `<p class="palette-about muted" hidden></p>
<input type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<ul id="palette-list" role="listbox"></ul>`;
document.body.append(box);
const [about, field, list] = box.children;
field.placeholder = say("palette.hint");
field.setAttribute("aria-label", say("palette.hint"));
list.setAttribute("aria-label", say("palette"));

let task = null;
let mode = "";
let hits = [];
let shown = [];
let at = 0;
let stepped = false;

export function open(wanted = "") {
  task = selected();
  mode = wanted;
  if (mode && !task) return;
  hits = [];
  stepped = false;
  field.value = "";
  about.hidden = !task;
  about.textContent = task ? say("palette.about", task) : "";
  draw();
  box.showModal();
  load().then(draw);
}

function choices() {
  const words = plain(field.value).split(/\s+/).filter(Boolean);
  const all = [...ofTask(task), ...(mode ? [] : everywhere())].filter((one) => !mode || one.mode === mode);
  const fit = all.filter((one) => words.every((word) => one.words.includes(word)));
  const made =
    field.value.trim() && !mode ? [item("do", say("palette.create", { text: field.value.trim() }), added)] : [];
  return [...(words.length && !mode ? hits : []), ...fit.slice(0, words.length ? 8 : 40), ...under(), ...made];
}
// A number on its own may also mean: make the selected task part of that one.
function under() {
  const ref = field.value.normalize("NFKC").trim().toUpperCase();
  if (!task || mode || !/^([A-Z][A-Z0-9]{0,7}-|#)[1-9]\d{0,7}$/.test(ref) || ref === task.ref) return [];
  return [item("task", say("palette.parent", { name: ref }), () => change(task, { parent: ref }))];
}
const added = () => create(field.value.trim());

function draw() {
  // What arrives later comes first, unless somebody has already gone on to another line.
  const before = stepped && shown[at]?.label;
  shown = choices();
  at = Math.max(
    0,
    shown.findIndex((one) => one.label === before),
  );
  let section = "";
  list.replaceChildren(
    ...shown.flatMap((one, number) => {
      const option = document.createElement("li");
      option.id = `palette-${number}`;
      option.setAttribute("role", "option");
      option.textContent = one.label;
      option.dataset.number = number;
      if (one.section === section) return [option];
      section = one.section;
      const head = document.createElement("li");
      head.className = "palette-head";
      head.setAttribute("role", "presentation");
      head.textContent = say(`palette.section.${section}`);
      return [head, option];
    }),
  );
  if (!shown.length) list.textContent = say("palette.none");
  mark();
}

function mark() {
  for (const option of list.querySelectorAll("[role=option]"))
    option.setAttribute("aria-selected", String(Number(option.dataset.number) === at));
  const option = document.getElementById(`palette-${at}`);
  if (option) field.setAttribute("aria-activedescendant", option.id);
  else field.removeAttribute("aria-activedescendant");
  option?.scrollIntoView({ block: "nearest" });
}

let waiting = 0;
field.addEventListener("input", () => {
  stepped = false;
  draw();
  clearTimeout(waiting);
  if (field.value.trim() && !mode) waiting = setTimeout(search, 120);
});

async function search() {
  const text = field.value.trim();
  const query = new URLSearchParams([
    ["q", text],
    ["limit", 8],
    ...["todo", "doing", "done"].map((one) => ["status", one]),
  ]);
  const found = await send("GET", `${api}/tasks?${query}`).catch(() => null);
  if (!found || field.value.trim() !== text) return;
  hits = found.items.map((one) =>
    item("found", `${one.number ? `${key}-${one.number} ` : ""}${one.title}`, go(`${base}/tasks/${one.id}`)),
  );
  draw();
}

function run() {
  const one = shown[at];
  if (!one) return;
  box.close();
  task?.link?.focus();
  one.run();
}
field.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Enter" && !event.isComposing) run();
  else if (step && shown.length) {
    stepped = true;
    at = (at + step + shown.length) % shown.length;
    mark();
  } else return;
  event.preventDefault();
});
list.addEventListener("click", ({ target }) => {
  const option = target.closest("[role=option]");
  if (!option) return;
  at = Number(option.dataset.number);
  run();
});

// Which keys there are

const KEYS = [
  ["Ctrl+K ⌘K", "palette"],
  ["?", "help"],
  ["n", "new"],
  ["c", "quick"],
  ["/", "search"],
  ["← ↑ → ↓", "arrows"],
  ["Shift+← →", "move"],
  ["Enter", "open"],
  ["s", "status"],
  ["a", "assign"],
  ["p", "prioritise"],
  ["Delete", "delete"],
  ["u", "undo"],
  ["g b · g l · g t · g h", "go"],
  ["Ctrl+Enter", "send"],
];
let sheet = null;
function help() {
  if (!sheet) {
    sheet = document.createElement("dialog");
    sheet.className = "dialog";
    sheet.setAttribute("aria-labelledby", "help-title");
    const head = document.createElement("div");
    head.className = "dialog-head";
    head.innerHTML = '<h2 id="help-title"></h2><form method="dialog"><button class="icon-button">×</button></form>';
    head.querySelector("h2").textContent = say("help");
    head.querySelector("button").setAttribute("aria-label", say("help.close"));
    const table = document.createElement("dl");
    table.className = "dialog-body keys";
    for (const [keys, name] of KEYS) {
      const [term, meaning] = [document.createElement("dt"), document.createElement("dd")];
      term.append(Object.assign(document.createElement("kbd"), { textContent: keys }));
      meaning.textContent = say(`help.${name}`);
      table.append(term, meaning);
    }
    sheet.append(head, table);
    document.body.append(sheet);
  }
  sheet.showModal();
}

let led = false;
const LED = { b: base, l: `${base}/tasks`, t: `${base}/late`, h: "/tasks/" };
const ON_TASK = { s: "status", a: "assignee", p: "priority" };
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    if (!box.open) open();
    return;
  }
  if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]"))
    return;
  if (led && LED[event.key]) location.assign(LED[event.key]);
  else if (event.key === "?") help();
  else if (event.key === "u") takeBack();
  else if (ON_TASK[event.key] && selected()) open(ON_TASK[event.key]);
  else if (event.key === "Delete" && selected()) remove(selected());
  else {
    led = event.key === "g";
    return;
  }
  led = false;
  event.preventDefault();
});
document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-palette]")) open();
});
document.documentElement.dataset.keys = "ready";
