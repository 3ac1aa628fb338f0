// Asking the server. A newer question of the same kind calls off the one before: the server then stops its work.
const running = new Map();

// Relative to this file, so that a prefix of a proxy stays.
const API = new URL("../api/v1/", import.meta.url);

// What is wrong is told in the answer, not by its status, which browsers write to the console as if the page were broken.
const QUIETLY = { "x-r5-errors": "in-body" };

export class Problem extends Error {}

// Null if it was called off.
export async function call(name, fields = {}, kind = name) {
  running.get(kind)?.abort();
  const stop = new AbortController();
  running.set(kind, stop);
  try {
    const answer = await fetch(new URL(name, API), {
      method: "POST",
      headers: { "content-type": "application/json", ...QUIETLY },
      body: JSON.stringify(fields),
      signal: stop.signal,
    });
    return await outcome(answer);
  } catch (error) {
    if (error.name === "AbortError") return null;
    throw error instanceof Problem ? error : new Problem("The server does not answer. Is r5 serve still running?");
  } finally {
    if (running.get(kind) === stop) running.delete(kind);
  }
}

export function callOff(kind) {
  running.get(kind)?.abort();
}

// A search of the whole graph is asked for again until it is done. `progress` is told how far it is; null if called off.
export async function search(name, fields, progress = () => {}, kind = name) {
  for (;;) {
    const found = await call(name, fields, kind);
    if (found === null || found.running === undefined) return found;
    if (found.running === null) return null;
    progress(found.running);
    const stop = new AbortController();
    running.set(kind, stop);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, 300);
      stop.signal.addEventListener("abort", () => clearTimeout(timer) ?? resolve());
    });
    if (stop.signal.aborted) return null;
  }
}

export async function cancelSearch(name, fields, kind = name) {
  callOff(kind);
  await call(name, { ...fields, cancel: true }, `end ${kind}`);
}

export async function upload(text) {
  const answer = await fetch(new URL("graphs", API), { method: "POST", headers: { "content-type": "text/plain", ...QUIETLY }, body: text });
  return outcome(answer);
}

async function outcome(answer) {
  const text = await answer.text();
  if (answer.ok && !answer.headers.get("content-type")?.startsWith("application/json")) return text;
  let found = null;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Problem(`The server says ${answer.status}.`);
  }
  if (found.error) throw new Problem(found.error.message);
  return found;
}

const box = document.getElementById("problem");
const text = document.getElementById("problem-text");
let again = () => {};
document.getElementById("problem-retry").addEventListener("click", () => {
  calm();
  again();
});

export const onRetry = (act) => (again = act);

export function complain(error) {
  if (!(error instanceof Problem)) throw error;
  text.textContent = error.message;
  box.hidden = false;
}

export function calm() {
  box.hidden = true;
}
