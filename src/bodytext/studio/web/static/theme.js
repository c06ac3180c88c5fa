// Sets the chosen theme before the first paint, and connects the button that changes it.
(() => {
  const KEY = "bodytext-theme";
  const NEXT = { auto: "light", light: "dark", dark: "auto" };
  const NAMES = { auto: "system", light: "light", dark: "dark" };
  const read = () => { try { return localStorage.getItem(KEY) || "auto"; } catch { return "auto"; } };
  const set = (theme) => {
    document.documentElement.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (button) {
      button.setAttribute("aria-label", `Colours: ${NAMES[theme]}. Change to ${NAMES[NEXT[theme]]}`);
      button.title = `Colours: ${NAMES[theme]}`;
      button.dataset.theme = theme;
    }
    document.dispatchEvent(new CustomEvent("themechange"));
  };
  set(read());
  document.addEventListener("DOMContentLoaded", () => {
    set(read());
    document.getElementById("theme")?.addEventListener("click", () => {
      const theme = NEXT[read()] ?? "auto";
      try { localStorage.setItem(KEY, theme); } catch { /* without storage it is forgotten */ }
      set(theme);
    });
  });
})();
