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

async function refreshComments() {
  const response = await fetch(form.dataset.comments, { headers: { Accept: "text/html" } });
  if (response.ok) comments.innerHTML = await response.text();
}
