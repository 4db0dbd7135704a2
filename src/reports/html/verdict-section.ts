import type { VerifyDocument } from '../verify-document.ts';
import { receivedIn, remarksOf } from '../verify-words.ts';
import { html, type Markup } from './markup.ts';
import { formatDuration, statusMarks, timeElement, verdictOf } from './words.ts';

const order = ['failed', 'warned', 'passed', 'skipped'] as const;

/** The top of the page: the verdict, the counts, and the facts of the run. */
export function verdictSection(document: VerifyDocument): Markup {
  const { text, tone } = verdictOf(document);
  // The heading says already that the endpoint was unreachable.
  const { unreachable, ...rest } = document;
  const remarks = [unreachable?.message, unreachable?.hint, ...remarksOf(rest)].filter(Boolean);
  return html`<header>
<p class="brand"><span>authcli ${document.command}</span><span>${timeElement(document.started_at)}</span></p>
<div class="verdict is-${tone}">
<h1>${text}</h1>
<p class="mono">${document.target}</p>
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
<dt>Strict</dt><dd>${document.strict ? 'yes: a failed “should” fails the run' : 'no: a failed “should” warns'}</dd>
<dt>authcli</dt><dd>${version}</dd>
</dl>`;
}
