// Turning pages of a list that the server holds.
import { build, counted } from "../report.js";

export function pages(box, turn) {
  const back = build("button", { type: "button" }, "Previous");
  const forward = build("button", { type: "button" }, "Next");
  const place = build("span", { role: "status" });
  let page = 0;
  box.append(back, place, forward);
  back.addEventListener("click", () => turn(page - 1));
  forward.addEventListener("click", () => turn(page + 1));

  function show(now, count) {
    page = now;
    box.hidden = count < 2;
    back.disabled = page <= 0;
    forward.disabled = page >= count - 1;
    place.textContent = `page ${counted(page + 1)} of ${counted(Math.max(count, 1))}`;
  }

  // The page with a number, or the last one if there are fewer; `ask` is given the rows that are skipped.
  async function load(wanted, size, ask) {
    let now = Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, 1e6) : 0;
    let found = await ask(now * size);
    if (found !== null && now > 0 && now * size >= found.total) {
      now = Math.max(0, Math.ceil(found.total / size) - 1);
      found = await ask(now * size);
    }
    if (found !== null) show(now, Math.ceil(found.total / size));
    return [found, now];
  }
  return { load };
}
