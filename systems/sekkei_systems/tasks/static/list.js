// The list: the bar shows while something is picked, and what others do arrives by itself.
import { fragment, surely, untouched } from "./client.js";

const area = document.querySelector("[data-list-page]");

function boxes() {
  return [...area.querySelectorAll('input[name="tasks"]')];
}

function show() {
  const bar = area.querySelector("[data-bulk-bar]");
  if (!bar) return;
  const picked = boxes().filter((box) => box.checked).length;
  const all = area.querySelector("[data-all]");
  bar.classList.toggle("idle", picked === 0);
  all.checked = picked > 0 && picked === boxes().length;
  all.indeterminate = picked > 0 && picked < boxes().length;
}

area.addEventListener("change", (event) => {
  if (event.target.matches("[data-all]")) for (const box of boxes()) box.checked = event.target.checked;
  show();
});
area.addEventListener("click", (event) => {
  const asked = event.target.closest("[data-ask]");
  if (asked && !confirm(asked.dataset.ask)) event.preventDefault();
});
show();

// Rows are renewed, and what is picked stays picked. Several changes at once are one look.
let waiting = 0;
function renewSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(() => surely("list", renew), 250);
}
async function renew() {
  const found = await fragment(location.href);
  await untouched();
  const fresh = found?.querySelector("[data-list-page]");
  if (!fresh || area.querySelector("select:focus")) return;
  const picked = new Set(
    boxes()
      .filter((box) => box.checked)
      .map((box) => box.value),
  );
  const focused = document.activeElement?.closest("[data-row]")?.dataset.row;
  area.replaceChildren(...fresh.childNodes);
  for (const box of boxes()) box.checked = picked.has(box.value);
  if (focused) area.querySelector(`[data-row="${CSS.escape(focused)}"] a`)?.focus();
  show();
}
for (const name of ["task", "gone", "team"]) area.addEventListener(`live:${name}`, renewSoon);
