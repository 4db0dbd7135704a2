import type { Headers } from '../../client/exchange.ts';
import { diagnosis } from '../../diagnosis/diagnosis.ts';
import { AuthcliError, isDiagnosisCode } from '../../errors.ts';
import { isJsonObject, type JsonObject, parseJsonText } from '../../protocol/json.ts';
import { type CapturedExchange, type CapturedMessage, subjectOf } from '../capture.ts';

/** Whether the beginning of a file is that of an HTTP archive, or of a session of Charles. */
export function isArchiveHead(head: string): boolean {
  const har = /^\s*\{\s*"log"\s*:\s*\{\s*"(?:version|creator|browser|pages|entries|comment)"/;
  const charles = /^\s*\[\s*\{\s*"status"\s*:\s*"[A-Z_]+"\s*,\s*"method"/;
  return har.test(head) || charles.test(head);
}

/** A real one of the largest archive that is read has more than 300 bytes. */
const mostEntries = 200_000;

/**
 * The exchanges of an HTTP archive (HAR 1.2) of a browser, a proxy or authcli, or of a session that Charles
 * exported as JSON; none of other text.
 * @throws AuthcliError `usage` for very many entries
 */
export function* readHar(text: string): Generator<CapturedExchange> {
  const root = parseJsonText(text.replace(/^\ufeff/, ''));
  const log = isJsonObject(root) ? root.log : undefined;
  const listed = isJsonObject(log) && Array.isArray(log.entries) ? log.entries : [];
  const entries = Array.isArray(root) ? root.filter(isJsonObject).map(entryOfCharles) : listed;
  if (entries.length > mostEntries)
    throw new AuthcliError('usage', `The archive has more than ${mostEntries} entries.`, {
      hint: 'Split it, or export only the requests that matter.',
    });
  for (const [index, entry] of entries.entries())
    if (isJsonObject(entry) && isJsonObject(entry.request)) yield readEntry(entry, index);
}

function readEntry(entry: JsonObject, index: number): CapturedExchange {
  const sent = objectAt(entry, 'request');
  const received = objectAt(entry, 'response');
  const comment = String(entry.comment ?? '');
  const request = { ...messageOf(sent, objectAt(sent, 'postData')), ...lineOf(sent) };
  const isWrong = comment.includes('invalid on purpose');
  // wrong responses of the emulated service, on purpose, are not judged
  const isOwnResponse = isWrong && comment.includes('received by the emulated service');
  const status = typeof received.status === 'number' ? received.status : 0;
  const response = { ...messageOf(received, objectAt(received, 'content')), status };
  const startedAt = Date.parse(String(entry.startedDateTime));
  const hasResponse = status > 0 && !isOwnResponse;
  return {
    source: `entry ${index + 1}`,
    ...subjectOf(request, hasResponse ? response : undefined),
    startedAt: Number.isNaN(startedAt) ? undefined : startedAt,
    durationMs: typeof entry.time === 'number' && entry.time >= 0 ? entry.time : undefined,
    request,
    response: hasResponse ? response : undefined,
    failure: status <= 0 ? failureOf(comment) : undefined,
    isTest: (isWrong && !isOwnResponse) || undefined,
  };
}

/** The same as an entry of an archive. */
function entryOfCharles(session: JsonObject): JsonObject {
  const { method, scheme, host, path, query } = session;
  const [sent, received] = [objectAt(session, 'request'), objectAt(session, 'response')];
  const url = `${scheme}://${host}${path}${typeof query === 'string' ? `?${query}` : ''}`;
  const { headers } = objectAt(sent, 'header');
  return {
    startedDateTime: objectAt(session, 'times').start,
    request: { method, url, headers, postData: bodyOfCharles(sent) },
    response: {
      status: received.status,
      headers: objectAt(received, 'header').headers,
      content: bodyOfCharles(received),
    },
  };
}

function bodyOfCharles(message: JsonObject): JsonObject {
  const { text, encoded } = objectAt(message, 'body');
  return { text: text ?? encoded, ...(text === undefined && { encoding: 'base64' }) };
}

function lineOf({ method, url }: JsonObject) {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  return {
    method: typeof method === 'string' ? method : undefined,
    target: parsed && parsed.pathname + parsed.search,
  };
}

function messageOf(message: JsonObject, content: JsonObject): CapturedMessage {
  const text = typeof content.text === 'string' ? content.text : '';
  const isBase64 = content.encoding === 'base64' || content._encoding === 'base64';
  return { headers: headersOf(message), body: Buffer.from(text, isBase64 ? 'base64' : 'utf8') };
}

/** An exporter that leaves headers out writes an empty list. */
function headersOf({ headers }: JsonObject): Headers | undefined {
  if (!Array.isArray(headers) || headers.length === 0) return undefined;
  const line = ({ name, value }: JsonObject) => [String(name), String(value)] as const;
  return headers.filter(isJsonObject).map(line);
}

/** authcli writes the code of the diagnosis first; others leave open why the status is 0. */
function failureOf(comment: string) {
  const code = comment.split('; ').at(-1)?.split(':', 1)[0] ?? '';
  const known = isDiagnosisCode(code) ? code : 'reset';
  return diagnosis(known, 'The archive has no response to this request (status 0).', '');
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}
