import type { Cipher } from '../crypto/cipher.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import { stacksByCall } from '../diagnosis/diagnosis.ts';
import { diagnosePayload } from '../diagnosis/payload.ts';
import type { Diagnosis } from '../errors.ts';
import { parseCallbackRequest } from '../protocol/callbacks.ts';
import type { Explanation } from '../reports/explanation.ts';
import type { PassedRecord, ReceivedRecord, SentRecord, WatchedRecord } from './rows.ts';
import type { AvailableFault, Finding } from './view/wire.ts';

export interface FindingSources {
  /** What `explain` prints of a code. */
  readonly explain: (code: string) => Explanation | undefined;
  readonly faults: readonly AvailableFault[];
  readonly cipher: Cipher;
}

/** Why an exchange failed and how to fix it, the nearest cause first; empty if it did not fail. */
export function findingsOf(record: WatchedRecord, sources: FindingSources): readonly Finding[] {
  if (record.way === 'passed') return findingsOfPassed(record, sources);
  return record.way === 'in' ? findingsOfCall(record, sources) : findingsOfStep(record, sources);
}

function findingsOfCall({ call }: ReceivedRecord, sources: FindingSources): Finding[] {
  const { refusal, faults } = call.facts;
  const payload = refusal?.name === 'undecryptable' ? payloadOf(call, sources) : undefined;
  const refused = refusal && {
    code: refusal.code as Diagnosis['code'],
    message: refusal.message,
    hint: refusal.fix,
    calls: {},
  };
  // What is wrong with the payload is why it was refused: one cause.
  const cause = payload ?? refused;
  return [
    ...(cause === undefined ? [] : [finding('failure', cause, sources)]),
    ...faults.flatMap((name) => faultFinding(name, sources)),
  ];
}

/** Why a payload can't be decrypted with the key of the user. */
function payloadOf(
  { request, facts }: ReceivedRecord['call'],
  { cipher }: FindingSources,
): Diagnosis | undefined {
  const reading = parseCallbackRequest(request.body);
  const { key } = facts;
  if (!reading.ok || reading.value.usedType !== '2' || key === undefined) return undefined;
  const { partnerSp, ubifill } = reading.value;
  for (const [field, payload] of Object.entries({ partner_sp: partnerSp, ubifill })) {
    if (payload === undefined || decryptPayload(payload, key.reveal(), cipher).ok) continue;
    return diagnosePayload(payload, key.reveal(), { cipher, field }).diagnosis;
  }
  return undefined;
}

function faultFinding(name: string, sources: FindingSources): Finding[] {
  const fault = sources.faults.find((candidate) => candidate.name === name);
  if (fault === undefined) return [];
  const { title, diagnosis } = fault;
  const message = `Caused on request by the fault ${name}: ${title}.`;
  const code = diagnosis as Diagnosis['code'];
  return [finding('fault', { code, message, hint: '', calls: {} }, sources)];
}

function findingsOfStep({ step, diagnosis }: SentRecord, sources: FindingSources): Finding[] {
  const more = 'diagnoses' in step ? step.diagnoses : [];
  const all = [step.diagnosis, ...more, diagnosis].filter((each) => each !== undefined);
  const once = all.filter(
    (each, index) => all.findIndex(({ code }) => code === each.code) === index,
  );
  return once.map((each) => finding(step.ok ? 'weakness' : 'failure', each, sources));
}

function findingsOfPassed({ relayed }: PassedRecord, sources: FindingSources): Finding[] {
  const { ok, findings, diagnoses } = relayed.judgement;
  const others = findings.filter(({ fault }) => fault.diagnosis === undefined);
  return [
    ...diagnoses.map((each) => finding(ok ? 'weakness' : 'failure', each, sources)),
    ...others.map(({ check, fault }) => ({
      kind: check.level === 'must' ? ('failure' as const) : ('weakness' as const),
      code: check.id,
      title: check.title,
      observed: `Expected ${fault.expected}; observed ${fault.observed}.`,
      meaning: null,
      recognised: null,
      fix: fault.fix,
      calls: [],
      section: check.section,
    })),
  ];
}

/** A diagnosis with its entry in the catalogue. */
function finding(
  kind: Finding['kind'],
  { code, message, hint, calls }: Diagnosis,
  { explain }: FindingSources,
): Finding {
  const known = explain(code);
  const right = Object.keys(calls).length > 0 ? calls : (known?.calls ?? {});
  return {
    kind,
    code,
    title: known?.title ?? message,
    observed: message,
    meaning: known?.meaning ?? null,
    recognised: known?.recognised ?? null,
    fix: hint === '' && known !== undefined ? known.fix : hint,
    calls: stacksByCall(right).map(([call, names]) => ({ stacks: names.join(', '), call })),
    section: known?.section ?? null,
  };
}
