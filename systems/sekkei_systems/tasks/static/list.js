// Many at once: the bar shows while something is picked.

const form = document.querySelector("[data-bulk]");
if (form) {
  const bar = form.querySelector("[data-bulk-bar]");
  const all = form.querySelector("[data-all]");
  const boxes = [...form.querySelectorAll('input[name="tasks"]')];
  const show = () => {
    const picked = boxes.filter((box) => box.checked).length;
    bar.classList.toggle("idle", picked === 0);
    all.checked = picked === boxes.length;
    all.indeterminate = picked > 0 && picked < boxes.length;
  };
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    show();
  });
  form.addEventListener("change", show);
  form.addEventListener("click", (event) => {
    const asked = event.target.closest("[data-ask]");
    if (asked && !confirm(asked.dataset.ask)) event.preventDefault();
  });
  show();
}
