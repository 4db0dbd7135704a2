import { STATUS_CODES } from 'node:http';
import { encodeUtf8 } from '../bytes.ts';
import { type Headers, headerOf } from '../client/exchange.ts';
import { decodeBody } from '../client/response.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { applicationHttpFaults, serviceHttpFaults } from '../emulator/faults/http.ts';
import { outageFaults } from '../emulator/faults/outages.ts';
import type {
  ApplicationFault,
  Fault,
  ResponsePoints,
  ServiceFault,
  Situation,
} from '../emulator/faults/points.ts';
import { responseCodeFaults } from '../emulator/faults/response-codes.ts';
import { responseFaults } from '../emulator/faults/responses.ts';
import { type CallFaults, Switchboard } from '../emulator/faults/switchboard.ts';
import type { Environment } from '../emulator/handling.ts';
import type { EmulatorResponse } from '../emulator/http.ts';
import { readJson } from '../protocol/json.ts';
import { encodeNegativeResponse, successCode } from '../protocol/response.ts';
import { jsonOf, subjectOf } from './capture.ts';
import type { Interception } from './connection.ts';
import { responseFraming } from './http-stream.ts';
import type { ChangedMessage } from './outlet.ts';
import { maxKeptBytes, type SeenExchange, type SeenMessage, statusOf } from './seen-exchange.ts';

type ResponseFault = Fault<ResponsePoints>;

/** The points at which nothing but the response is needed. */
const points: readonly string[] = ['value', 'body', 'response'];

function withoutState(
  faults: readonly (ApplicationFault | ServiceFault)[],
): readonly ResponseFault[] {
  const ofResponse = ({ apply }: ApplicationFault | ServiceFault) =>
    Object.keys(apply).every((point) => points.includes(point));
  return faults.filter(ofResponse) as readonly ResponseFault[];
}

/** The emulators' faults that change a response without knowing what is behind it, by whose response it is. */
export const offeredFaults = {
  callback: withoutState([...responseFaults, ...applicationHttpFaults]),
  service: withoutState([...responseCodeFaults, ...outageFaults, ...serviceHttpFaults]),
} as const;

/** Breaks responses on their way back to the side that called. */
export class ResponseFaults {
  readonly #board: Switchboard<ResponsePoints>;
  readonly #environment: Environment;
  readonly #cipher: Cipher;

  /** @throws AuthcliError `usage` for a name that isn't offered */
  constructor(
    direction: keyof typeof offeredFaults,
    names: readonly string[],
    { cipher, environment }: { readonly cipher: Cipher; readonly environment: Environment },
  ) {
    this.#board = new Switchboard(offeredFaults[direction]);
    this.#environment = environment;
    this.#cipher = cipher;
    for (const name of names) this.#board.switchOn({ name });
  }

  /** @param keys what changes the response first */
  intercept(exchange: SeenExchange, keys: Interception | undefined): Interception {
    return {
      ...keys,
      response: () => {
        const first = keys?.response?.();
        return async (response) => {
          const changed = await first?.(response);
          return (await this.#break(exchange, response, changed?.body)) ?? changed;
        };
      },
    };
  }

  async #break(
    exchange: SeenExchange,
    response: SeenMessage,
    changed: Uint8Array | undefined,
  ): Promise<ChangedMessage | undefined> {
    const { headers } = response.head;
    const encoding = headerOf(headers, 'content-encoding');
    const decoded = await decodeBody(changed ?? response.body, encoding, maxKeptBytes);
    const { status } = statusOf(response);
    const { kind } = responseFraming(response.head, status, exchange.method);
    if (!decoded.ok || kind === 'none') return undefined;
    const on = this.#board.beginCall();
    const plain = {
      status,
      headers: Object.fromEntries(payloadHeaders(headers)),
      body: decoded.body,
    };
    const broken = this.#pass(on, plain, exchange);
    exchange.faults = on.acted;
    if (on.acted.length === 0) return undefined;
    const framing = {
      length: `Content-Length: ${broken.body.length}`,
      chunked: 'Transfer-Encoding: chunked',
    };
    const framed = kind in framing ? [framing[kind as keyof typeof framing]] : [];
    return { body: broken.body, head: headOf(response, broken, framed), ...broken.delivery };
  }

  #pass(
    on: CallFaults<ResponsePoints>,
    plain: EmulatorResponse,
    { request }: SeenExchange,
  ): EmulatorResponse {
    const { operation, ptnCd } = subjectOf(request);
    if (operation === 'other') return plain;
    const seen = this.#situation(request, plain);
    const refusal = on.pass('refusal', seen.refusal, { ...seen, operation, ptnCd });
    const at = { ...seen, operation, ptnCd, refusal };
    const right =
      refusal === seen.refusal || !refusal ? plain.body : encodeNegativeResponse(refusal);
    const reading = readJson(right);
    const value = reading.ok ? reading.value : undefined;
    const edited = on.pass('value', value, at);
    const text = edited === value ? right : encodeUtf8(JSON.stringify(edited));
    return on.pass('response', { ...plain, body: on.pass('body', text, at) }, at);
  }

  #situation(request: SeenMessage, { status, body }: EmulatorResponse): Situation {
    const [method = '', target = ''] = request.head.startLine.split(' ');
    const [path = '', query = ''] = target.split('?');
    const code = String(jsonOf({ body }).code);
    const other = { name: 'other', code, message: '', fix: '', status };
    return {
      request: { method, path, query, headers: {}, body: request.body },
      clientId: String(jsonOf(request).client_id),
      cipher: this.#cipher,
      ...(code !== successCode && { refusal: other }),
      now: this.#environment.now(),
      randomBytes: this.#environment.randomBytes,
      memory: new Map(),
    };
  }
}

/** Headers that say how the body is transferred are written anew. */
function payloadHeaders(headers: Headers): Headers {
  const anew = /^(?:content-length|transfer-encoding|content-encoding)$/i;
  return headers.flatMap(([name, value]) => (anew.test(name) ? [] : [[name.toLowerCase(), value]]));
}

/** Start line and headers: those that stayed as they came, then the others. */
function headOf(
  { head }: SeenMessage,
  { status, headers }: EmulatorResponse,
  framing: readonly string[],
): Buffer {
  const [version = ''] = head.startLine.split(' ', 1);
  const isSame = statusOf({ head }).status === status;
  const startLine = isSame ? head.startLine : `${version} ${status} ${STATUS_CODES[status] ?? ''}`;
  const kept = payloadHeaders(head.headers).flatMap(([name, value], index, all) => {
    const isLast = all.findLastIndex(([other]) => other === name) === index;
    return headers[name] === value || (!isLast && name in headers) ? [[name, value] as const] : [];
  });
  const own = Object.entries(headers).filter(
    ([name, value]) => !kept.some((line) => line[0] === name && line[1] === value),
  );
  const lines = [...kept, ...own].map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([startLine, ...lines, ...framing, '', ''].join('\r\n'), 'latin1');
}
