import type { Calls, Language } from '../../diagnosis/catalogue-entry.ts';
import { languageNames } from '../../diagnosis/catalogue-hint.ts';
import { html, type Markup } from './markup.ts';

/**
 * The right call per language, one tab each, without a script: a group of radio buttons, of which
 * the chosen one shows its panel (see `.tabs` in style.ts). `name` is unique in the page. On paper
 * all panels are shown. Undefined where there are no calls.
 */
export function callTabs(calls: Calls | undefined, name: string): Markup | undefined {
  const stacks = stacksOf(calls ?? {});
  if (stacks.length === 0) return undefined;
  return html`<fieldset class="tabs"><legend>The call that does it right</legend><div>
${stacks.map(({ title }, index) => radio(name, title, index))}
${stacks.map(
  ({
    title,
    call,
  }) => html`<div class="panel"><span class="language">${title}</span><pre><code>${call}</code></pre></div>
`,
)}</div></fieldset>`;
}

interface Stack {
  readonly title: string;
  readonly call: string;
}

/** Each call once, with the languages that share it: "Java and Kotlin". */
function stacksOf(calls: Calls): readonly Stack[] {
  const titles = new Map<string, string[]>();
  for (const [language, name] of Object.entries(languageNames)) {
    const call = calls[language as Language];
    if (call !== undefined) titles.set(call, [...(titles.get(call) ?? []), name]);
  }
  return [...titles].map(([call, names]) => ({ title: names.join(' and '), call }));
}

function radio(name: string, title: string, index: number): Markup {
  const id = `${name}-${index}`;
  return html`<input type="radio" name="${name}" id="${id}"${index === 0 && html` checked`}><label for="${id}">${title}</label>
`;
}
