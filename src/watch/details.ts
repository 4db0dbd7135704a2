import { decodeUtf8, encodeBase64 } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { EmulatorRequest } from '../emulator/http.ts';
import { type DecodedField, decodeExchange } from './decoded.ts';
import { type FindingSources, findingsOf } from './findings.ts';
import type { WatchedRecord } from './record.ts';
import type { BodyItem, Detail, HiddenField, Message } from './view/wire.ts';

/** What details are made with. */
export interface DetailSources extends FindingSources {
  /** Of `expire_dt`. */
  readonly timeZone?: string;
}

/** One exchange in full: what went over the wire, what it holds, why it failed. Not redacted; the values of secret fields are left out. */
export function detailOf(record: WatchedRecord, sources: DetailSources): Detail {
  const { request, answer } = messagesOf(record);
  return {
    id: record.id,
    request,
    answer,
    fields: decodedOf(record, sources).map(hiddenField),
    findings: findingsOf(record, sources),
    notes: record.way === 'out' ? record.step.notes : [],
  };
}

/** What a click on something masked shows; undefined where there is no such item. */
export function revealedOf(
  record: WatchedRecord,
  item: string,
  sources: DetailSources,
): string | undefined {
  const { request, answer } = bodiesOf(record);
  if (item === ('request-body' satisfies BodyItem)) return bodyText(request).text;
  if (item === ('answer-body' satisfies BodyItem)) return bodyText(answer).text;
  return decodedOf(record, sources).find((field) => itemOf(field) === item)?.value ?? undefined;
}

function itemOf({ part, field }: Pick<DecodedField, 'part' | 'field'>): string {
  return `${part}.${field}`;
}

function hiddenField(field: DecodedField): HiddenField {
  const { part, title, value, isSecret, note = null } = field;
  const isHidden = isSecret && value !== null;
  return {
    part,
    field: field.field,
    title,
    value: isSecret ? null : value,
    item: isHidden ? itemOf(field) : null,
    note,
  };
}

interface Bodies {
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
}

function bodiesOf(record: WatchedRecord): Bodies {
  if (record.way === 'in') {
    return { request: record.call.request.body, answer: record.call.answer.body };
  }
  const { request, answer, partial } = record.step.exchange;
  return { request: request.body, answer: (answer ?? partial)?.body ?? new Uint8Array() };
}

function decodedOf(
  record: WatchedRecord,
  { cipher, timeZone }: { readonly cipher: Cipher; readonly timeZone?: string },
): readonly DecodedField[] {
  const key = record.way === 'in' ? record.call.facts.key : record.key;
  return decodeExchange({ ...bodiesOf(record), key, cipher, timeZone });
}

function messagesOf(record: WatchedRecord): Pick<Detail, 'request' | 'answer'> {
  if (record.way === 'in') return receivedMessages(record.call.request, record.call.answer);
  const { request, answer, partial } = record.step.exchange;
  const seen = answer ?? partial;
  return {
    request: message(`${request.method} ${request.url.href}`, request.headers, request.body),
    answer:
      seen === undefined
        ? null
        : message(
            `${seen.status} ${seen.statusText}`.trim(),
            seen.headers,
            seen.body,
            answer === undefined ? 'it did not come whole' : null,
          ),
  };
}

function receivedMessages(
  { method, path, query = '', headers, body }: EmulatorRequest,
  answer: Extract<WatchedRecord, { way: 'in' }>['call']['answer'],
): Pick<Detail, 'request' | 'answer'> {
  const target = query === '' ? path : `${path}?${query}`;
  const { breakOff, delayMs = 0 } = answer.delivery ?? {};
  const notes = [
    ...(breakOff === undefined ? [] : [`broken off: ${breakOff}`]),
    ...(delayMs === 0 ? [] : [`${delayMs} ms later than it could be`]),
  ];
  return {
    request: message(`${method} ${target}`, Object.entries(headers), body),
    answer: message(
      String(answer.status),
      Object.entries(answer.headers),
      answer.body,
      notes.join(', ') || null,
    ),
  };
}

const shownCharacters = 65_536;

function message(
  start: string,
  headers: Message['headers'],
  body: Uint8Array,
  note: string | null = null,
): Message {
  const { text, isText } = bodyText(body);
  const notes = [
    ...(note === null ? [] : [note]),
    ...(isText ? [] : ['no UTF-8, shown in Base64']),
    ...(text.length > shownCharacters ? [`cut after ${shownCharacters} characters`] : []),
  ];
  return {
    start,
    headers,
    body: text.slice(0, shownCharacters),
    bodyBytes: body.length,
    note: notes.join(', ') || null,
  };
}

function bodyText(body: Uint8Array): { readonly text: string; readonly isText: boolean } {
  const text = decodeUtf8(body);
  return { text: text ?? encodeBase64(body), isText: text !== undefined };
}
