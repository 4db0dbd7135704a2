import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { type CapturedExchange, type CapturedMessage, subjectOf } from '../capture.ts';
import { withoutMasked } from './masked.ts';

/** Where and when a body was found in a log. */
export interface Place {
  /** Such as `line 12`. */
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  /** `at` was written without an offset, and is read as UTC. */
  readonly isLocalTime?: true;
  /** Words around it that tell one request from others: ids, the names of threads and workers. */
  readonly tags: readonly string[];
}

/** A request or a response of the interface that was found in a log. */
export interface LogBody extends Place {
  readonly isResponse: boolean;
  readonly operation: CapturedExchange['operation'];
  readonly ptnCd?: string;
  readonly fields: JsonObject;
  /** Without what a logger masked or cut, which is then a part of what was sent. */
  readonly message: CapturedMessage;
  /** The fields that were masked. */
  readonly masked: readonly string[];
  /** The same for the same fields and values in any order and form. */
  readonly identity: string;
}

export function logBody(value: JsonObject, text: string, place: Place): LogBody {
  const isResponse = 'code' in value;
  const message = { body: Buffer.from(text) };
  const { operation, ptnCd } = isResponse ? subjectOf(undefined, message) : subjectOf(message);
  const { fields, masked } = withoutMasked(value);
  const isMasked = masked.length > 0;
  return {
    ...place,
    isResponse,
    operation,
    ...(ptnCd !== undefined && !masked.includes('ptn_cd') && { ptnCd }),
    fields,
    message: isMasked ? { body: Buffer.from(JSON.stringify(fields)), isCut: true } : message,
    masked,
    identity: JSON.stringify(sorted(value)),
  };
}

/** Whether a response has what only one exchange can have: a ciphertext, or a token. */
export function hasOwnResult({ operation, isResponse, masked }: LogBody): boolean {
  return isResponse && operation !== 'other' && masked.length === 0;
}

function sorted(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, sorted(inner)]);
}

/** What identifies a request, a thread or a connection in the fields of a logger. */
const tagField =
  /^(?:x[-_])?(?:trace|span|request|req|correlation|thread|worker|connection|conn)[-_.]?(?:id|name)?$/i;

/** The tags among the fields that a logger put around a body. */
export function tagsOfFields(value: JsonObject): string[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    tagField.test(name) && ['string', 'number'].includes(typeof inner) ? `${name}=${inner}` : [],
  );
}

const aTime = /^\d{4}-\d\d-\d\d|^\d\d:\d\d|^\d+(?:\.\d+)?(?:ns|us|µs|ms|s|b|kb)$/i;

/** The tags in front of a body: words with a digit and a letter, and numbers in brackets; not a time. */
export function tagsOfPrefix(prefix: string): string[] {
  const [before = ''] = prefix.slice(-400).split('{');
  const words = before.split(/[\s[\](),;|"<>]+/);
  const numbers = before.match(/\[\d+\]/g) ?? [];
  return [
    ...words.filter((word) => /\d/.test(word) && /[a-z]/i.test(word) && !aTime.test(word)),
    ...numbers,
  ];
}
