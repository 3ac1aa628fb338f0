// States of a part of a page: loading, progress that can be ended, an error that can be tried again, nothing found.
import { build, counted } from "../report.js";
import { Problem } from "../api.js";

export const skeleton = (rows = 3) =>
  build("div", { class: "skeleton", role: "status" }, build("span", { class: "unseen" }, "Loading"), ...Array.from({ length: rows }, () => build("span", { class: "bone" })));

export const empty = (...words) => build("p", { class: "empty" }, ...words);

const STAGES = { searching: "Searching", scoring: "Scoring", judging: "Judging" };

// A bar of progress with a button that ends the work.
export function progress(title, cancel) {
  const bar = build("progress", { max: 1, "aria-label": title });
  const told = build("span", { class: "figure" });
  const end = build("button", { type: "button" }, "Cancel");
  end.addEventListener("click", cancel);
  const box = build("div", { class: "progress" }, build("span", {}, title), bar, told, end);
  return {
    box,
    report({ stage, done, total }) {
      if (total > 0) bar.value = done / total;
      told.textContent = total > 0 ? `${STAGES[stage] ?? "Step"} ${counted(done)} of ${counted(total)}` : "";
    },
  };
}

// Fill a box by work that may fail: what was there before goes, and an error can be tried again.
export async function fill(box, work) {
  box.setAttribute("aria-busy", "true");
  try {
    const found = await work();
    if (found !== null) box.replaceChildren(...found);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const retry = build("button", { type: "button" }, "Try again");
    retry.addEventListener("click", () => fill(box, work));
    box.replaceChildren(build("p", { class: "reason", role: "alert" }, error.message, " ", retry));
  } finally {
    box.removeAttribute("aria-busy");
  }
}
