/** What the page looks like: as the system does, or as was chosen. */
type Theme = 'system' | 'light' | 'dark';

const order: readonly Theme[] = ['system', 'light', 'dark'];
const key = 'authcli-theme';

/** Takes the choice up again, and has the button go on to the next one. */
export function startTheme(switcher: HTMLButtonElement): () => void {
  let theme = chosen();
  const show = (): void => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    switcher.textContent = { system: '◐', light: '☀', dark: '☾' }[theme];
    switcher.setAttribute('aria-label', `Colours: ${theme}. Change`);
    switcher.title = `Colours: ${theme} (t)`;
  };
  const next = (): void => {
    theme = order[(order.indexOf(theme) + 1) % order.length] ?? 'system';
    keep(theme);
    show();
  };
  switcher.addEventListener('click', next);
  show();
  return next;
}

function chosen(): Theme {
  try {
    return order.find((theme) => theme === localStorage.getItem(key)) ?? 'system';
  } catch {
    return 'system'; // a browser may forbid pages to keep anything
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // it is chosen for this page alone, then
  }
}
