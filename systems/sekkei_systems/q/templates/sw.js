// Keeps the shell of Q. and what was seen last, so that it opens without a network. Writes always need one.
//
// What was seen belongs to an account: it stands in a cache of that account's name, and only a page of the same account
// is shown it. Whenever the server says that somebody else, or nobody, is signed in here, the rest goes.
const SHELL = "q-shell-{{ version }}";
const DATA = "q-data-";
const KEPT_FOR = {{ kept_seconds }} * 1000; // shorter than a session lasts
const FILES = {{ files|tojson }};
const PAGE = "/q/";
const ICON = "{{ icon }}";

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(SHELL)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const old = (name) => (name.startsWith("q-shell-") && name !== SHELL) || name === "q-data";
  event.waitUntil(
    drop(old)
      .then(keepPage)
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (FILES.includes(url.pathname)) event.respondWith(stored(request));
  else if (request.mode === "navigate" && url.pathname === PAGE) event.respondWith(page(request));
  else if (request.headers.has("X-Keep")) event.respondWith(data(request, url.pathname));
});

// A push says whose it is. Somebody else on this device is told only that there is something, not what.
self.addEventListener("push", (event) => {
  event.waitUntil(told(event.data?.json() ?? {}));
});

async function told(message) {
  const names = await caches.keys();
  const others = names.filter((name) => name.startsWith(DATA)).some((name) => name !== DATA + message.for);
  const shown = others ? { title: "Q.", body: "", url: PAGE, tag: "q" } : message;
  await self.registration.showNotification(shown.title ?? "Q.", {
    body: shown.body ?? "",
    tag: shown.tag,
    icon: ICON,
    badge: ICON,
    data: { url: shown.url ?? PAGE },
  });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(opened(event.notification.data?.url ?? PAGE));
});

// The page that is open already goes there; otherwise a new one does. Nothing outside Q. is ever opened.
async function opened(address) {
  const url = new URL(address, location.origin);
  if (url.origin !== location.origin || url.pathname !== PAGE) url.href = new URL(PAGE, location.origin).href;
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((one) => new URL(one.url).pathname === PAGE);
  if (!page) return self.clients.openWindow(url.href);
  page.postMessage({ open: url.hash || "#/" });
  return page.focus();
}

async function drop(unwanted) {
  const names = await caches.keys();
  await Promise.all(names.filter(unwanted).map((name) => caches.delete(name)));
}

// The visit that brought the worker came before it, and counts too.
async function keepPage() {
  try {
    await page(new Request(PAGE));
  } catch {
    // without a network there is nothing to keep
  }
}

async function stored(request) {
  return (await caches.match(request)) ?? fetch(request);
}

// The page says whose it is; nothing of anybody else stays on the device.
async function page(request) {
  let response;
  try {
    response = await fetch(request);
  } catch (error) {
    const names = await caches.keys();
    const name = names.find((one) => one.startsWith(DATA));
    const found = name && (await keptIn(name, PAGE));
    if (!found) throw error;
    return found;
  }
  const account = response.headers.get("X-Account");
  if (response.ok || response.redirected) await drop((name) => name.startsWith(DATA) && name !== DATA + account);
  if (response.ok && !response.redirected && account) await keep(DATA + account, PAGE, response);
  return response;
}

// From the network, and kept for the account that asked; without a network, what was kept for it.
async function data(request, path) {
  const name = DATA + request.headers.get("X-Account");
  let response;
  try {
    response = await fetch(request);
  } catch (error) {
    const found = await keptIn(name, path);
    if (!found) throw error;
    return found;
  }
  // Beside the page only: an answer that comes after they have signed out must not bring their cache back.
  if (response.ok && !response.redirected && (await caches.has(name))) await keep(name, path, response);
  return response;
}

async function keep(name, path, response) {
  const copy = response.clone();
  const headers = new Headers(copy.headers);
  headers.set("X-Kept-At", String(Date.now()));
  const cache = await caches.open(name);
  await cache.put(path, new Response(copy.body, { status: copy.status, headers }));
}

// With a sign that it is old. What is too old is forgotten, with everything beside it.
async function keptIn(name, path) {
  if (!(await caches.has(name))) return null;
  const found = await caches.match(path, { cacheName: name });
  if (!found) return null;
  if (Date.now() - Number(found.headers.get("X-Kept-At")) > KEPT_FOR) {
    await caches.delete(name);
    return null;
  }
  const headers = new Headers(found.headers);
  headers.set("X-Kept", "1");
  return new Response(found.body, { status: found.status, headers });
}
