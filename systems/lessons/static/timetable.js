// A timetable or a lesson that is open shows what others do: places taken and given back.
const list = document.querySelector("[data-live]");
if (list && "EventSource" in window) {
  const source = new EventSource(list.dataset.live);
  let waiting = false;
  const refresh = async () => {
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
  };
  source.addEventListener("changed", refresh);
  source.addEventListener("reload", refresh);
}
