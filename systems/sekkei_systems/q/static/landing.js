// Nobody is signed in here: what was kept for somebody else is forgotten, and an invitation is taken along.
import "../app.js";

if ("caches" in window)
  caches.keys().then((names) => {
    for (const name of names) if (name.startsWith("q-data")) caches.delete(name);
  });
for (const link of document.querySelectorAll("a[data-enter]")) {
  if (location.hash) link.href = `/sign-in?next=${encodeURIComponent(`/q/${location.hash}`)}`;
}
