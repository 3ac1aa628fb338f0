// Colour theme of the system, until the button is pressed; the browser keeps the choice.
function startTheme() {
  const KEY = "r5-theme";
  try {
    const chosen = localStorage.getItem(KEY);
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
  } catch {
    // A browser without storage begins with the theme of the system.
  }
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(isDark()));
    button.setAttribute("aria-label", "Dark colours");
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(KEY, document.documentElement.dataset.theme);
    } catch {
      // The choice lasts until the page is loaded again.
    }
    show();
  });
  system.addEventListener("change", show);
  show();
}
