import { decodeUtf8 } from '../bytes.ts';
import type { Headers } from '../client/exchange.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import { AuthcliError, isDiagnosisCode } from '../errors.ts';
import { isJsonObject, parseJsonText } from '../protocol/json.ts';
import { operations } from '../protocol/operations.ts';
import type { Redactor } from '../reports/redact.ts';
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
 * Writes exchanges as lines of JSON, each with its line feed. Further recordings may be appended: each begins with
 * its own header line.
 */
export function recordingWriter({ version, startedAt, redactor }: RecordingOptions) {
  const secrets = redactor === undefined ? 'values' : 'redacted';
  const started = new Date(startedAt).toISOString();
  const shown = (value: string | undefined) => value && (redactor?.text(value) ?? value);
  const message = ({ headers, body, isCut }: CapturedMessage) => ({
    ...(redactor?.json({ headers }) ?? { headers }),
    ...bodyOf(body, redactor),
    is_cut: isCut || undefined,
  });
  return {
    header: lineOf({ schema: recordingSchema, version, started_at: started, secrets }),
    line: (exchange: CapturedExchange): string => {
      const { operation, ptnCd, startedAt, durationMs, failure, key, request, response } = exchange;
      for (const secret of secretsOf(exchange)) redactor?.addFromPeer(secret);
      return lineOf({
        operation,
        ptn_cd: ptnCd,
        started_at: startedAt === undefined ? undefined : new Date(startedAt).toISOString(),
        duration_ms: durationMs,
        request: request && {
          method: request.method,
          target: shown(request.target),
          ...message(request),
        },
        response: response && {
          status: response.status,
          status_text: shown(response.statusText),
          ...message(response),
        },
        failure: failure && { ...failure, message: shown(failure.message) },
        key: redactor === undefined ? key?.reveal() : undefined,
      });
    },
  };
}

