// The address of the calendar is there to be copied: one click marks it all.
for (const field of document.querySelectorAll("[data-select]")) {
  field.addEventListener("focus", () => field.select());
}
