// Conveniences of the console, which works without them: j and k go to the next item and back, a question has the focus.
document.addEventListener(
  "toggle",
  (event) => {
    if (event.target.matches?.(".q-sure[open]")) event.target.querySelector("[type=submit]").focus();
  },
  true,
);

document.addEventListener("keydown", (event) => {
  if (
    !["j", "k"].includes(event.key) ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.target.closest("input, textarea, select")
  )
    return;
  const items = [...document.querySelectorAll("[data-item]")];
  const here = items.findIndex((item) => item.contains(document.activeElement));
  const next = items[Math.max(0, Math.min(items.length - 1, here + (event.key === "j" ? 1 : -1)))];
  next?.querySelector("summary, a, button")?.focus();
  next?.scrollIntoView({ block: "nearest" });
});

document.querySelector(".bar-nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
