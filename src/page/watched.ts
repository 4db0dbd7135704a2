import { responseOf, statusOf } from '../client/exchange.ts';
import type { SignupOutcome } from '../client/signup.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import { diagnosePayload } from '../diagnosis/payload.ts';
import type { FaultControl } from '../emulator/control.ts';
import type { RecordedCall } from '../emulator/journal.ts';
import type { Diagnosis } from '../errors.ts';
import { parseCallbackRequest } from '../protocol/operations.ts';
import { durationOf } from '../reports/exchange.ts';
import { type CapturedMessage, titleOf } from '../traffic/capture.ts';
import type { RelayedExchange } from '../traffic/relay.ts';
import type { Cause, Watched } from './feed.ts';

export function watchedCall(
  call: RecordedCall,
  catalogue: FaultControl['catalogue'],
  cipher: Cipher,
): Watched {
  const { facts, request, response } = call;
  const { operation, refusal, key } = facts;
  const { method, path, query, headers, body } = request;
  const { breakOff, delayMs } = response.delivery ?? {};
  const isLost = breakOff !== undefined;
  const faults = facts.faults.flatMap((name) => catalogue.find((each) => each.name === name) ?? []);
  const judged = refusal === undefined ? 'good' : 'bad';
  return {
    row: {
      at: call.receivedAt,
      durationMs: call.durationMs,
      way: 'in',
      what: operation ?? `${method} ${path}`,
      ptnCd: facts.ptnCd ?? null,
      status: isLost ? null : response.status,
      code: isLost ? null : (facts.code ?? null),
      outcome: isLost ? 'none' : facts.faults.length > 0 ? 'fault' : judged,
      faults: facts.faults,
      diagnosis: refusal?.name ?? null,
      remark: refusal?.message ?? faults[0]?.title ?? null,
    },
    request: {
      start: `${method} ${path}${query ? `?${query}` : ''}`,
      headers: Object.entries(headers),
      body,
      notes: [],
    },
    response: {
      start: String(response.status),
      headers: Object.entries(response.headers),
      body: response.body,
      notes: [
        ...(isLost ? [`cut off: ${breakOff}`] : []),
        ...(delayMs ? [`delayed by ${delayMs} ms`] : []),
      ],
    },
    key,
    notes: [],
    causes: () => [
      ...refusalCauses(call, cipher),
      ...faults.map(({ name, title, diagnosis }) => ({
        kind: 'fault' as const,
        code: diagnosis,
        message: `Caused on request by the fault ${name}: ${title}.`,
        hint: '',
        calls: {},
      })),
    ],
  };
}

/** What is wrong with a payload is why it was refused: one cause. */
function refusalCauses({ request, facts }: RecordedCall, cipher: Cipher): readonly Cause[] {
  const { refusal, key } = facts;
  if (refusal === undefined) return [];
  const reading = parseCallbackRequest(request.body);
  if (refusal.name === 'undecryptable' && reading.ok && reading.value.usedType === '2' && key) {
    const { partnerSp, ubifill } = reading.value;
    for (const [field, payload] of Object.entries({ partner_sp: partnerSp, ubifill })) {
      if (payload === undefined || decryptPayload(payload, key.reveal(), cipher).ok) continue;
      const { diagnosis } = diagnosePayload({ payload, key: key.reveal(), cipher, field });
      return [{ kind: 'failure', ...diagnosis }];
    }
  }
  const { code, message, fix: hint } = refusal;
  return [{ kind: 'failure', code, message, hint, calls: {} }];
}

/** The callbacks that an emulated service sent; the diagnosis of the sign-up belongs to the last one. */
export function watchedSignup(outcome: SignupOutcome): readonly Watched[] {
  const { steps, ptnCd, key, diagnosis: whole } = outcome;
  return steps.map((step) => {
    const { exchange, reading, ok, notes } = step;
    const ofSignup = step === steps.at(-1) ? whole : undefined;
    const diagnosis = step.diagnosis ?? ofSignup;
    const { method, url, headers, body } = exchange.request;
    const response = responseOf(exchange);
    const judged = diagnosis === undefined ? 'good' : 'bad';
    return {
      row: {
        at: exchange.startedAt,
        durationMs: durationOf(step),
        way: 'out',
        what: step.usedType === '1' ? 'key-exchange' : 'registration',
        ptnCd,
        status: statusOf(exchange) ?? null,
        code: reading?.code ?? null,
        outcome: exchange.response === undefined ? 'none' : judged,
        faults: [],
        diagnosis: diagnosis?.code ?? null,
        remark: diagnosis?.message ?? null,
      },
      request: { start: `${method} ${url.href}`, headers, body, notes: [] },
      response: response
        ? {
            ...response,
            start: `${response.status} ${response.statusText}`.trim(),
            notes: exchange.response ? [] : ['incomplete'],
          }
        : null,
      key,
      notes,
      causes: () => {
        const all = [step.diagnosis, ...('diagnoses' in step ? step.diagnoses : []), ofSignup];
        return diagnosisCauses(all, ok);
      },
    };
  });
}

export function watchedPassage(relayed: RelayedExchange): Watched {
  const { exchange, judgement, direction, status } = relayed;
  const { request, response } = exchange;
  const { ok, code, findings, diagnoses, texts, ptnCd = exchange.ptnCd } = judgement;
  const [broken] = findings;
  const judged = ok ? 'good' : 'bad';
  const message = (
    start: string,
    { headers = [], body, isCut }: CapturedMessage = { body: new Uint8Array() },
  ) => ({ start: start.trim(), headers, body, notes: isCut ? ['incomplete'] : [] });
  return {
    row: {
      at: exchange.startedAt ?? 0,
      durationMs: Math.round(exchange.durationMs ?? 0),
      way: direction === 'callback' ? 'in' : 'out',
      what: titleOf(exchange),
      ptnCd: ptnCd ?? null,
      status: status ?? null,
      code: code ?? null,
      outcome: status === undefined ? 'none' : judged,
      faults: [],
      diagnosis: diagnoses[0]?.code ?? broken?.check.id ?? null,
      remark: diagnoses[0]?.message ?? broken?.fault.observed ?? null,
    },
    request: message(`${request?.method} ${request?.target}`, request),
    response: response
      ? message(`${response.status ?? ''} ${response.statusText ?? ''}`, response)
      : null,
    key: exchange.key,
    texts,
    notes: [],
    causes: () => [
      ...diagnosisCauses(diagnoses, ok),
      ...findings
        .filter(({ fault }) => fault.diagnosis === undefined)
        .map(({ check, fault }) => ({
          kind: check.level === 'must' ? ('failure' as const) : ('weakness' as const),
          code: check.id,
          title: check.title,
          message: `Expected ${fault.expected}; observed ${fault.observed}.`,
          hint: fault.fix,
          calls: {},
          section: check.section,
        })),
    ],
  };
}

function diagnosisCauses(
  all: readonly (Diagnosis | undefined)[],
  isWeakness: boolean,
): readonly Cause[] {
  const known = all.flatMap((each) => each ?? []);
  const once = known.filter(({ code }, at) => known.findIndex((each) => each.code === code) === at);
  return once.map((each) => ({ ...each, kind: isWeakness ? 'weakness' : 'failure' }));
}
