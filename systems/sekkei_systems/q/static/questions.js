// Questions of one's own: proposing one, what became of the others, and voting on what may be asked next.
import { back, counted, empty, form, h } from "./parts.js";
import { change, doing, get, toast } from "./requests.js";
import { dayName, t } from "./words.js";

const QUESTION_MAX = 80;

export async function questions(view, again) {
  const [sent, candidates] = await Promise.all([get("/me/questions"), get("/questions/candidates")]);
  view.classList.add("two");
  view.replaceChildren(
    h("div", { class: "q-side" }, back("#/me"), h("h1", {}, t("questions")), proposal(again), mine(sent)),
    voting(candidates),
  );
}

function proposal(again) {
  const { box, count, update } = counted(QUESTION_MAX, {
    id: "proposal",
    name: "text",
    rows: 1,
    required: true,
    placeholder: t("me.propose.placeholder"),
  });
  const send = h("button", { class: "q-button small", type: "submit" }, t("me.propose.send"));
  box.addEventListener("counted", (event) => (send.disabled = !event.detail.good));
  const made = form(
    async () => {
      await change("POST", "/questions", { text: box.value });
      toast(t("me.propose.sent"), "ok");
      again();
    },
    h("label", { for: "proposal" }, h("strong", {}, t("me.propose")), h("br"), h("small", {}, t("me.propose.about"))),
    box,
    h("p", { class: "note error", "data-error": "text" }),
    h("div", { class: "q-row" }, count, send),
  );
  update();
  return h("section", { class: "q-panel" }, made);
}

function mine(sent) {
  if (!sent.length) return "";
  return h(
    "section",
    { class: "stack" },
    h("h2", {}, t("questions.mine")),
    h(
      "ul",
      { class: "q-list plain" },
      sent.map((one) =>
        h(
          "li",
          { class: "q-line-item" },
          h("span", { class: "grow" }, one.text, h("br"), h("small", {}, dayName(one.createdAt.slice(0, 10)))),
          h("span", { class: `q-badge ${one.status === "rejected" ? "" : "good"}` }, t(`question.${one.status}`)),
        ),
      ),
    ),
  );
}

function voting(candidates) {
  const list = candidates.length
    ? h("ul", { class: "q-list plain" }, candidates.map(candidate))
    : empty(t("vote.empty"), t("vote.empty.about"));
  return h("section", { class: "stack" }, h("h2", {}, t("vote")), h("p", { class: "muted" }, t("vote.about")), list);
}

function candidate(given) {
  let one = given;
  const press = h("button", {
    type: "button",
    class: "q-vote",
    onclick: doing(async () => {
      one = await change(one.mine ? "DELETE" : "PUT", `/questions/${one.questionId}/vote`);
      draw();
    }),
  });
  const draw = () => {
    press.setAttribute("aria-pressed", String(one.mine));
    press.setAttribute("aria-label", t("vote.label", { text: one.text, n: one.votes }));
    press.replaceChildren("▲", h("b", {}, String(one.votes)));
  };
  draw();
  return h("li", { class: "q-line-item" }, h("span", { class: "grow" }, one.text), press);
}
