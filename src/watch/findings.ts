import type { Cipher } from '../crypto/cipher.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import { diagnosePayload } from '../diagnosis/payload.ts';
import type { Diagnosis } from '../errors.ts';
import { parseCallbackRequest } from '../protocol/callback.ts';
import { type Explanation, stacksByCall } from '../reports/explanation.ts';
import type { ReceivedRecord, SentRecord, WatchedRecord } from './record.ts';
import type { FaultTitles } from './rows.ts';
import type { AvailableFault, Finding } from './view/wire.ts';

/** What findings are made with. */
export interface FindingSources {
  /** What `explain` prints of a code. */
  readonly explain: (code: string) => Explanation | undefined;
  readonly faults: readonly AvailableFault[];
  readonly cipher: Cipher;
}

/** Why an exchange failed, with the way to mend it, the nearest cause first; none where all is well. */
export function findingsOf(record: WatchedRecord, sources: FindingSources): readonly Finding[] {
  return record.way === 'in' ? findingsOfCall(record, sources) : findingsOfStep(record, sources);
}

function findingsOfCall({ call }: ReceivedRecord, sources: FindingSources): Finding[] {
  const { refusal, faults } = call.facts;
  const payload = refusal?.name === 'undecryptable' ? payloadOf(call, sources) : undefined;
  const refused: Diagnosis | undefined = refusal && {
    code: refusal.code as Diagnosis['code'],
    message: refusal.message,
    hint: refusal.mend,
  };
  return [
    ...(payload === undefined ? [] : [finding('failure', payload, sources)]),
    ...(refused === undefined ? [] : [finding('failure', refused, sources)]),
    ...faults.flatMap((name) => faultFinding(name, sources)),
  ];
}

/** A payload that the key of the user does not open is looked at closely: it is the tester's own. */
function payloadOf(
  { request, facts }: ReceivedRecord['call'],
  { cipher }: FindingSources,
): Diagnosis | undefined {
  const reading = parseCallbackRequest(request.body);
  const { key } = facts;
  if (!reading.ok || reading.value.usedType !== '2' || key === undefined) return undefined;
  const { partnerSp, ubifill } = reading.value;
  const fields = [
    { field: 'partner_sp', payload: partnerSp },
    { field: 'ubifill', payload: ubifill },
  ];
  for (const { field, payload } of fields) {
    if (payload === undefined || decryptPayload(payload, key.reveal(), cipher).ok) continue;
    return diagnosePayload(payload, key.reveal(), { cipher, field }).diagnosis;
  }
  return undefined;
}

function faultFinding(name: string, sources: FindingSources): Finding[] {
  const fault = sources.faults.find((candidate) => candidate.name === name);
  if (fault === undefined) return [];
  const { title, diagnosis } = fault;
  const observed = `On request, by the fault ${name}: ${title}.`;
  const code = diagnosis as Diagnosis['code'];
  return [finding('fault', { code, message: observed, hint: '' }, sources)];
}

function findingsOfStep({ step, diagnosis }: SentRecord, sources: FindingSources): Finding[] {
  const more = 'diagnoses' in step ? step.diagnoses : [];
  const all = [step.diagnosis, ...more, diagnosis].filter((each) => each !== undefined);
  const once = all.filter(
    (each, index) => all.findIndex(({ code }) => code === each.code) === index,
  );
  return once.map((each) => finding(step.ok ? 'weakness' : 'failure', each, sources));
}

/** A diagnosis with what the catalogue knows of it; where calls are shown, the hint need not list them. */
function finding(
  kind: Finding['kind'],
  { code, message, hint }: Diagnosis,
  { explain }: FindingSources,
): Finding {
  const known = explain(code);
  const calls = stacksByCall(known?.calls ?? {}).map(([call, stacks]) => ({
    stacks: stacks.join(', '),
    call,
  }));
  const isCatalogued = known !== undefined && (hint === '' || hint.startsWith(known.mend));
  return {
    kind,
    code,
    title: known?.title ?? message,
    observed: message,
    meaning: known?.meaning ?? null,
    recognised: known?.recognised ?? null,
    mend: isCatalogued ? known.mend : hint,
    calls,
    section: known?.section ?? null,
  };
}

/** The titles of faults by their names. */
export function titlesOf(faults: readonly AvailableFault[]): FaultTitles {
  return new Map(faults.map(({ name, title }) => [name, title]));
}
