import { counted } from '../../text.ts';
import type { ExchangeDocument, VerifyDocument } from '../verify-document.ts';
import {
  isNearLimit,
  type PlotMark,
  type PlotPoint,
  plotResponseTimes,
  pointShape,
  responsive,
} from './chart.ts';
import { html, type Markup, type Part } from './markup.ts';
import { formatDuration, malformation, percentile, requestTitle, responseTitle } from './words.ts';

/** No response should take longer (protocol/response-time). */
const limitMs = 3000;

interface Request extends ExchangeDocument {
  readonly check: string;
}

export function hasTimes(document: VerifyDocument): boolean {
  return requestsOf(document).length > 0;
}

/** How long each request took: a sentence, the plot, and a table. */
export function timesSection(document: VerifyDocument): Part {
  const requests = requestsOf(document);
  if (requests.length === 0) return undefined;
  const summary = summaryOf(requests);
  const points = requests.map(pointOf);
  const description = `Response times. ${summary}`;
  return html`<section aria-labelledby="times">
<h2 id="times">Response times</h2>
<p>${summary}</p>
<figure>
${legend(points, requests)}
${responsive((width) => plotResponseTimes(points, { width, limitMs, description }))}
<figcaption>Logarithmic scale.</figcaption>
</figure>
<details><summary>All ${counted(requests.length, 'request')}</summary>${requestTable(requests)}</details>
</section>`;
}

function requestsOf({ checks, controls }: VerifyDocument): readonly Request[] {
  return (
    [...checks, ...controls]
      .flatMap(({ id, exchanges }) => exchanges.map((exchange) => ({ ...exchange, check: id })))
      // Responses of the emulated service take no time of the other side; a sign-in is several calls.
      .filter(({ received, operation }) => !received && operation !== 'sign-in')
      .sort((a, b) => a.started_ms - b.started_ms)
  );
}

function summaryOf(requests: readonly Request[]): string {
  const times = requests.map(({ duration_ms: duration }) => duration).sort((a, b) => a - b);
  const at = (share: number): string => formatDuration(percentile(times, share));
  const withoutResponse = requests.filter(({ http_status: status }) => status === null).length;
  const lost =
    withoutResponse === 0 ? '' : ` ${counted(withoutResponse, 'request')} got no response.`;
  return `${counted(requests.length, 'request')}: median (p50) ${at(0.5)}, p90 ${at(0.9)}, max ${at(1)}.${lost}`;
}

function pointOf(request: Request): PlotPoint {
  const { operation, http_status: status, intent, check, duration_ms: duration } = request;
  const isLost = status === null;
  return {
    durationMs: duration,
    series: operation === 'key-exchange' || operation === 'token' ? 0 : 1,
    mark: isLost ? 'cross' : intent === 'right' ? 'full' : 'hollow',
    label: `${check}: ${requestTitle(request)}, ${responseTitle(request)}, ${formatDuration(duration)}`,
  };
}

/** A run verifies sign-ups or sign-ins, of two requests each. */
function seriesNames(requests: readonly Request[]): readonly [first: string, second: string] {
  const isSignIn = requests.some(({ operation }) => ['token', 'authenticate'].includes(operation));
  return isSignIn ? ['token', 'authenticate'] : ['key exchange', 'registration'];
}

/** The colours and shapes that occur. */
function legend(points: readonly PlotPoint[], requests: readonly Request[]): Markup {
  const [first, second] = seriesNames(requests);
  const entries: readonly (readonly [series: 0 | 1, mark: PlotMark, text: string])[] = [
    [0, 'full', first],
    [1, 'full', second],
    [0, 'hollow', `${first}, invalid on purpose`],
    [1, 'hollow', `${second}, invalid on purpose`],
    [0, 'cross', `${first}, no response`],
    [1, 'cross', `${second}, no response`],
  ];
  const present = entries.filter(([series, mark]) =>
    points.some((point) => point.series === series && point.mark === mark),
  );
  const durations = points.map(({ durationMs }) => durationMs);
  return html`<ul class="legend small">
${present.map(([series, mark, text]) => legendEntry(html`<g class="s${series} ${mark}">${pointShape(mark)}</g>`, text))}
${legendEntry(html`<path class="median" d="M-10 0H10"/>`, 'median')}
${isNearLimit(durations, limitMs) && legendEntry(html`<path class="limit" d="M-10 0H10"/>`, `${formatDuration(limitMs)}, the limit for a response`)}
</ul>`;
}

function legendEntry(picture: Markup, text: string): Markup {
  return html`<li><svg width="20" height="14" viewBox="-10 -7 20 14" aria-hidden="true">${picture}</svg>${text}</li>
`;
}

function requestTable(requests: readonly Request[]): Markup {
  return html`<table><caption>In the order sent</caption>
<thead><tr><th class="number" scope="col">at</th><th scope="col">request</th><th scope="col">response</th><th class="number" scope="col">took</th></tr></thead>
<tbody>${requests.map(requestRow)}</tbody></table>`;
}

function requestRow(request: Request): Markup {
  const { started_ms: started, duration_ms: duration, check } = request;
  const how = malformation(request);
  return html`<tr><td class="number">${formatDuration(started)}</td><td>${requestTitle(request)}${how !== undefined && `: ${how}`}<br><span class="mono muted">${check}</span></td><td>${responseTitle(request)}</td><td class="number">${formatDuration(duration)}</td></tr>
`;
}
