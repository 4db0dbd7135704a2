interface KeyActions {
  readonly list: HTMLElement;
  readonly search: HTMLInputElement;
  /** Goes N rows down, or up. */
  readonly step: (steps: number) => void;
  readonly open: () => void;
  readonly leave: () => void;
  readonly clearSearch: () => void;
  /** Keys that do one thing each. */
  readonly keys: Readonly<Record<string, () => void>>;
}

const far = 1_000_000;
const page = 10;

/** In the list, or where nothing has the focus. */
const listSteps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: page,
  PageUp: -page,
  Home: -far,
  End: far,
};
const letterSteps: Readonly<Record<string, number>> = { j: 1, k: -1 };

/** Listens to the keyboard, except in fields and open dialogs. */
export function startKeys(actions: KeyActions): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]') !== null) return;
    if (event.target === actions.search) return inSearch(event, actions);
    if (event.target instanceof HTMLInputElement) return;
    const action = actionOf(event, actions);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

function actionOf({ key, target }: KeyboardEvent, actions: KeyActions): (() => void) | undefined {
  const inList = target === actions.list || target === document.body;
  const steps = letterSteps[key] ?? (inList ? listSteps[key] : undefined);
  if (steps !== undefined) return () => actions.step(steps);
  if (key === '/') return () => actions.search.focus();
  if (key === 'Enter' && inList) return actions.open;
  if (key === 'Escape') return actions.leave;
  return actions.keys[key];
}

function inSearch(event: KeyboardEvent, { search, list, step, clearSearch }: KeyActions): void {
  if (event.key === 'Escape') {
    if (search.value === '') list.focus();
    else clearSearch();
  } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
    list.focus();
    step(0);
  } else return;
  event.preventDefault();
}
