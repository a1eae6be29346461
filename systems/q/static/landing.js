// Nobody is signed in here: what was kept for somebody else is forgotten.
import "../app.js";

if ("caches" in window) caches.delete("q-data");
