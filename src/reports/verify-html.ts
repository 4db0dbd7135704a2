import type { CheckDocument, VerifyDocument } from '../conformance/document.ts';
import { counted } from '../text.ts';
import { factList, html, htmlPage, type Markup, type Part, toneMarks } from './html.ts';
import {
  commandsOf,
  countsOf,
  factsOf,
  groupsOf,
  isGood,
  latenciesOf,
  remarksOf,
  seconds,
  trafficOf,
  troubled,
} from './verify-words.ts';

/** A run as one HTML file without scripts, which loads nothing; secrets are redacted before. */
export function verifyHtml(document: VerifyDocument): string {
  const { command, started_at: startedAt, target, unreachable, users, repeat } = document;
  const isWarned = document.summary.warned + document.summary.failed > 0;
  const remarks = [...remarksOf(document), ...(unreachable?.hint ? [unreachable.hint] : [])];
  return htmlPage({
    command,
    startedAt,
    verdict: countsOf(document),
    tone: isGood(document) ? (isWarned ? 'warned' : 'passed') : 'failed',
    target,
    remarks,
    facts: [
      ['Requests', `${trafficOf(document)} in ${seconds(document.duration_ms)} s`],
      ...Object.entries(latenciesOf(document)).map(
        ([operation, { p50, p95, max }]) =>
          [operation, `p50 ${p50} ms, p95 ${p95} ms, max ${max} ms`] as const,
      ),
      ['Client', document.client_id],
      ['Cipher', document.cipher],
      ['Seed', document.seed],
      ['Strict', document.strict ? 'yes: a failed “should” fails the run' : 'no'],
      ['Requirements', document.requirements],
      ['authcli', document.version],
    ],
    body: [
      overTime(document.over_time ?? []),
      troubled(document).map((check) => faultArticle(check, document)),
      html`<h2>All checks</h2>
${groupsOf(document.checks).map(([group, checks]) => checkTable(group, checks))}
${document.controls.length > 0 && checkTable('only as positive controls', document.controls)}
<h2>Test users</h2>
<p>${users.length === 0 ? 'The run signed up no users.' : `The run used ${counted(users.length, 'user code')}; they can be removed from the application.`}</p>
${users.length > 0 && html`<details><summary>${counted(users.length, 'user code')}</summary><p>${users.join(' ')}</p></details>`}
<h2>Run it again</h2>
<pre><code>${repeat}</code></pre>`,
    ],
  });
}

function faultArticle(check: CheckDocument, document: VerifyDocument): Markup {
  const { id, title, level, status, notes, evidence } = check;
  const facts = factsOf(check, document).map(
    ([name, text, isCode]) => [name, isCode ? html`<code>${text}</code>` : text] as const,
  );
  return html`<article class="is-${status}" id="${anchorOf(check)}">
<h2><span class="mark">${toneMarks[status]}</span> ${title}</h2>
<p class="muted"><code>${id}</code>, ${level}, ${status}</p>
${factList(facts)}
${notes.map((note) => html`<p>${note}</p>`)}
${commandsOf(check).map((command) => html`<pre><code>${command}</code></pre>`)}
${evidence !== undefined && html`<details><summary>The exchange on the wire</summary><pre><code>${lines(evidence)}</code></pre></details>`}
</article>
`;
}

/** Bars of exchanges, with those that failed at the bottom of each. */
function overTime(intervals: NonNullable<VerifyDocument['over_time']>): Part {
  const [first] = intervals;
  if (first === undefined) return undefined;
  const most = Math.max(...intervals.map(({ exchanges }) => exchanges));
  const height = (count: number) => Math.ceil((100 * count) / most);
  const bar = (index: number, count: number, tone: string) =>
    html`<rect class="${tone}" x="${10 * index}" y="${100 - height(count)}" width="9" height="${height(count)}"/>`;
  const bars = intervals.map(({ started_at: at, exchanges, failed }, index) => {
    const title = `${at.slice(0, 19).replace('T', ' ')}: ${failed} of ${exchanges} failed`;
    return html`<g><title>${title}</title>${bar(index, exchanges, '')}${bar(index, failed, 'is-failed')}</g>
`;
  });
  return html`<h2>Failures over time</h2>
<p class="muted">Each bar is ${durationText(first.seconds)}, from ${first.started_at.slice(0, 19).replace('T', ' ')} UTC on; the highest has ${counted(most, 'exchange')}.</p>
<svg viewBox="0 0 ${10 * intervals.length} 100" preserveAspectRatio="none" role="img" aria-label="failures over time">${bars}</svg>
`;
}

function durationText(seconds: number): string {
  if (seconds < 60) return counted(seconds, 'second');
  if (seconds < 3600) return counted(seconds / 60, 'minute');
  return seconds < 86_400 ? counted(seconds / 3600, 'hour') : counted(seconds / 86_400, 'day');
}

function lines(text: string): Part {
  return text.split('\n').map(
    (line) => html`${line}
`,
  );
}

function checkTable(group: string, checks: readonly CheckDocument[]): Markup {
  const passed = checks.filter(({ status }) => status === 'passed').length;
  return html`<table><caption>${group}: ${passed} of ${checks.length} passed</caption>
${checks.map((check) => {
  const { id, title, status, level, section, reason, known, notes } = check;
  const isTroubled = status === 'failed' || status === 'warned';
  const why = [reason, known && `known: ${known.reason}`, ...(isTroubled ? [] : notes)];
  return html`<tr class="is-${status}"><td class="mark">${toneMarks[status]}</td><td>${isTroubled ? html`<a href="#${anchorOf(check)}">${id}</a>` : id}<br><span class="muted">${status}, ${level}, section ${section}</span></td><td>${title}${why.map((text) => text && html`<br><span class="muted">${text}</span>`)}</td></tr>
`;
})}</table>`;
}

function anchorOf({ id }: CheckDocument): string {
  return id.replace(/[^a-z0-9]+/gi, '-');
}
