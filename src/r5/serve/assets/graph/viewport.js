// Zoom and pan: by buttons, keys, wheel with Ctrl, two fingers, and by dragging the background.
const [LEAST, MOST] = [0.05, 4];
const STEP = 1.3;

// `changed` is called after each change; `at` maps places of the layout to pixels of the box.
export function startViewport(box, changed) {
  const view = { scale: 1, x: 0, y: 0, moved: false };
  const fingers = new Map();

  const at = ([x, y]) => [view.x + view.scale * x, view.y + view.scale * y];
  const back = ([x, y]) => [(x - view.x) / view.scale, (y - view.y) / view.scale];

  function zoom(factor, [x, y] = [box.clientWidth / 2, box.clientHeight / 2]) {
    const scale = Math.min(MOST, Math.max(LEAST, view.scale * factor));
    const part = scale / view.scale;
    Object.assign(view, { scale, x: x - part * (x - view.x), y: y - part * (y - view.y), moved: true });
    changed();
  }

  function pan(dx, dy) {
    view.x += dx;
    view.y += dy;
    view.moved = true;
    changed();
  }

  // Show a rectangle of the layout as large as it fits, but not larger than `most`.
  function fit([left, top, right, bottom], most = 1.4) {
    const [width, height] = [Math.max(right - left, 1), Math.max(bottom - top, 1)];
    view.scale = Math.min(most, Math.max(LEAST, Math.min(box.clientWidth / width, box.clientHeight / height)));
    view.x = box.clientWidth / 2 - (view.scale * (left + right)) / 2;
    view.y = box.clientHeight / 2 - (view.scale * (top + bottom)) / 2;
    view.moved = false;
    changed();
  }

  const shows = ([left, top, right, bottom]) => {
    const [[l, t], [r, b]] = [at([left, top]), at([right, bottom])];
    return l >= 0 && t >= 0 && r <= box.clientWidth && b <= box.clientHeight;
  };

  const spot = ({ clientX, clientY }) => {
    const frame = box.getBoundingClientRect();
    return [clientX - frame.left, clientY - frame.top];
  };

  box.addEventListener(
    "wheel",
    (event) => {
      // Without Ctrl the wheel scrolls the page. A pinch on a touch pad comes as a wheel with Ctrl.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * (event.deltaMode === 0 ? 0.005 : 0.1)), spot(event));
    },
    { passive: false },
  );
  box.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest("[data-key]")) return;
    fingers.set(event.pointerId, spot(event));
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = spot(event);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    fingers.set(event.pointerId, now);
    if (!other) return pan(now[0] - before[0], now[1] - before[1]);
    const [long, short] = [Math.hypot(now[0] - other[0], now[1] - other[1]), Math.hypot(before[0] - other[0], before[1] - other[1])];
    return zoom(long / Math.max(short, 1), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
  });
  const lift = (event) => fingers.delete(event.pointerId);
  box.addEventListener("pointerup", lift);
  box.addEventListener("pointercancel", lift);
  return { view, at, back, zoom, pan, fit, shows, spot, STEP };
}
