import { decodeUtf8, encodeBase64, encodeUtf8 } from '../bytes.ts';
import type { Headers } from '../client/exchange.ts';
import { Secret } from '../crypto/secret.ts';
import { AuthcliError, type Diagnosis, isDiagnosisCode } from '../errors.ts';
import { isJsonObject, type JsonObject, parseJsonText } from '../protocol/json.ts';
import { excerptOf } from '../text.ts';
import { type CapturedExchange, type CapturedMessage, secretsOf, subjectOf } from './capture.ts';
import { Pseudonyms, type SecretForm, type SecretForms, withStandIns } from './pseudonyms.ts';
import { type Line, textOfLine } from './sources/lines.ts';

/** What the header line of a recording says (schemas/recording-1.json). */
export const recordingSchema = 'authcli/recording/1';

export interface RecordingOptions {
  /** The release of authcli. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** At least 16 random bytes, used for nothing else and written nowhere. */
  readonly salt: Uint8Array;
  /** Keeps values, the per-user keys included. */
  readonly showSecrets?: boolean;
}

/**
 * Exchanges as lines of JSON, each with its line feed. Secrets are pseudonyms (`secret:` and a
 * number, the same for the same value) with their length and encoding, unless they are to be retained.
 * Further recordings may be appended: each begins with its own header line and has its own names.
 */
export class RecordingWriter {
  readonly header: string;
  readonly #pseudonyms: Pseudonyms | undefined;

  constructor({ version, startedAt, salt, showSecrets = false }: RecordingOptions) {
    this.#pseudonyms = showSecrets ? undefined : new Pseudonyms(salt);
    const secrets = showSecrets ? 'values' : 'pseudonyms';
    const started = new Date(startedAt).toISOString();
    this.header = lineOf({ schema: recordingSchema, version, started_at: started, secrets });
  }

  /** Hides a secret of the run that isn't in a field of its own, such as a passcode that was decrypted. */
  hide(secret: Secret): void {
    this.#pseudonyms?.add(secret.reveal());
  }

  line(exchange: CapturedExchange): string {
    const { operation, ptnCd, startedAt, durationMs, failure, key } = exchange;
    for (const secret of secretsOf(exchange)) this.hide(secret);
    const forms: Record<string, SecretForm> = {};
    const hidden = this.#pseudonyms;
    const text = (value: string) => hidden?.text(value, forms) ?? value;
    const message = ({ headers, body, isCut }: CapturedMessage) => ({
      headers: headers?.map((line) => hidden?.header(line, forms) ?? line),
      ...bodyOf(body, text),
      ...(isCut && { is_cut: true }),
    });
    const { request, response } = exchange;
    return lineOf({
      operation,
      ptn_cd: ptnCd,
      started_at: startedAt === undefined ? undefined : new Date(startedAt).toISOString(),
      duration_ms: durationMs,
      request: request && {
        method: request.method,
        target: request.target && text(request.target),
        ...message(request),
      },
      response: response && {
        status: response.status,
        status_text: response.statusText && text(response.statusText),
        ...message(response),
      },
      failure: failure && { ...failure, message: text(failure.message) },
      key: key && (hidden?.name(key.reveal(), forms) ?? key.reveal()),
      ...(Object.keys(forms).length > 0 && { secrets: forms }),
    });
  }
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function bodyOf(body: Uint8Array, hide: (text: string) => string) {
  const text = decodeUtf8(body);
  if (text !== undefined) return { body: hide(text) };
  const bytes = Buffer.from(hide(Buffer.from(body).toString('latin1')), 'latin1');
  return { body_base64: encodeBase64(bytes) };
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
  const { started_at: started, duration_ms: durationMs, key } = line;
  const forms = isJsonObject(line.secrets) ? (line.secrets as unknown as SecretForms) : {};
  const request = isJsonObject(line.request) ? readMessage(line.request, forms) : undefined;
  const response = isJsonObject(line.response) ? readMessage(line.response, forms) : undefined;
  const { method, target } = isJsonObject(line.request) ? line.request : {};
  const { status, status_text: statusText } = isJsonObject(line.response) ? line.response : {};
  const startedAt = typeof started === 'string' ? Date.parse(started) : Number.NaN;
  const failure = readFailure(line.failure);
  return {
    source,
    ...subjectOf(request, response),
    ...(!Number.isNaN(startedAt) && { startedAt }),
    ...(typeof durationMs === 'number' && { durationMs }),
    ...(request && {
      request: {
        ...request,
        ...(typeof method === 'string' && { method }),
        ...(typeof target === 'string' && { target }),
      },
    }),
    ...(response && {
      response: {
        ...response,
        ...(typeof status === 'number' && { status }),
        ...(typeof statusText === 'string' && { statusText }),
      },
    }),
    ...(failure && { failure }),
    ...(hasValues && typeof key === 'string' && { key: Secret.key(key) }),
    ...(!hasValues && { isPseudonymous: true }),
  };
}

function readMessage(message: JsonObject, forms: SecretForms): CapturedMessage {
  const { headers, body, body_base64: base64, is_cut: isCut } = message;
  const bytes =
    typeof base64 === 'string'
      ? Buffer.from(withStandIns(Buffer.from(base64, 'base64').toString('latin1'), forms), 'latin1')
      : encodeUtf8(withStandIns(typeof body === 'string' ? body : '', forms));
  return {
    ...(Array.isArray(headers) && { headers: headers.filter(isHeader) satisfies Headers }),
    body: bytes,
    ...(isCut === true && { isCut }),
  };
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