/** JSON stays JSON where something is hidden in it, so that the rest of it can be judged. */
function bodyOf(body: Uint8Array, redactor: Redactor | undefined) {
  const text = decodeUtf8(body);
  if (text === undefined) {
    const latin1 = Buffer.from(body).toString('latin1');
    return {
      body_base64: Buffer.from(redactor?.head(latin1) ?? latin1, 'latin1').toString('base64'),
    };
  }
  if (redactor === undefined) return { body: text };
  const json = parseJsonText(text);
  if (typeof json !== 'object') return { body: redactor.head(text) };
  const shown = JSON.stringify((redactor.json({ json }) as { readonly json: unknown }).json);
  return { body: shown === JSON.stringify(json) ? text : shown };
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** Whether the first line of a file is the header of a recording, of any version. */
export function isRecordingHeader(line: string): boolean {
  return /^\s*\{\s*"schema"\s*:\s*"authcli\/recording\//.test(line);
}

/**
 * The exchanges of a recording. What isn't JSON is left out with a note: a last line that was cut
 * off, a line that is damaged.
 * @throws AuthcliError `usage` for another version, which the message names, and for a line that does not follow
 * schemas/recording-1.json
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
    if (!isJsonObject(value)) {
      const what = line.isEnded && !line.isCut ? 'is not a JSON object' : 'was cut off';
      note(`Line ${line.number} of the recording ${what}; it was left out.`);
    } else if (Object.hasOwn(value, 'schema')) {
      requireVersion(value.schema);
      requireNone(headerRule(value, ''), line);
      hasValues = value.secrets === 'values';
    } else {
      requireNone(exchangeRule(value, ''), line);
      yield toExchange(value as ExchangeLine, `line ${line.number}`, hasValues);
    }
  }
}

/** @throws AuthcliError `usage` with line and field */
function requireNone(fault: string | undefined, { number }: Line): void {
  if (fault === undefined) return;
  throw new AuthcliError('usage', `Line ${number} of the recording: ${fault}.`, {
    hint: 'Take this line out, or record again. `schemas/recording-1.json` describes a line.',
  });
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

/** A line as schemas/recording-1.json describes it, as far as it is read. */
interface ExchangeLine {
  readonly started_at?: string;
  readonly duration_ms?: number;
  readonly request?: MessageLine & { readonly method?: string; readonly target?: string };
  readonly response?: MessageLine & { readonly status?: number; readonly status_text?: string };
  readonly failure?: { readonly code: string; readonly message: string; readonly hint: string };
  readonly key?: string;
}

interface MessageLine {
  readonly headers?: Headers;
  readonly body?: string;
  readonly body_base64?: string;
  readonly is_cut?: true;
}

/** What is wrong with the value of a field, with its path; undefined if nothing is. */
type Rule = (value: unknown, at: string) => string | undefined;

const rule =
  (what: string, fits: (value: unknown) => boolean): Rule =>
  (value, at) =>
    fits(value) ? undefined : `${at} is not ${what}`;

/** An object with some of these fields, and any others. */
const object =
  (rules: Readonly<Record<string, Rule>>, ...required: readonly string[]): Rule =>
  (value, at) => {
    if (!isJsonObject(value)) return `${at} is not an object`;
    for (const [name, check] of Object.entries(rules)) {
      const path = at === '' ? name : `${at}.${name}`;
      const missing = required.includes(name) ? `${path} is missing` : undefined;
      const fault = Object.hasOwn(value, name) ? check(value[name], path) : missing;
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

const isText = (value: unknown) => typeof value === 'string';
const text = rule('a text', isText);
const instant = rule('an instant such as 2026-01-02T03:04:05Z', (value) => {
  const form = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;
  return typeof value === 'string' && form.test(value) && !Number.isNaN(Date.parse(value));
});
const headers: Rule = (value, at) => {
  if (!Array.isArray(value)) return `${at} is not a list`;
  const isPair = (line: unknown) => Array.isArray(line) && line.length === 2 && line.every(isText);
  const wrong = value.findIndex((line) => !isPair(line));
  return wrong === -1 ? undefined : `${at}[${wrong}] is not a name and a value`;
};

function message(own: Readonly<Record<string, Rule>>): Rule {
  const isTrue = rule('true', (value) => value === true);
  const fields = object({ ...own, headers, body: text, body_base64: text, is_cut: isTrue });
  return (value, at) => {
    const bodies = ['body', 'body_base64'].filter((name) => Object.hasOwn(Object(value), name));
    const neither = `${at} has not one of body and body_base64`;
    return fields(value, at) ?? (bodies.length === 1 ? undefined : neither);
  };
}

const headerRule = object(
  {
    version: text,
    started_at: instant,
    secrets: rule('"redacted" or "values"', (value) => value === 'redacted' || value === 'values'),
  },
  ...['version', 'started_at', 'secrets'],
);

const exchangeRule = object(
  {
    operation: rule('an operation', (value) =>
      [...Object.keys(operations), 'other'].some((each) => each === value),
    ),
    ptn_cd: text,
    started_at: instant,
    duration_ms: rule('a number from 0', (value) => Number.isFinite(value) && Number(value) >= 0),
    request: message({ method: text, target: text }),
    response: message({ status: rule('a whole number', Number.isInteger), status_text: text }),
    failure: object({ code: text, message: text, hint: text }, 'code', 'message', 'hint'),
    key: text,
  },
  'operation',
);

function toExchange(line: ExchangeLine, source: string, hasValues: boolean): CapturedExchange {
  const { started_at: startedAt, request: sent, response: received, failure } = line;
  const request = sent && toMessage(sent);
  const response = received && toMessage(received);
  // a code of a later release is none here
  const isKnown = failure !== undefined && isDiagnosisCode(failure.code);
  return {
    source,
    ...subjectOf(request, response),
    startedAt: startedAt === undefined ? undefined : Date.parse(startedAt),
    durationMs: line.duration_ms,
    request: request && { ...request, method: sent?.method, target: sent?.target },
    response: response && {
      ...response,
      status: received?.status,
      statusText: received?.status_text,
    },
    failure: isKnown ? diagnosis(failure.code, failure.message, failure.hint) : undefined,
    key: hasValues && line.key !== undefined ? Secret.key(line.key) : undefined,
    isRedacted: hasValues ? undefined : true,
  };
}

function toMessage({ headers, body, body_base64: base64, is_cut: isCut }: MessageLine) {
  return { headers, body: Buffer.from(base64 ?? body ?? '', base64 ? 'base64' : 'utf8'), isCut };
}
