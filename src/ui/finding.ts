import type { Finding } from '../watch/view/wire.ts';
import { copyable, h } from './dom.ts';

const kinds = { failure: 'Diagnosis', fault: 'Fault on request', weakness: 'Weakness' } as const;

/** Why it failed and what to change, with the right call per language in tabs. */
export function findingCard(finding: Finding, name: string): HTMLElement {
  const { kind, code, title, observed, meaning, recognised, fix, calls, section } = finding;
  return h(
    'section',
    { class: `finding is-${kind}`, 'aria-label': `${kinds[kind]}: ${code}` },
    h(
      'p',
      { class: 'kind small' },
      kinds[kind],
      ' ',
      h('code', {}, code),
      section !== null && h('span', { class: 'muted' }, ` section ${section}`),
    ),
    h('h3', {}, title),
    observed !== title && h('p', {}, observed),
    h('h4', {}, 'Fix'),
    h('p', {}, fix),
    calls.length > 0 && callTabs(calls, name),
    (meaning !== null || recognised !== null) &&
      h(
        'details',
        {},
        h('summary', {}, 'What it means and how it was recognised'),
        meaning !== null && h('p', {}, meaning),
        recognised !== null && h('p', {}, recognised),
        h(
          'p',
          { class: 'muted' },
          'The same on the command line: ',
          h('code', {}, `authcli explain ${code}`),
        ),
      ),
  );
}

/** The language that was chosen last is shown first, here and in every other exchange. */
let preferred = 'Java';

function callTabs(calls: Finding['calls'], name: string): HTMLElement {
  const start = calls.findIndex(({ stacks }) => stacks.split(', ').includes(preferred));
  const tabs = calls.map(({ stacks }, index) =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${name}-${index}`,
        'aria-controls': `panel-${name}`,
        onclick: () => prefer(index),
        onkeydown: (event: KeyboardEvent) => move(event, index),
      },
      stacks,
    ),
  );
  const panel = h('div', { role: 'tabpanel', id: `panel-${name}`, tabindex: '0' });
  const choose = (chosen: number): void => {
    for (const [index, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(index === chosen));
      tab.tabIndex = index === chosen ? 0 : -1;
    }
    const { call = '' } = calls[chosen] ?? {};
    panel.setAttribute('aria-labelledby', `tab-${name}-${chosen}`);
    panel.replaceChildren(copyable(call));
  };
  const prefer = (index: number): void => {
    const names = calls[index]?.stacks.split(', ') ?? [];
    if (!names.includes(preferred)) preferred = names[0] ?? preferred;
    choose(index);
  };
  const move = (event: KeyboardEvent, index: number): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (index + step + tabs.length) % tabs.length;
    prefer(next);
    tabs[next]?.focus();
  };
  choose(Math.max(0, start));
  return h(
    'div',
    { class: 'tabs' },
    h('div', { role: 'tablist', 'aria-label': 'The correct call' }, ...tabs),
    panel,
  );
}
