import { decodeUtf8, encodeBase64 } from '../bytes.ts';
import { type Exchange, responseOf, type WireRequest } from '../client/exchange.ts';
import { toCurl } from '../client/recording.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import { stacksByCall } from '../diagnosis/diagnosis.ts';
import { diagnosePayload } from '../diagnosis/payload.ts';
import type { RecordedCall, Redaction } from '../emulator/journal.ts';
import type { Diagnosis } from '../errors.ts';
import { parseCallbackRequest } from '../protocol/callbacks.ts';
import type { CapturedMessage } from '../relay/capture.ts';
import type { RelayedExchange } from '../relay/relay.ts';
import type { Explanation } from '../reports/explanation.ts';
import { counted } from '../text.ts';
import { type DecodedField, decodeExchange } from './decoded.ts';
import type { PassedRecord, ReceivedRecord, SentRecord, WatchedRecord } from './feed.ts';
import {
  type AvailableFault,
  type BodyItem,
  curlItem,
  type Detail,
  type Finding,
  type HiddenField,
  type Message,
} from './wire.ts';

/** What details are made with. */
export interface DetailSources extends FindingSources {
  /** Of `expire_dt`. */
  readonly timeZone?: string;
  /** Of the page; an emulator's requests have the same. */
  readonly origin: string;
  /** Whether a page may ask for the values of secrets. */
  readonly reveals: boolean;
}

/** One exchange in full, without the values of secret fields; of the rest only the bodies are redacted. */
export function detailOf(
  record: WatchedRecord,
  { sources, redaction }: { readonly sources: DetailSources; readonly redaction: Redaction },
): Detail {
  const { request, response } = messagesOf(record);
  return {
    id: record.id,
    request: shown(request, redaction),
    response: response && shown(response, redaction),
    fields: decodedOf(record, sources).map((field) => hiddenField(field, sources)),
    findings: findingsOf(record, sources),
    notes: record.way === 'out' ? record.step.notes : [],
  };
}

/** The value of a masked item; undefined if it is not found, or stays masked. */
export function revealedOf(
  record: WatchedRecord,
  item: string,
  sources: DetailSources,
): string | undefined {
  if (!sources.reveals) return undefined;
  const { request, response } = messagesOf(record);
  if (item === ('request-body' satisfies BodyItem)) return bodyText(request.body);
  if (item === curlItem && record.way !== 'passed') return toCurl(requestOf(record, sources));
  if (item === ('response-body' satisfies BodyItem))
    return bodyText(response?.body ?? new Uint8Array());
  return decodedOf(record, sources).find((field) => itemOf(field) === item)?.value ?? undefined;
}

/** The request as it can be sent again. */
function requestOf(record: ReceivedRecord | SentRecord, { origin }: DetailSources): WireRequest {
  if (record.way === 'out') return record.step.exchange.request;
  const { method, path, query, headers, body } = record.call.request;
  const url = new URL(origin);
  url.pathname = path;
  url.search = query ?? '';
  return { method, url, headers: Object.entries(headers), body };
}

function itemOf({ part, field }: DecodedField): string {
  return `${part}.${field}`;
}

function hiddenField(
  decoded: DecodedField,
  { reveals }: Pick<DetailSources, 'reveals'>,
): HiddenField {
  const { field, title, value, isSecret, note = null } = decoded;
  const item = reveals && isSecret && value !== null ? itemOf(decoded) : null;
  return { field, title, value: isSecret ? null : value, item, note };
}

function decodedOf(
  record: WatchedRecord,
  { cipher, timeZone }: Pick<DetailSources, 'cipher' | 'timeZone'>,
): readonly DecodedField[] {
  const { request, response } = messagesOf(record);
  const bodies = { request: request.body, response: response?.body ?? new Uint8Array() };
  if (record.way === 'passed') {
    const { exchange, judgement } = record.relayed;
    const decoded = decodeExchange({ ...bodies, key: exchange.key, cipher, timeZone });
    return decoded.map((each) => judgedField(each, judgement.texts));
  }
  const key = record.way === 'in' ? record.call.facts.key : record.key;
  return decodeExchange({ ...bodies, key, cipher, timeZone });
}

/** What the relay decrypted, perhaps with a cipher that it found itself. */
function judgedField(
  decoded: DecodedField,
  texts: RelayedExchange['judgement']['texts'],
): DecodedField {
  const text = Object.entries(texts)
    .find(([name]) => name === decoded.field)?.[1]
    ?.reveal();
  if (text === undefined) return decoded;
  return { ...decoded, value: text, note: counted([...text].length, 'character') };
}

interface RawMessage extends Pick<Message, 'start' | 'headers'> {
  readonly body: Uint8Array;
  readonly notes?: readonly string[];
}

interface RawMessages {
  readonly request: RawMessage;
  readonly response: RawMessage | null;
}

function messagesOf(record: WatchedRecord): RawMessages {
  if (record.way === 'passed') return passed(record.relayed);
  return record.way === 'in' ? received(record.call) : sent(record.step.exchange);
}

function sent(exchange: Exchange): RawMessages {
  const { method, url, headers, body } = exchange.request;
  const response = responseOf(exchange);
  return {
    request: { start: `${method} ${url.href}`, headers, body },
    response: response
      ? {
          ...response,
          start: `${response.status} ${response.statusText}`.trim(),
          notes: exchange.response ? [] : ['incomplete'],
        }
      : null,
  };
}

function received({ request, response }: RecordedCall): RawMessages {
  const { method, path, query, headers, body } = request;
  const { breakOff, delayMs } = response.delivery ?? {};
  return {
    request: {
      start: `${method} ${path}${query ? `?${query}` : ''}`,
      headers: Object.entries(headers),
      body,
    },
    response: {
      start: String(response.status),
      headers: Object.entries(response.headers),
      body: response.body,
      notes: [
        ...(breakOff ? [`cut off: ${breakOff}`] : []),
        ...(delayMs ? [`delayed by ${delayMs} ms`] : []),
      ],
    },
  };
}

function passed({ exchange: { request, response } }: RelayedExchange): RawMessages {
  const rest = ({ headers = [], body, isCut }: CapturedMessage) => ({
    headers,
    body,
    notes: isCut ? ['incomplete'] : [],
  });
  const { method = '', target = '' } = request ?? {};
  const { status = '', statusText = '' } = response ?? {};
  return {
    request: { start: `${method} ${target}`, ...rest(request ?? { body: new Uint8Array() }) },
    response: response ? { start: `${status} ${statusText}`.trim(), ...rest(response) } : null,
  };
}

const shownCharacters = 65_536;

function shown({ start, headers, body, notes = [] }: RawMessage, redaction: Redaction): Message {
  const text = bodyText(body);
  const all = [
    ...notes,
    ...(decodeUtf8(body) === undefined ? ['not UTF-8, shown in Base64'] : []),
    ...(text.length > shownCharacters ? [`truncated after ${shownCharacters} characters`] : []),
  ];
  return {
    start,
    headers,
    body: redaction.head(text, shownCharacters),
    bodyBytes: body.length,
    note: all.join(', ') || null,
  };
}

function bodyText(body: Uint8Array): string {
  return decodeUtf8(body) ?? encodeBase64(body);
}

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
