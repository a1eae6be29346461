// A task that is open: new comments appear, and a change by somebody else is announced before it is overwritten.

const form = document.querySelector("[data-task-form]");
const notice = document.querySelector("[data-changed]");
const comments = document.querySelector("[data-comments-list]");

form.addEventListener("live:task", ({ detail }) => {
  const newer = detail.task === form.dataset.task && detail.version > Number(form.dataset.version);
  if (!newer) return;
  refreshComments();
  // A comment counts as a change of the task too; only what stands in the form matters here.
  if (detail.version > Number(form.dataset.version) + commentsSince) notice.hidden = false;
});
form.addEventListener("live:gone", ({ detail }) => {
  if (detail.task === form.dataset.task) notice.hidden = false;
});

let commentsSince = 0;
form.addEventListener("live:comment", ({ detail }) => {
  if (detail.task !== form.dataset.task) return;
  commentsSince += 1;
  refreshComments();
});

async function refresh(address, element) {
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  if (response.ok) element.innerHTML = await response.text();
}
const refreshComments = () => refresh(form.dataset.comments, comments);

// The history is written a moment after the change it tells of.
const refreshHistory = () => refresh(form.dataset.activity, document.querySelector("[data-activity-list]"));
form.addEventListener("live:history", ({ detail }) => detail.task === form.dataset.task && refreshHistory());

// Calling somebody: their name goes where the cursor is.
const names = document.querySelector("[data-mentions]");
names.hidden = !names.querySelector("[data-mention]");
names.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-mention]");
  const field = document.getElementById("comment");
  if (!button) return;
  field.setRangeText(button.dataset.mention, field.selectionStart, field.selectionEnd, "end");
  field.focus();
});
