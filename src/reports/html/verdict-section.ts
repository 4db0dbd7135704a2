import type { VerifyDocument } from '../verify-document.ts';
import { commandOf, receivedIn, remarksOf, targetOf } from '../verify-words.ts';
import { formatDuration } from './duration.ts';
import { html, type Markup } from './markup.ts';
import { statusMarks, verdictOf } from './words.ts';

const order = ['failed', 'warned', 'passed', 'skipped'] as const;

/** The top of the page: the verdict, the counts, and what was run against what. */
export function verdictSection(document: VerifyDocument): Markup {
  const { text, tone } = verdictOf(document);
  // The heading says already that nobody answered.
  const { unreachable, ...rest } = document;
  const remarks = [unreachable?.message, unreachable?.hint, ...remarksOf(rest)].filter(Boolean);
  return html`<header>
<p class="brand"><span>${commandOf(document)}</span><span><time datetime="${document.started_at}">${shownTime(document.started_at)}</time></span></p>
<div class="verdict is-${tone}">
<h1>${text}</h1>
<p class="mono">${targetOf(document)}</p>
${remarks.map((remark) => html`<p>${remark}</p>`)}
${countBar(document)}
<ul class="counts">${order.map((status) => countOf(document, status))}</ul>
</div>
${facts(document)}
</header>`;
}

function countOf({ summary }: VerifyDocument, status: (typeof order)[number]): Markup {
  return html`<li class="is-${status}"><span class="status" aria-hidden="true">${statusMarks[status]}</span> <strong>${summary[status]}</strong> ${status}</li>
`;
}

/** The counts as parts of a bar; the list below says the same in numbers. */
function countBar({ summary, checks }: VerifyDocument): Markup | undefined {
  if (checks.length === 0) return undefined;
  let x = 0;
  const parts = order.map((status) => {
    const width = (summary[status] / checks.length) * 100;
    x += width;
    return html`<rect class="is-${status}" x="${(x - width).toFixed(2)}%" width="${width.toFixed(2)}%" height="100%"/>`;
  });
  return html`<div class="bar" aria-hidden="true"><svg>${parts}</svg></div>`;
}

function facts(document: VerifyDocument): Markup {
  const { requests, duration_ms: duration, cipher, client_id: clientId, seed, version } = document;
  const received = receivedIn(document);
  return html`<dl class="facts">
<dt>Requests</dt><dd>${requests}${received > 0 && `, ${received} received`} in ${formatDuration(duration)}</dd>
<dt>Client</dt><dd class="mono">${clientId}</dd>
<dt>Cipher</dt><dd class="mono">${cipher}</dd>
<dt>Seed</dt><dd class="mono">${seed}</dd>
<dt>Strict</dt><dd>${document.strict ? 'yes: a “should” that does not hold fails' : 'no: a “should” that does not hold warns'}</dd>
<dt>authcli</dt><dd>${version}</dd>
</dl>`;
}

function shownTime(iso: string): string {
  return iso.replace(/^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2}).*$/, '$1 $2 UTC');
}
