import { decodeUtf8, encodeBase64 } from '../bytes.ts';
import { type Exchange, responseOf, type WireRequest } from '../client/exchange.ts';
import { toCurl } from '../client/recording.ts';
import type { RecordedCall, Redaction } from '../emulator/journal.ts';
import type { CapturedMessage } from '../relay/capture.ts';
import type { RelayedExchange } from '../relay/relay.ts';
import { counted } from '../text.ts';
import { type DecodedField, decodeExchange } from './decoded.ts';
import { type FindingSources, findingsOf } from './findings.ts';
import type { ReceivedRecord, SentRecord, WatchedRecord } from './rows.ts';
import {
  type BodyItem,
  curlItem,
  type Detail,
  type HiddenField,
  type Message,
} from './view/wire.ts';

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
