// A timetable or a lesson that is open shows what others do: places taken and given back, lessons that change.
const list = document.querySelector("[data-live]");
let waiting = false;

async function refresh() {
  if (waiting) return;
  waiting = true;
  // Several changes in one moment are one look.
  await new Promise((done) => setTimeout(done, 150));
  waiting = false;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-live]");
  const busy = list.contains(document.activeElement) && /TEXTAREA|INPUT/.test(document.activeElement.tagName);
  if (fresh && !busy) list.replaceChildren(...fresh.childNodes);
}

list?.addEventListener("live:changed", refresh);
document.querySelector(".daybar [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
