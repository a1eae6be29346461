// The part of the dashboard that moves: asked for again after a change, at most once a second.
const badge = document.querySelector("[data-part]");
const part = document.getElementById("day-part");
let waiting = false;
let again = false;

async function refresh() {
  if (waiting) {
    again = true;
    return;
  }
  waiting = true;
  const answer = await fetch(badge.dataset.part, { headers: { Accept: "text/html" } }).catch(() => null);
  if (answer?.ok) {
    const before = part.querySelector("[data-number]")?.textContent;
    part.innerHTML = await answer.text();
    const number = part.querySelector("[data-number]");
    if (number && number.textContent !== before) number.classList.add("moved");
  }
  setTimeout(() => {
    waiting = false;
    if (again) {
      again = false;
      refresh();
    }
  }, 1000);
}

badge?.addEventListener("live:changed", refresh);
