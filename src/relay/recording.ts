import { decodeUtf8, encodeBase64, encodeUtf8 } from '../bytes.ts';
import { carriesCredentials } from '../client/headers.ts';
import { Secret } from '../crypto/secret.ts';
import { AuthcliError, type Diagnosis, isDiagnosisCode } from '../errors.ts';
import { isJsonObject, type JsonObject, parseJsonText } from '../protocol/json.ts';
import { type Redactor, redacted } from '../reports/redact.ts';
import { excerptOf } from '../text.ts';
import { type CapturedExchange, type CapturedMessage, secretsOf, subjectOf } from './capture.ts';
import { type Line, textOfLine } from './sources/lines.ts';

/** What the header line of a recording says (schemas/recording-1.json). */
export const recordingSchema = 'authcli/recording/1';

export interface RecordingOptions {
  /** The release of authcli. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Hides secrets; without it values are kept, the per-user keys included. */
  readonly redactor?: Redactor | undefined;
}

/**
 * Exchanges as lines of JSON, each with its line feed. Further recordings may be appended: each begins with
 * its own header line.
 */
export class RecordingWriter {
  readonly header: string;
  readonly #redactor: Redactor | undefined;

  constructor({ version, startedAt, redactor }: RecordingOptions) {
    this.#redactor = redactor;
    const secrets = redactor === undefined ? 'values' : 'redacted';
    const started = new Date(startedAt).toISOString();
    this.header = lineOf({ schema: recordingSchema, version, started_at: started, secrets });
  }

  line(exchange: CapturedExchange): string {
    const { operation, ptnCd, startedAt, durationMs, failure, key, request, response } = exchange;
    const redactor = this.#redactor;
    for (const secret of secretsOf(exchange)) redactor?.addFromPeer(secret);
    const text = (value: string | undefined) => value && (redactor?.text(value) ?? value);
    const message = ({ headers, body, isCut }: CapturedMessage) => ({
      headers: headers?.map(([name, value]) => [
        name,
        redactor && value !== '' && carriesCredentials(name) ? redacted : text(value),
      ]),
      ...this.#body(body),
      is_cut: isCut || undefined,
    });
    return lineOf({
      operation,
      ptn_cd: ptnCd,
      started_at: startedAt === undefined ? undefined : new Date(startedAt).toISOString(),
      duration_ms: durationMs,
      request: request && {
        method: request.method,
        target: text(request.target),
        ...message(request),
      },
      response: response && {
        status: response.status,
        status_text: text(response.statusText),
        ...message(response),
      },
      failure: failure && { ...failure, message: text(failure.message) },
      key: redactor === undefined ? key?.reveal() : undefined,
    });
  }

  /** JSON stays JSON where something is hidden in it, so that the rest of it can be judged. */
  #body(body: Uint8Array): { readonly body: string } | { readonly body_base64: string } {
    const text = decodeUtf8(body);
    const redactor = this.#redactor;
    if (text === undefined) {
      const latin1 = Buffer.from(body).toString('latin1');
      const shown = Buffer.from(redactor?.text(latin1) ?? latin1, 'latin1');
      return { body_base64: encodeBase64(shown) };
    }
    if (redactor === undefined) return { body: text };
    const json = parseJsonText(text);
    if (typeof json !== 'object') return { body: redactor.text(text) };
    const shown = JSON.stringify((redactor.json({ json }) as { readonly json: unknown }).json);
    return { body: shown === JSON.stringify(json) ? text : shown };
  }
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** Whether the first line of a file is the header of a recording, of any version. */
export function isRecordingHeader(line: string): boolean {
  return /^\s*\{\s*"schema"\s*:\s*"authcli\/recording\//.test(line);
}

/**
 * The exchanges of a recording. What can't be read is left out with a note: a last line that was cut
 * off, a line that is damaged.
 * @throws AuthcliError `usage` for another version, which the message names.
 */
export async function* readRecording(
  lines: AsyncIterable<Line> | Iterable<Line>,
  note: (text: string) => void,
): AsyncGenerator<CapturedExchange> {
  let hasValues = false;
  for await (const line of lines) {
    const text = textOfLine(line);
    if (text.trim() === '') continue;
    const value = parseJsonText(text);
    if (isJsonObject(value) && 'schema' in value) {
      requireVersion(value.schema);
      hasValues = value.secrets === 'values';
    } else if (isJsonObject(value)) {
      yield readExchange(value, `line ${line.number}`, hasValues);
    } else {
      const what = line.isEnded && !line.isCut ? 'is not a JSON object' : 'was cut off';
      note(`Line ${line.number} of the recording ${what}; it was left out.`);
    }
  }
}

function requireVersion(schema: unknown): void {
  if (schema === recordingSchema) return;
  const found = excerptOf(String(schema), 60);
  throw new AuthcliError(
    'usage',
    `The recording is of the version ${found}; this authcli reads ${recordingSchema}.`,
    { hint: 'Read it with the release of authcli that wrote it, or a later one.' },
  );
}

function readExchange(line: JsonObject, source: string, hasValues: boolean): CapturedExchange {
  const request = readMessage(line.request);
  const response = readMessage(line.response);
  const { method, target } = Object(line.request);
  const { status, status_text: statusText } = Object(line.response);
  const startedAt = Date.parse(textOf(line.started_at) ?? '');
  const key = hasValues ? textOf(line.key) : undefined;
  return {
    source,
    ...subjectOf(request, response),
    startedAt: Number.isNaN(startedAt) ? undefined : startedAt,
    durationMs: numberOf(line.duration_ms),
    request: request && { ...request, method: textOf(method), target: textOf(target) },
    response: response && {
      ...response,
      status: numberOf(status),
      statusText: textOf(statusText),
    },
    failure: readFailure(line.failure),
    key: key === undefined ? undefined : Secret.key(key),
    isRedacted: hasValues ? undefined : true,
  };
}

function readMessage(message: unknown): CapturedMessage | undefined {
  if (!isJsonObject(message)) return undefined;
  const { headers, body, body_base64: base64, is_cut: isCut } = message;
  return {
    headers: Array.isArray(headers) ? headers.filter(isHeader) : undefined,
    body:
      typeof base64 === 'string' ? Buffer.from(base64, 'base64') : encodeUtf8(textOf(body) ?? ''),
    isCut: isCut === true || undefined,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function isHeader(line: unknown): line is readonly [string, string] {
  return Array.isArray(line) && line.length === 2 && line.every((part) => typeof part === 'string');
}

function readFailure(value: unknown): Diagnosis | undefined {
  if (!isJsonObject(value)) return undefined;
  const { code, message, hint } = value;
  if (typeof code !== 'string' || !isDiagnosisCode(code) || typeof message !== 'string') return;
  return { code, message, hint: typeof hint === 'string' ? hint : '', calls: {} };
}
