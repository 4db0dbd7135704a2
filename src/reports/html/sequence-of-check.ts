import type { Diagnosis } from '../../errors.ts';
import { counted } from '../../text.ts';
import { drawSequence, type SequenceStep, type SvgElement } from '../sequence.ts';
import type { CheckDocument, ExchangeDocument, VerifyDocument } from '../verify-document.ts';
import { html, type Markup, type Part } from './markup.ts';
import { formatDuration, malformation, requestTitle, responseTitle } from './words.ts';

const mostSteps = 8;

/** The requests of a check and their responses, in order. */
export function checkSequence(check: CheckDocument, { url }: VerifyDocument): Part {
  const { exchanges, diagnosis } = check;
  if (exchanges.length === 0) return undefined;
  const shown = mostTelling(exchanges);
  const left = exchanges.length - shown.length;
  return html`<h4>The exchange</h4>
${sequenceFigure(
  shown.map((exchange) => withFault(exchange, diagnosis)),
  url,
)}
${left > 0 && html`<p class="small muted">${counted(left, 'more request')} of this check not shown.</p>`}`;
}

/** The flow of a sign-up with the fields of each message: the first in the run that succeeded. */
export function signupSequence({ checks, controls, url }: VerifyDocument): Part {
  for (const { exchanges } of [...checks, ...controls]) {
    const at = exchanges.findIndex((exchange) => isGoodStep(exchange, 'key-exchange'));
    const [exchange, registration] = at === -1 ? [] : exchanges.slice(at, at + 2);
    if (exchange === undefined || registration === undefined) continue;
    if (!isGoodStep(registration, 'registration')) continue;
    return sequenceFigure([withFields(exchange), withFields(registration)], url);
  }
  return undefined;
}

const fields = {
  'key-exchange': {
    request: 'used_type "1", ptn_cd, public_key',
    response: 'result.enc_partner_key',
  },
  registration: { request: 'used_type "2", ptn_cd, partner_sp, ubifill', response: undefined },
  token: { request: 'client_id, secret_key, ptn_token', response: 'result.acs_token' },
  authenticate: { request: 'client_id, secret_key, acs_token', response: 'result.ptn_sp' },
  'sign-in': { request: 'ptn_token', response: undefined },
} as const;

function withFields(exchange: ExchangeDocument): SequenceStep {
  const { request, response } = fields[exchange.operation];
  return { ...stepOf(exchange), requestDetail: request, responseDetail: response };
}

function isGoodStep(exchange: ExchangeDocument, operation: ExchangeDocument['operation']): boolean {
  const { intent, code } = exchange;
  return exchange.operation === operation && intent === 'right' && code === '0000';
}

function sequenceFigure(steps: readonly SequenceStep[], url = ''): Part {
  const description = steps
    .map(({ request, response }, index) => `${index + 1}. ${request}: ${response}`)
    .join('; ');
  const numbered = steps.map((step, index) => ({
    ...step,
    request: `${index + 1} ${step.request}`,
    response: `${step.outcome === 'good' ? '✓' : '✗'} ${step.response}`,
  }));
  const names = ['authcli', hostOf(url)] as const;
  const draw = (width: number) => svgMarkup(drawSequence(numbered, { width, names, description }));
  return html`<figure><div class="narrow">${draw(312)}</div><div class="wide">${draw(640)}</div></figure>`;
}

function svgMarkup({ name, attributes, children }: SvgElement): Markup {
  const written = Object.entries(attributes).map(([key, value]) => html` ${key}="${value}"`);
  if (children.length === 0) return html`<${name}${written}/>`;
  const content = children.map((child) => (typeof child === 'string' ? child : svgMarkup(child)));
  return html`<${name}${written}>${content}</${name}>`;
}

function stepOf(exchange: ExchangeDocument): SequenceStep {
  const { duration_ms: duration } = exchange;
  return {
    request: requestTitle(exchange),
    requestDetail: malformation(exchange),
    response: `${responseTitle(exchange)}, ${formatDuration(duration)}`,
    outcome: outcomeOf(exchange),
    isFromRight: exchange.received,
  };
}

/** The exchange that shows what is wrong is marked, whatever its code says. */
function withFault(exchange: ExchangeDocument, diagnosis: Diagnosis | undefined): SequenceStep {
  const step = stepOf(exchange);
  if (!exchange.is_evidence) return step;
  const outcome = step.outcome === 'none' ? 'none' : 'bad';
  return { ...step, outcome, isHighlighted: true, responseDetail: diagnosis?.code };
}

/** A valid request must be accepted, a malformed one refused; authcli's own responses are right. */
function outcomeOf(exchange: ExchangeDocument): SequenceStep['outcome'] {
  const { http_status: status, code, intent, received, operation } = exchange;
  if (status === null) return 'none';
  if (received || operation === 'sign-in') return 'good';
  return (code === '0000') === (intent === 'right') ? 'good' : 'bad';
}

/** At most {@link mostSteps}, up to the one after the evidence. */
function mostTelling(exchanges: readonly ExchangeDocument[]): readonly ExchangeDocument[] {
  const evidence = exchanges.findIndex(({ is_evidence: isEvidence }) => isEvidence);
  const end = Math.min(exchanges.length, Math.max(mostSteps, evidence + 2));
  return exchanges.slice(Math.max(0, end - mostSteps), end);
}

function hostOf(url: string): string {
  return (URL.canParse(url) && new URL(url).host) || 'application';
}
