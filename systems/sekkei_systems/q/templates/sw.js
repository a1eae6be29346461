// Keeps the shell of Q. and what was seen last, so that it opens without a network. Writes always need one.
const SHELL = "q-shell-{{ version }}";
const DATA = "q-data";
const FILES = {{ files|tojson }};
const PAGE = "/q/";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELL).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("q-shell-") && name !== SHELL;
  event.waitUntil(
    caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))).then(keepPage).then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (FILES.includes(url.pathname)) event.respondWith(stored(request));
  else if (request.mode === "navigate" && url.pathname === PAGE) event.respondWith(fresh(request, PAGE));
  else if (request.headers.has("X-Keep")) event.respondWith(fresh(request, url.pathname));
});

// The visit that brought the worker came before it, and counts too.
async function keepPage() {
  try {
    await fresh(new Request(PAGE), PAGE);
  } catch {
    // without a network there is nothing to keep
  }
}

async function stored(request) {
  return (await caches.match(request)) ?? fetch(request);
}

// From the network, and kept; without one, what was kept last, with a sign that it is old.
async function fresh(request, key) {
  try {
    const response = await fetch(request);
    if (response.ok && !response.redirected) {
      const copy = response.clone();
      const cache = await caches.open(DATA);
      await cache.put(key, copy);
    }
    return response;
  } catch (error) {
    const found = await caches.match(key, { cacheName: DATA });
    if (!found) throw error;
    const headers = new Headers(found.headers);
    headers.set("X-Kept", "1");
    return new Response(found.body, { status: found.status, headers });
  }
}
