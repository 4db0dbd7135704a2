import type { Diagnosis } from '../../errors.ts';
import type { CheckDocument, ExchangeDocument, VerifyDocument } from '../verify-document.ts';
import { formatDuration } from './duration.ts';
import { html, type Part } from './markup.ts';
import { drawSequence, type SequenceStep } from './sequence.ts';
import { answerTitle, counted, requestTitle, spoiling } from './words.ts';

/** More requests than these say nothing more. */
const mostSteps = 8;

/** What a check sent and what came back, in the order in which it was sent. */
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

/** The usual course of a sign-up, with the fields of each message, from the first one in the run that went well. */
export function signupSequence({ checks, controls, url }: VerifyDocument): Part {
  for (const { exchanges } of [...checks, ...controls]) {
    const at = exchanges.findIndex((exchange) => isGoodStep(exchange, 'key-exchange'));
    const exchange = exchanges[at];
    const registration = exchanges[at + 1];
    if (exchange === undefined || registration === undefined) continue;
    if (!isGoodStep(registration, 'registration')) continue;
    return sequenceFigure([withFields(exchange), withFields(registration)], url);
  }
  return undefined;
}

const fields = {
  'key-exchange': {
    request: 'used_type "1", ptn_cd, public_key',
    answer: 'result.enc_partner_key',
  },
  registration: { request: 'used_type "2", ptn_cd, partner_sp, ubifill', answer: undefined },
  token: { request: 'client_id, secret_key, ptn_token', answer: 'result.acs_token' },
  authenticate: { request: 'client_id, secret_key, acs_token', answer: 'result.ptn_sp' },
  'sign-in': { request: 'ptn_token', answer: undefined },
} as const;

function withFields(exchange: ExchangeDocument): SequenceStep {
  const { request, answer } = fields[exchange.operation];
  return { ...stepOf(exchange), requestDetail: request, answerDetail: answer };
}

function isGoodStep(exchange: ExchangeDocument, operation: ExchangeDocument['operation']): boolean {
  const { intent, code } = exchange;
  return exchange.operation === operation && intent === 'right' && code === '0000';
}

function sequenceFigure(steps: readonly SequenceStep[], url: string): Part {
  const description = steps
    .map(({ request, answer }, index) => `${index + 1}. ${request}: ${answer}`)
    .join('; ');
  const draw = (width: number) =>
    drawSequence(steps, { left: 'authcli', right: hostOf(url), width, description });
  return html`<figure><div class="narrow">${draw(312)}</div><div class="wide">${draw(640)}</div></figure>`;
}

function stepOf(exchange: ExchangeDocument): SequenceStep {
  const { duration_ms: duration } = exchange;
  return {
    request: requestTitle(exchange),
    requestDetail: spoiling(exchange),
    answer: `${answerTitle(exchange)}, ${formatDuration(duration)}`,
    outcome: outcomeOf(exchange),
    isReceived: exchange.received,
  };
}

/** The exchange that shows what is wrong is marked, whatever its code says. */
function withFault(exchange: ExchangeDocument, diagnosis: Diagnosis | undefined): SequenceStep {
  const step = stepOf(exchange);
  if (!exchange.is_evidence) return step;
  const outcome = step.outcome === 'none' ? 'none' : 'bad';
  return { ...step, outcome, isEvidence: true, answerDetail: diagnosis?.code };
}

/** A right request is to be accepted, a wrong one to be answered and refused; what authcli itself answered is as it should be. */
function outcomeOf(exchange: ExchangeDocument): SequenceStep['outcome'] {
  const { http_status: status, code, intent, received, operation } = exchange;
  if (status === null) return 'none';
  if (received || operation === 'sign-in') return 'good';
  return (code === '0000') === (intent === 'right') ? 'good' : 'bad';
}

/** All of a few; of many those around the one that shows the fault, or the first. */
function mostTelling(exchanges: readonly ExchangeDocument[]): readonly ExchangeDocument[] {
  const evidence = exchanges.findIndex(({ is_evidence: isEvidence }) => isEvidence);
  const end = Math.min(exchanges.length, Math.max(mostSteps, evidence + 2));
  return exchanges.slice(Math.max(0, end - mostSteps), end);
}

function hostOf(url: string): string {
  return (URL.canParse(url) && new URL(url).host) || 'application';
}
