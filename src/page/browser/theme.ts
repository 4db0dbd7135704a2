const order = ['system', 'light', 'dark'] as const;
const icons = { system: '◐', light: '☀', dark: '☾' };
const key = 'authcli-theme';

/** Applies the stored colours; returns what changes to the next ones, as the button does. */
export function startTheme(switcher: HTMLButtonElement): () => void {
  let theme = order.find((each) => each === stored()) ?? 'system';
  const show = (): void => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    switcher.textContent = icons[theme];
    switcher.ariaLabel = `Colours: ${theme}. Change`;
    switcher.title = `Colours: ${theme} (t)`;
  };
  const next = (): void => {
    theme = order[(order.indexOf(theme) + 1) % order.length] ?? 'system';
    stored(theme);
    show();
  };
  switcher.addEventListener('click', next);
  show();
  return next;
}

/** What the browser has stored, after storing `theme`; nothing where it forbids storage. */
function stored(theme?: string): string | null {
  try {
    if (theme !== undefined) localStorage.setItem(key, theme);
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
