// The console's conveniences: recent and saved questions kept in this browser, names put into a statement, ends of a range.

const RECENT = "sekkei-console-recent";
const SAVED = "sekkei-console-saved";
const RECENT_MAX = 20;
const SAVED_MAX = 200;

function kept(list) {
  try {
    const found = JSON.parse(localStorage.getItem(list) ?? "[]");
    return (Array.isArray(found) ? found : []).filter((one) => String(one?.url).startsWith("/console/"));
  } catch {
    return [];
  }
}

function keep(list, one, most) {
  const others = kept(list).filter((other) => other.url !== one.url);
  localStorage.setItem(list, JSON.stringify([one, ...others].slice(0, most)));
}

function question(place) {
  const asked = new URLSearchParams(location.search);
  for (const name of ["after", "lang", "count"]) asked.delete(name);
  for (const [name, value] of [...asked]) if (!value) asked.delete(name, value);
  const worth = ["key", "attr", "statement", "index", "columns"].some((name) => asked.get(name));
  if (!worth) return null;
  const text = asked.get("statement") ?? [...asked].map(([name, value]) => `${name}=${value}`).join(" ");
  return { place, text: text.slice(0, 200), url: `${location.pathname}?${asked}` };
}

function linkTo({ place, text, url, name }) {
  const link = document.createElement("a");
  link.className = "menu-item";
  link.href = url;
  link.textContent = name ?? `${place}: ${text}`;
  link.title = `${place}: ${text}`;
  return link;
}

function showQuestions(menu) {
  const saved = menu.querySelector("[data-saved]");
  saved.replaceChildren(
    ...kept(SAVED).map((one) => {
      const row = document.createElement("div");
      const drop = document.createElement("button");
      row.className = "saved";
      drop.type = "button";
      drop.className = "button small quiet";
      drop.textContent = "×";
      drop.ariaLabel = `${menu.dataset.forget}: ${one.name}`;
      drop.addEventListener("click", () => {
        localStorage.setItem(SAVED, JSON.stringify(kept(SAVED).filter((other) => other.url !== one.url)));
        showQuestions(menu);
      });
      row.append(linkTo(one), drop);
      return row;
    }),
  );
  menu.querySelector("[data-kept]").replaceChildren(...kept(RECENT).map(linkTo));
}

for (const form of document.querySelectorAll("form[data-recent]")) {
  const now = form.querySelector('[role="alert"]') ? null : question(form.dataset.recent);
  if (now) keep(RECENT, now, RECENT_MAX);
  const menu = form.querySelector("[data-recent-list]");
  if (!menu || !(now || kept(RECENT).length || kept(SAVED).length)) continue;
  const save = menu.querySelector("[data-save]");
  const field = save.querySelector("input");
  const put = () => {
    keep(SAVED, { ...now, name: field.value.trim().slice(0, 100) || now.text }, SAVED_MAX);
    field.value = "";
    showQuestions(menu);
  };
  save.hidden = !now;
  save.querySelector("button").addEventListener("click", put);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    put();
  });
  showQuestions(menu);
  menu.hidden = false;
}

// What is empty does not belong into the address.
document.addEventListener("submit", (event) => {
  if (event.target.matches("form.ask"))
    for (const field of event.target.querySelectorAll("input, select")) {
      const row = field.closest(".filter");
      const empty = row ? !row.querySelector('[name="attr"]').value : !field.value && field.name !== "op";
      if (empty && !["key", "sort", "to"].includes(field.name)) field.disabled = true;
    }
});
addEventListener("pageshow", () => {
  for (const field of document.querySelectorAll("form.ask :disabled")) field.disabled = false;
});

// The second end is only for ranges.
function ends(select) {
  const other = select.parentElement.querySelector("[data-only]");
  if (other) other.hidden = select.value !== other.dataset.only;
}
for (const select of document.querySelectorAll('select[name="op"], select[name="is"]')) {
  ends(select);
  select.addEventListener("change", () => ends(select));
}

document.addEventListener("click", (event) => {
  const chip = event.target.closest("[data-insert]");
  const area = chip?.closest("form").querySelector("textarea");
  if (!area) return;
  area.setRangeText(chip.dataset.insert, area.selectionStart, area.selectionEnd, "end");
  area.focus();
});

// What is still being worked on is asked for again.
if (document.querySelector("[data-again]")) setTimeout(() => location.reload(), 1000);

// Follow a stream: ask for what came since, put it on top.
for (const button of document.querySelectorAll("[data-follow]")) {
  const list = document.querySelector(button.dataset.follow);
  let timer = 0;
  button.hidden = false;
  async function look() {
    const answer = await fetch(list.dataset.after, { headers: { Accept: "text/html" } }).catch(() => null);
    if (answer?.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const newer = page.querySelector(button.dataset.follow);
      const found = newer ? [...newer.querySelectorAll(":scope > .change")] : [];
      if (found.length) list.querySelector("[data-none]")?.remove();
      list.prepend(...found.map((one) => document.adoptNode(one)));
      if (newer && found.length) list.dataset.after = newer.dataset.after;
    }
    timer = setTimeout(look, 2000);
  }
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    clearTimeout(timer);
    if (on) look();
  });
}
