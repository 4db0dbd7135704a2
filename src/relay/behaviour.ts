import { encodeUtf8 } from '../bytes.ts';
import { isSendable } from '../client/headers.ts';
import type { Handled, Handler } from '../emulator/handling.ts';
import type { EmulatorResponse } from '../emulator/http.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { type CapturedExchange, type CapturedResponse, jsonOf } from './capture.ts';
import { type RequestKind, RequestKinds, sideOf } from './request-kind.ts';
import { encodeLike, likeRecorded } from './text-form.ts';
import { Tolerance } from './tolerance.ts';

/** Responses to one kind of request of one operation. */
interface Recorded {
  /** By what is the same in alike responses, how often and the first of them. */
  readonly alike: Map<string, { count: number; readonly example: Example }>;
  readonly durationsMs: number[];
}

interface Example {
  readonly response: CapturedResponse;
  readonly ptnCd: string | undefined;
}

export interface ReplicaOptions {
  /** Whether responses take as long as the recorded ones, at the median. */
  readonly latency: boolean;
}

/** More durations don't change a median that matters. */
const mostDurations = 1000;

/** Written by the server that sends the response, or only true of the recorded body. */
const ownHeaders = new Set([
  ...['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'date', 'trailer'],
  ...['content-encoding', 'content-md5', 'digest', 'etag', 'upgrade', 'proxy-connection'],
]);

/**
 * How a recorded side responds: per kind of request its code, message, status, headers, extra fields
 * and latency. Where it responded to one kind in several ways, the most frequent one counts.
 */
export class RecordedBehaviour {
  readonly #side: 'application' | 'service';
  readonly #kinds = new RequestKinds();
  readonly #tolerance = new Tolerance();
  readonly #recorded = new Map<string, Recorded>();

  /** @param side whose responses are taken; those of the other one are left out */
  constructor(side: 'application' | 'service') {
    this.#side = side;
  }

  observe(exchange: CapturedExchange): void {
    const kind = this.#kinds.kindOf(exchange);
    const { response, ptnCd, durationMs } = exchange;
    if (kind === undefined || response === undefined || response.isCut) return;
    if (sideOf(exchange) !== this.#side) return;
    if (kind === 'accepted' && exchange.request) this.#tolerance.observe(exchange.request);
    const name = nameOf(exchange.operation, kind);
    const recorded: Recorded = this.#recorded.get(name) ?? { alike: new Map(), durationsMs: [] };
    this.#recorded.set(name, recorded);
    const { code, message } = jsonOf(response);
    const likeness = JSON.stringify([response.status, code, textWithoutUser(message, ptnCd)]);
    const before = recorded.alike.get(likeness);
    if (before !== undefined) before.count += 1;
    else recorded.alike.set(likeness, { count: 1, example: { response, ptnCd } });
    if (durationMs !== undefined && recorded.durationsMs.length < mostDurations) {
      recorded.durationsMs.push(durationMs);
    }
  }

  /** How many kinds of requests were recorded. */
  get size(): number {
    return this.#recorded.size;
  }

  /** A handler that responds as the recorded side did, to what was never recorded as `handler` does. */
  replicate(handler: Handler, { latency }: ReplicaOptions): Handler {
    return async (request) => {
      const handled = await handler(this.#tolerance.normalise(request));
      const { operation, refusal, faults } = handled.facts;
      if (faults.length > 0) return handled;
      const recorded = this.#recorded.get(nameOf(operation, refusal?.name ?? 'accepted'));
      return recorded === undefined
        ? neverRecorded(handled)
        : respondAs(recorded, handled, latency);
    };
  }
}

/** What is found before anyone asks for which operation. */
const ofAnyOperation = new Set([
  'not-json',
  'method',
  'content-type',
  'body-too-large',
  'used-type',
]);

function nameOf(operation: string | undefined, kind: RequestKind): string {
  return ofAnyOperation.has(kind) ? kind : `${operation} ${kind}`;
}

function neverRecorded(handled: Handled): Handled {
  const { refusal } = handled.facts;
  const kind = refusal === undefined ? 'a right request' : `this request (${refusal.name})`;
  const remark = `The recording has no response to ${kind}: this one is authcli's own.`;
  const remarks = [...(handled.facts.remarks ?? []), remark];
  return { ...handled, facts: { ...handled.facts, remarks } };
}

function respondAs(recorded: Recorded, { response, facts }: Handled, latency: boolean): Handled {
  const [{ example } = { example: undefined }] = [...recorded.alike.values()].toSorted(
    (left, right) => right.count - left.count,
  );
  if (example === undefined) return { response, facts };
  const body = bodyAs(example, jsonOf(response), facts.ptnCd);
  const delayMs = latency ? median(recorded.durationsMs) : 0;
  const replicated: EmulatorResponse = {
    ...response,
    status: example.response.status ?? response.status,
    headers: { ...headersAs(example.response, response) },
    body: encodeUtf8(JSON.stringify(body)),
    ...(delayMs > 0 && { delivery: { ...response.delivery, delayMs } }),
  };
  const { code } = body;
  return { response: replicated, facts: { ...facts, ...(typeof code === 'string' && { code }) } };
}

/** The recorded fields in their order, with the values of this exchange in those of the interface. */
function bodyAs(
  { response, ptnCd }: Example,
  own: JsonObject,
  ownPtnCd: string | undefined,
): JsonObject {
  const recorded = jsonOf(response);
  const message = textForUser(recorded.message, ptnCd, ownPtnCd);
  const body: Record<string, unknown> = { ...recorded };
  if (recorded.message !== undefined) body.message = message;
  if (isJsonObject(own.result)) {
    const result = isJsonObject(recorded.result) ? recorded.result : {};
    const values = Object.entries(own.result).map(([name, value]) => [
      name,
      valueLike(result[name], value, name),
    ]);
    body.result = { ...result, ...Object.fromEntries(values) };
  }
  return body;
}

/** In the recorded type; a wrapped key with the line breaks, alphabet and padding of the recorded one. */
function valueLike(recorded: unknown, own: unknown, name: string): unknown {
  const isWrapped = name === 'enc_partner_key' && typeof recorded === 'string';
  if (!isWrapped || typeof own !== 'string') return likeRecorded(recorded, own);
  return encodeLike(recorded, Buffer.from(own, 'base64')) ?? own;
}

function headersAs(
  { headers }: CapturedResponse,
  { headers: own }: EmulatorResponse,
): Readonly<Record<string, string>> {
  if (headers === undefined) return own;
  const kept = headers.filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  return Object.fromEntries(kept.filter(isSendable));
}

function textWithoutUser(message: unknown, ptnCd: string | undefined): unknown {
  return textForUser(message, ptnCd, '');
}

/** A message about the recorded user, about another one. */
function textForUser(message: unknown, recorded: string | undefined, own = ''): unknown {
  if (typeof message !== 'string' || !recorded) return message;
  return message.replaceAll(recorded, own);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
