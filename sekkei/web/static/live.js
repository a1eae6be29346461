// Server-sent events: <div data-live="/tasks/teams/t1/live"> gets a `live:NAME` event for everything that happens.

export function watch(element) {
  const source = new EventSource(element.dataset.live);
  const names = (element.dataset.liveEvents ?? "").split(" ").filter(Boolean);
  const pass = (event) => {
    const detail = event.data ? JSON.parse(event.data) : null;
    element.dispatchEvent(new CustomEvent(`live:${event.type}`, { detail, bubbles: true }));
  };
  for (const name of names) source.addEventListener(name, pass);
  source.addEventListener("message", pass);
  source.addEventListener("reload", () => {
    source.close();
    // Never again and again: where every answer comes from another process, none knows what the others said.
    const last = Number(sessionStorage.getItem("sekkei-reloaded") ?? 0);
    if (Date.now() - last < 30_000) return;
    sessionStorage.setItem("sekkei-reloaded", String(Date.now()));
    location.reload();
  });
  source.addEventListener("open", () => (element.dataset.liveState = "open"));
  source.addEventListener("error", () => (element.dataset.liveState = "lost"));
  // Chromium keeps at most six connections to one host; a page in the back must not hold one.
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  return source;
}
