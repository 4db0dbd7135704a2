import type { Finding } from '../watch/view/wire.ts';
import { copyButton, h } from './dom.ts';

const kinds = { failure: 'Diagnosis', fault: 'Fault on request', weakness: 'Weakness' } as const;

/** Why it failed and what to change, with the right call per language in tabs. */
export function findingCard(finding: Finding, name: string): HTMLElement {
  const { kind, code, title, observed, meaning, recognised, mend, calls, section } = finding;
  return h(
    'section',
    { class: `finding is-${kind}`, 'aria-label': `${kinds[kind]}: ${code}` },
    h(
      'p',
      { class: 'kind' },
      kinds[kind],
      ' ',
      h('code', {}, code),
      section !== null && h('span', { class: 'muted' }, ` section ${section}`),
    ),
    h('h3', {}, title),
    observed !== title && h('p', {}, observed),
    h('div', { class: 'mend' }, h('h4', {}, 'What to change'), h('p', {}, mend)),
    calls.length > 0 && callTabs(calls, name),
    (meaning !== null || recognised !== null) &&
      h(
        'details',
        {},
        h('summary', {}, 'What it means, and how it was seen'),
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

/** The language that was chosen last is the one that is shown first. */
let preferred: string | undefined;

function callTabs(calls: Finding['calls'], name: string): HTMLElement {
  const start = Math.max(
    0,
    calls.findIndex(({ stacks }) => stacks === preferred),
  );
  const tabs = calls.map(({ stacks }, index) =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${name}-${index}`,
        'aria-controls': `panel-${name}`,
        onclick: () => choose(index),
        onkeydown: (event: KeyboardEvent) => move(event, index),
      },
      stacks,
    ),
  );
  const panel = h('div', { role: 'tabpanel', id: `panel-${name}`, tabindex: '0', class: 'panel' });
  const choose = (chosen: number): void => {
    for (const [index, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(index === chosen));
      tab.tabIndex = index === chosen ? 0 : -1;
    }
    const { call = '', stacks } = calls[chosen] ?? {};
    preferred = stacks;
    panel.setAttribute('aria-labelledby', `tab-${name}-${chosen}`);
    panel.replaceChildren(h('pre', {}, h('code', {}, call)), copyButton(call));
  };
  const move = (event: KeyboardEvent, index: number): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (index + step + tabs.length) % tabs.length;
    choose(next);
    tabs[next]?.focus();
  };
  choose(start);
  return h(
    'div',
    { class: 'tabs' },
    h('div', { role: 'tablist', 'aria-label': 'The call that does it right' }, ...tabs),
    panel,
  );
}
