import { stackNames, stacksByCall } from '../../diagnosis/diagnosis.ts';
import { type Calls, type Stack, stacks } from '../../errors.ts';
import { html, type Markup, type Part } from './markup.ts';

/** What the panels and the chooser of one page share. */
const prefix = 'stack';

/**
 * The languages of a page's calls, to choose one for the whole page without a script: the chosen radio
 * button shows the panels of its language (`.languages` in style.ts). Nothing where no call is shown.
 */
export function languageChooser(all: readonly Calls[], preferred?: Stack): Part {
  const present = stacks.filter((stack) => all.some((calls) => calls[stack] !== undefined));
  if (present.length === 0) return undefined;
  const chosen = preferred !== undefined && present.includes(preferred) ? preferred : present[0];
  return html`<fieldset class="languages"><legend>Language</legend>
${present.map(
  (stack) =>
    html`<input type="radio" name="${prefix}" id="${prefix}-${stack}"${stack === chosen && html` checked`}><label for="${prefix}-${stack}">${stackNames[stack]}</label>
`,
)}</fieldset>`;
}

/** The right call per language, of which the page shows that of the chosen one. */
export function callPanels(calls: Calls): Markup | undefined {
  const byCall = stacksByCall(calls);
  if (byCall.length === 0) return undefined;
  const missing = stacks.filter((stack) => calls[stack] === undefined);
  return html`<div class="calls">${byCall.map(([call, names], index) => {
    const own = stacks.filter((stack) => calls[stack] === call);
    // A language without a call of its own shows the first one rather than nothing.
    const shownFor = index === 0 ? [...own, ...missing] : own;
    return html`<div class="panel ${shownFor.map((stack) => `for-${stack}`).join(' ')}"><span class="language">${names.join(' and ')}</span><pre><code>${call}</code></pre></div>
`;
  })}</div>`;
}
